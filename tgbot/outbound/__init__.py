"""What people see goes out: boards, answers, pictures, within the limits that Telegram sets."""
