"""What the dice and one's choices did to a player of a finished game (RULES 8), told in private."""

from __future__ import annotations

from functools import partial

from games.game import Refusal, text
from tgbot.done import Done
from tgbot.inbound.requests import Ask, Front
from tgbot.people.people import Person, can_be_written_to
from tgbot.press import Press

DEEP_LINK = "analysis_"
"""What comes before a game's id in `t.me/bot?start=…`."""


def analysis(front: Front, person: Person, game_id: str, now: int) -> Done:
    """Begins the analysis of a finished game; who cannot be written to is led to their chat.

    Raises `Refusal` for a game that has none, and for who asks too often.
    """
    if not can_be_written_to(front.store.db, person.user_id):
        return Done(start=f"{DEEP_LINK}{game_id}")
    if not front.limits.analyses.take(person.user_id, now):
        raise Refusal("refused.too_fast")
    return _told(front, person, game_id)


async def follow(front: Front, ask: Ask, game_id: str) -> None:
    """A deep link to the analysis of a game."""
    await front.do(ask, lambda person, now: analysis(front, person, game_id, now))


async def turn(front: Front, ask: Ask, said: Press) -> None:
    """A press that turns to another player of the game, or wants the chart."""
    game_id, seat, more = [*said.code.split(" "), "", ""][:3]

    def act(person: Person, now: int) -> Done:
        if not seat.isdecimal() or not ask.private:
            raise Refusal("refused.stale")
        if more and not front.limits.analyses.take(person.user_id, now):
            raise Refusal("refused.too_fast")
        edit = 0 if more else ask.message_id
        return _told(front, person, game_id, seat=int(seat), edit=edit, chart=bool(more))

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
    table = front.store.find(game_id)
    if table is None or table.status != "over" or not table.game.mind:
        raise Refusal("analysis.no_game")
    if table.version != table.game.rules.VERSION:
        raise Refusal("analysis.old")
    moves = front.store.moves.of(game_id)
    who = (person.user_id, person.language)
    later = partial(front.analyses.tell, table, moves, *who, seat=seat, edit=edit, chart=chart)
    return Done(toast=None if edit or chart else text("analysis.begun"), later=later)


MENUS = {"analysis": turn}
DEEP_LINKS = {DEEP_LINK: follow}
"""What follows the deep links that begin so."""
