"""What James has to say of a day that is over: what he makes of its dice, and what choices cost.

He is asked in a thread, about a few attempts at a time; what he said is written down between. The
due row stays until he is through, so that a process that ends, or a mind whose table is not there
yet, only puts it off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import structlog

from games.analysis import analyse
from games.dice import cast
from games.fairness import Stream, players_part
from games.game import Setup
from games.mind import NotReady, best, mind_of
from tgbot.done import Done
from tgbot.hall.daily.attempts import NONE, Attempt
from tgbot.hall.daily.dailies import Dailies
from tgbot.hall.daily.days import Day, daily_game
from tgbot.hall.table import Recorded, values

KIND = "daily_james"
AGAIN_S = 600
"""When he is asked again who could not answer, or was cut off."""
AT_ONCE = 20

log = structlog.get_logger(__name__)


class Reckoning:
    """Asks James about days that are over. Every public method is one use case."""

    def __init__(self, dailies: Dailies) -> None:
        self.dailies = dailies
        self.store = dailies.store

    def fire(self, date: str, now: int) -> Done:
        """Asks him about some attempts, until none is left."""
        day, some = self.dailies.days.find(date), self.dailies.attempts.unreckoned(date, AT_ONCE)
        if day is None or not day.over or not daily_game().mind or (not some and day.best >= 0):
            self.store.due.set(KIND, date, 0)
            return Done()
        self.store.due.set(KIND, date, now + AGAIN_S)
        played = [(attempt, self.store.moves.of(attempt.game_id)) for attempt in some]
        return Done(later=partial(self._asked, day, played))

    def _asked(self, day: Day, played: Sequence[tuple[Attempt, Sequence[Recorded]]]) -> Done:
        """What he says; it is written down then."""
        try:
            made = james_makes(day) if day.best < 0 else day.best
            lost = {attempt.user_id: loss(attempt, moves) for attempt, moves in played}
        except NotReady:
            return Done()
        return Done(then=partial(self._note, day.day, made, lost))

    def _note(self, date: str, made: int, lost: Mapping[int, int], now: int) -> Done:
        self.dailies.days.note_best(date, made)
        for user_id, lost_by_them in lost.items():
            self.dailies.attempts.note_loss(date, user_id, lost_by_them)
        self.store.due.set(KIND, date, now)
        return Done()


def james_makes(day: Day) -> int:
    """What James makes of the dice of a day. Raises `NotReady`."""
    game = daily_game()
    mind, rules, daily = mind_of(game), game.rules, game.daily
    assert daily
    state, part = rules.start(Setup(1)), players_part([0])
    while rules.outcome(state) is None:
        move = best(mind.values(state, 0))
        dice = Stream(day.secret, part, daily.number(state, move))
        state = rules.play(state, 0, move, cast(rules.throw(state, 0, move), dice))
    return game.view.reached(state, 0)


def loss(attempt: Attempt, moves: Sequence[Recorded]) -> int:
    """What the choices of an attempt cost, in thousandths of a point. Raises `NotReady`.

    `NONE` where its moves lead nowhere.
    """
    game = daily_game()
    played = [(seat, move, values(dice)) for seat, move, dice in moves]
    try:
        (sheet,) = analyse(game, game.rules.start(Setup(1)), played)
    except NotReady:
        raise
    except Exception:
        log.exception("an attempt cannot be analysed", game=attempt.game_id)
        return NONE
    return round(1000 * sheet.choices)
