"""The button of a hint (RULES 8): the press is answered once the hint is worked out."""

from __future__ import annotations

import asyncio

from tgbot.hall import minds
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import Front
from tgbot.press import Press


async def hint(front: Front, ask: Ask, said: Press) -> None:
    """Somebody wants to know what James would do in this phase of their game."""
    await asyncio.to_thread(minds.tables)  # numpy, which is imported where nobody waits for it
    hints = front.hall.hints
    await front.do(ask, lambda person, now: hints.ask(person, said.scope, said.rev))
