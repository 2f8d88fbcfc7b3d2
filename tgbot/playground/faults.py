"""Switches for everything that goes wrong between a bot and Telegram."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from tgbot.playground.errors import Refusal, too_many

TOO_OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid"
_SPARED = frozenset({"getUpdates", "getMe"})


@dataclass
class Faults:
    """What to break. 0 or None is off; a field ending in `_next` counts down as it strikes.

    `latency_s` delays every call; `only` limits the faults of calls to one method; without it
    they strike any method but getUpdates and getMe. `count` tells how often each kind struck.

    - `flood_next`: 429 with `flood_retry_after`, in any chat or only in `flood_chat`
    - `timeout_before_next`: the call is lost; `timeout_after_next`: its answer is lost
    - `error_5xx_next`: 502 without effect
    - `bad_request_answers_next`: answerCallbackQuery is told that the query is too old
    - `duplicate_updates_next`: an update comes once more after it was confirmed
    - `duplicate_presses_next`: one press makes two callback queries
    - `late_updates_s`: updates arrive that much later
    - `shuffle_next`: the next N updates arrive in reverse order (those that came within 1 s)
    """

    latency_s: float = 0.0
    flood_next: int = 0
    flood_retry_after: int = 5
    flood_chat: int | None = None
    timeout_before_next: int = 0
    timeout_after_next: int = 0
    error_5xx_next: int = 0
    bad_request_answers_next: int = 0
    duplicate_updates_next: int = 0
    duplicate_presses_next: int = 0
    late_updates_s: float = 0.0
    shuffle_next: int = 0
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
        return method == self.only if self.only else method not in _SPARED

    def before(self, method: str, params: dict[str, Any]) -> None:
        """Raises Refusal or TimeoutError if this call is to fail without an effect."""
        if not self._meant(method):
            return
        chat = self.flood_chat
        if (chat is None or params.get("chat_id") in (chat, str(chat))) and self.strike("flood"):
            raise too_many(self.flood_retry_after)
        if self.strike("timeout_before"):
            raise TimeoutError("the call was lost")
        if self.strike("error_5xx"):
            raise Refusal(502, "Bad Gateway")
        if method == "answerCallbackQuery" and self.strike("bad_request_answers"):
            raise Refusal(400, TOO_OLD)

    def after(self, method: str) -> None:
        """Raises TimeoutError if the answer to this call, whose effect stands, is to be lost."""
        if self.timeout_after_next and self._meant(method) and self.strike("timeout_after"):
            raise TimeoutError("the answer was lost")

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


def _fits(kind: str, value: object) -> bool:
    if value is None:
        return kind.endswith("None")
    if kind.startswith("str"):
        return isinstance(value, str)
    number = isinstance(value, int) or (kind == "float" and isinstance(value, float))
    return number and not isinstance(value, bool) and (kind != "float" or float(str(value)) >= 0)
