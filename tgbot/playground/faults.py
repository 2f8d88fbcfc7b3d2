"""Switches for everything that goes wrong between a bot and Telegram."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from tgbot.playground.errors import OddAnswer, Refusal, too_many

TOO_OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid"
_SPARED = frozenset({"getUpdates", "getMe"})


@dataclass
class Faults:
    """What to break. 0 or None is off; a field ending in `_next` counts down as it strikes.

    `latency_s` delays every call; `only` limits the faults of calls to one method, or to several
    (`sendMessage,editMessageText`); without it they strike any method but getUpdates and getMe.
    `count` tells how often each kind struck.

    - `flood_next`: 429 with `flood_retry_after`, in any chat or only in `flood_chat`
    - `refuse_next`: `refuse_status` with `refuse_reason`, in any chat or only in `refuse_chat`
    - `timeout_before_next`: the call is lost; `timeout_after_next`: its answer is lost
    - `reset_after_next`: the connection breaks after the call took effect; `unreachable_next`: none
      is made (over HTTP: it breaks before)
    - `error_5xx_next`: 502 without effect
    - `odd_before_next`, `odd_after_next`: without effect or after it the answer is `odd_status`
      with `odd_body`, which need not be JSON
    - `bad_request_answers_next`: answerCallbackQuery is told that the query is too old
    - `duplicate_updates_next`: an update comes once more after it was confirmed
    - `duplicate_presses_next`: one press makes two callback queries
    - `late_updates_s`: updates arrive that much later
    - `shuffle_next`: the next N updates arrive in reverse order (those that came within 1 s)
    - `lower_ids_next`: the next update, if none waits, has a lower id than those before, as after a
      week without any
    """

    latency_s: float = 0.0
    flood_next: int = 0
    flood_retry_after: int = 5
    flood_chat: int | None = None
    refuse_next: int = 0
    refuse_status: int = 400
    refuse_reason: str = "Bad Request: TOPIC_CLOSED"
    refuse_chat: int | None = None
    timeout_before_next: int = 0
    timeout_after_next: int = 0
    reset_after_next: int = 0
    unreachable_next: int = 0
    error_5xx_next: int = 0
    odd_before_next: int = 0
    odd_after_next: int = 0
    odd_status: int = 502
    odd_body: str = "<html><body><h1>502 Bad Gateway</h1></body></html>"
    bad_request_answers_next: int = 0
    duplicate_updates_next: int = 0
    duplicate_presses_next: int = 0
    late_updates_s: float = 0.0
    shuffle_next: int = 0
    lower_ids_next: int = 0
    only: str | None = None
    count: Counter[str] = field(default_factory=Counter)

    def strike(self, kind: str) -> bool:
        """True, counted down and noted, if a fault of this kind is due."""
        left: int = getattr(self, f"{kind}_next")
        if left <= 0:
            return False
        setattr(self, f"{kind}_next", left - 1)
        self.count[kind] += 1
        return True

    def _meant(self, method: str) -> bool:
        return method in self.only.split(",") if self.only else method not in _SPARED

    def before(self, method: str, params: dict[str, Any]) -> None:
        """Raises Refusal, OddAnswer, ConnectionRefusedError or TimeoutError if this call is to fail
        without an effect."""
        if not self._meant(method):
            return
        if self.strike("unreachable"):
            raise ConnectionRefusedError("nobody is there")
        if _in(self.flood_chat, params) and self.strike("flood"):
            raise too_many(self.flood_retry_after)
        if _in(self.refuse_chat, params) and self.strike("refuse"):
            raise Refusal(self.refuse_status, self.refuse_reason)
        if self.strike("timeout_before"):
            raise TimeoutError("the call was lost")
        if self.strike("error_5xx"):
            raise Refusal(502, "Bad Gateway")
        if self.strike("odd_before"):
            raise self._odd()
        if method == "answerCallbackQuery" and self.strike("bad_request_answers"):
            raise Refusal(400, TOO_OLD)

    def after(self, method: str) -> None:
        """Raises if the answer to this call, whose effect stands, is to be lost: TimeoutError,
        ConnectionResetError or OddAnswer."""
        if not self._meant(method):
            return
        if self.strike("timeout_after"):
            raise TimeoutError("the answer was lost")
        if self.strike("reset_after"):
            raise ConnectionResetError("the connection broke")
        if self.strike("odd_after"):
            raise self._odd()

    def _odd(self) -> OddAnswer:
        return OddAnswer(self.odd_status, self.odd_body.encode())

    def as_json(self) -> dict[str, Any]:
        """All fields by name, `count` as a plain object."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return values | {"count": dict(self.count)}

    def set(self, values: dict[str, Any]) -> None:
        """Sets the named fields; raises ValueError for a name or a value that does not fit."""
        kinds = {each.name: str(each.type) for each in fields(self) if each.name != "count"}
        for name, value in values.items():
            if name not in kinds:
                raise ValueError(f"There is no fault {name!r}. There are: {', '.join(kinds)}.")
            if not _fits(kinds[name], value):
                raise ValueError(f"{name} must be {kinds[name]}, not {value!r}.")
        for name, value in values.items():
            setattr(self, name, value)


def _in(chat: int | None, params: dict[str, Any]) -> bool:
    """Whether a call is about that chat; any is about None."""
    return chat is None or params.get("chat_id") in (chat, str(chat))


def _fits(kind: str, value: object) -> bool:
    if value is None:
        return kind.endswith("None")
    if kind.startswith("str"):
        return isinstance(value, str)
    number = isinstance(value, int) or (kind == "float" and isinstance(value, float))
    return number and not isinstance(value, bool) and (kind != "float" or float(str(value)) >= 0)
