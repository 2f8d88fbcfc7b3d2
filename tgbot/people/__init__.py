"""Who plays and where: people, what they own and give, chats and their settings."""
