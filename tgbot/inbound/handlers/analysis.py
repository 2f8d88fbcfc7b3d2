"""What the dice and one's choices did to a player of a finished game (RULES 8), told in private."""

from __future__ import annotations

import re
from functools import partial

from games.game import Refusal, text
from tgbot.done import Done
from tgbot.hall.table import Recorded, Table
from tgbot.inbound.asks import Ask
from tgbot.inbound.front import Front
from tgbot.people.people import Person, can_be_written_to
from tgbot.press import Press

DEEP_LINK = "analysis_"
"""What comes before a game's id in `t.me/bot?start=…`."""
_PAGE = re.compile(r"([a-z2-7]{8}) ([0-9]{1,3})( chart)?", re.ASCII)
"""A game and a seat in it, whose page or chart is wanted."""
_RETRY = re.compile(r"([a-z2-7]{8}) ([0-9])(?: ([0-9]{1,4}))?", re.ASCII)
"""A game, which of one's worst decisions in it, and the number of the move chosen now."""


def analysis(front: Front, ask: Ask, person: Person, game_id: str, now: int) -> Done:
    """Begins the analysis of a finished game; who cannot be written to is led to their chat.

    Raises `Refusal` for a game that has none, and for who asks too often.
    """
    if not can_be_written_to(front.store.db, person.user_id):
        return Done(start=f"{DEEP_LINK}{game_id}")
    if not front.limits.analyses.take(person.user_id, now, ask.update_id):
        raise Refusal("refused.too_fast")
    return _told(front, person, game_id)


async def follow(front: Front, ask: Ask, game_id: str) -> None:
    """A deep link to the analysis of a game."""
    await front.do(ask, lambda person, now: analysis(front, ask, person, game_id, now))


async def turn(front: Front, ask: Ask, said: Press) -> None:
    """A press that turns to another player of the game, or wants the chart."""

    def act(person: Person, now: int) -> Done:
        found = _PAGE.fullmatch(said.code)
        if not found or not ask.private:
            raise Refusal("refused.stale")
        game_id, seat, chart = found.groups()
        if chart and not front.limits.analyses.take(person.user_id, now, ask.update_id):
            raise Refusal("refused.too_fast")
        edit = 0 if chart else ask.message_id
        return _told(front, person, game_id, seat=int(seat), edit=edit, chart=bool(chart))

    await front.do(ask, act)


async def retry(front: Front, ask: Ask, said: Press) -> None:
    """A press that wants to be asked one of one's own decisions, or answers it."""

    def act(person: Person, now: int) -> Done:
        found = _RETRY.fullmatch(said.code)
        if not found or not ask.private:
            raise Refusal("refused.stale")
        if not front.limits.retries.take(person.user_id, now, ask.update_id):
            raise Refusal("refused.too_fast")
        game_id, nth, move = found.groups()
        # The first question is a message of its own; what follows it stands in its place.
        edit = ask.message_id if move or int(nth) else 0
        chosen = int(move) if move else None
        table, moves = _played(front, game_id)
        work = partial(front.analyses.retry, table, moves, person.user_id, person.language)
        return Done(later=partial(work, nth=int(nth), chosen=chosen, edit=edit))

    await front.do(ask, act)


def _told(
    front: Front,
    person: Person,
    game_id: str,
    *,
    seat: int | None = None,
    edit: int = 0,
    chart: bool = False,
) -> Done:
    table, moves = _played(front, game_id)
    who = (person.user_id, person.language)
    later = partial(front.analyses.tell, table, moves, *who, seat=seat, edit=edit, chart=chart)
    return Done(toast=None if edit or chart else text("analysis.begun"), later=later)


def _played(front: Front, game_id: str) -> tuple[Table, list[Recorded]]:
    """A game that can be analysed, and its moves. Raises `Refusal` for any other."""
    table = front.store.find(game_id)
    if table is None or table.status != "over" or not table.game.mind:
        raise Refusal("analysis.no_game")
    if table.daily and not front.hall.dailies.is_over(table.daily):
        raise Refusal("daily.not_yet")
    if table.version != table.game.rules.VERSION:
        raise Refusal("analysis.old")
    return table, front.store.moves.of(game_id)


MENUS = {"analysis": turn, "retry": retry}
DEEP_LINKS = {DEEP_LINK: follow}
"""What follows the deep links that begin so."""
