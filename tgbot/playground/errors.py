"""Telegram's refusals, as one exception with a status and Telegram's own words."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """What the Bot API answers instead of a result.

    `status` is the HTTP status, `description` Telegram's wording, `parameters` the optional
    `{"retry_after": s}` or `{"migrate_to_chat_id": id}`.
    """

    def __init__(
        self, status: int, description: str, parameters: dict[str, int] | None = None
    ) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.parameters = parameters

    def answer(self) -> dict[str, Any]:
        """The response body: `{"ok": false, "error_code", "description", "parameters"?}`."""
        body: dict[str, Any] = {
            "ok": False,
            "error_code": self.status,
            "description": self.description,
        }
        if self.parameters:
            body["parameters"] = self.parameters
        return body


class OddAnswer(Exception):
    """An answer that is none of the Bot API's: what a proxy on the way says, or half a body."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"an odd answer, {status}")
        self.status = status
        self.body = body


def bad(reason: str) -> Refusal:
    """A 400 with `Bad Request: ` before the reason."""
    return Refusal(400, f"Bad Request: {reason}")


def too_many(retry_after_s: int) -> Refusal:
    """A 429 that names the seconds to wait."""
    return Refusal(
        429, f"Too Many Requests: retry after {retry_after_s}", {"retry_after": retry_after_s}
    )
