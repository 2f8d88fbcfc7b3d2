"""What everybody made of the days of the daily, and where that puts them."""

from __future__ import annotations

from dataclasses import dataclass

from peewee import Database, Query, fn

from economy.statements import statement
from tgbot.hall.daily.days import later
from tgbot.hall.table import Table
from tgbot.models import AttemptRow, GameRow, PeerRow, SeatRow

OPEN, COUNTED, NOTHING = 0, 1, 2
"""An attempt that runs, one that counts, and one in which nothing was scored."""
UNKNOWN, NONE = -1, -2
"""The loss of an attempt James was not asked about yet, and of one he cannot be asked about."""
MOST_GROUPS, LATELY = 20, 300
"""So many groups of somebody are known, from so many games they played last."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody's attempt at a day; see `models.AttemptRow` for the columns."""

    day: str
    user_id: int
    game_id: str
    done: int
    total: int
    levels: str
    streak: int
    loss: int
    bell: int


@dataclass(frozen=True, slots=True)
class Place:
    """A place among so many, from 1; equal ones share it."""

    place: int
    of: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a ranking: whose, and how many points or how great a loss."""

    user_id: int
    value: int


class Attempts:
    """The tables of attempts and of groups. Every method runs inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def find(self, day: str, user_id: int) -> Attempt | None:
        """Somebody's attempt at a day."""
        return _attempt.one(self.db, day=day, user_id=user_id)

    def begin(self, day: str, user_id: int, game_id: str) -> None:
        """Notes the one attempt a person has."""
        _begin.run(self.db, day=day, user_id=user_id, game_id=game_id)

    def ended(self, table: Table) -> None:
        """Writes down what a game has come to that was somebody's attempt, however it ended."""
        before = self.find(later(table.daily, -1), table.opener)
        levels, total, full = "", 0, False
        daily = table.game.daily
        if table.state is not None and daily:
            levels = "".join(map(str, daily.levels(table.state)))
            total = table.game.view.reached(table.state, 0)
            outcome = table.game.rules.outcome(table.state)
            full = bool(outcome and outcome.places)
        _end.run(
            self.db,
            day=table.daily,
            user_id=table.opener,
            done=COUNTED if levels else NOTHING,
            total=total,
            levels=levels,
            streak=1 + (before.streak if before else 0) if levels else 0,
            loss=UNKNOWN if full else NONE,
        )

    def void(self, day: str) -> None:
        """The day was sealed anew: what was made of it counts no more."""
        AttemptRow.delete().where(AttemptRow.day == day).execute(self.db)

    def unfinished(self, day: str, most: int) -> list[str]:
        """Games that still run."""
        return _unfinished.all(self.db, day=day, most=most)

    # -- places -------------------------------------------------------------------------------

    def place(self, mine: Attempt) -> Place:
        """Where a total puts somebody in the world."""
        ahead = _ahead.one(self.db, day=mine.day, total=mine.total) or 0
        return Place(1 + ahead, _number.one(self.db, day=mine.day) or 0)

    def place_in(self, mine: Attempt, chat_id: int) -> Place:
        """Where a total puts somebody among the people of a group."""
        ahead = _ahead_in.one(self.db, day=mine.day, chat_id=chat_id, total=mine.total) or 0
        return Place(1 + ahead, self.number_in(mine.day, chat_id))

    def number_in(self, day: str, chat_id: int) -> int:
        """How many people of a group have an attempt that counts."""
        return _number_in.one(self.db, day=day, chat_id=chat_id) or 0

    def place_by_loss(self, mine: Attempt) -> Place | None:
        """Where somebody stands by how little their choices cost; None without a loss."""
        if mine.loss < 0:
            return None
        ahead = _ahead_by_loss.one(self.db, day=mine.day, loss=mine.loss) or 0
        return Place(1 + ahead, _number_by_loss.one(self.db, day=mine.day) or 0)

    def top(self, day: str, most: int, chat_id: int = 0) -> list[Line]:
        """The highest totals of a day, in the world or a group."""
        if chat_id:
            return _top_in.all(self.db, day=day, chat_id=chat_id, most=most)
        return _top.all(self.db, day=day, most=most)

    def top_by_loss(self, day: str, most: int, chat_id: int = 0) -> list[Line]:
        """The smallest losses of a day, in the world or a group."""
        if chat_id:
            return _top_by_loss_in.all(self.db, day=day, chat_id=chat_id, most=most)
        return _top_by_loss.all(self.db, day=day, most=most)

    # -- groups -------------------------------------------------------------------------------

    def seen(self, user_id: int, chat_id: int) -> None:
        """Notes that somebody is in a group."""
        _note.run(self.db, chat_id=chat_id, user_id=user_id, gone=0)

    def left(self, user_id: int, chat_id: int) -> None:
        """Notes that somebody is in a group no more, till they come back or are seen there."""
        _note.run(self.db, chat_id=chat_id, user_id=user_id, gone=1)

    def came_back(self, user_id: int, chat_id: int) -> None:
        """Forgets that somebody left a group; what they play there says that they are in it."""
        theirs = (PeerRow.chat_id == chat_id, PeerRow.user_id == user_id)
        PeerRow.delete().where(*theirs, PeerRow.gone == 1).execute(self.db)

    def remember_groups(self, user_id: int) -> None:
        """Notes the groups in which somebody played lately, but for those they have left."""
        for chat_id in dict.fromkeys(_played_in.all(self.db, user_id=user_id, lately=LATELY)):
            _remember.run(self.db, chat_id=chat_id, user_id=user_id)

    def groups(self, user_id: int) -> list[int]:
        """Groups somebody was seen in."""
        return _groups.all(self.db, user_id=user_id, most=MOST_GROUPS)

    def moved(self, old: int, new: int) -> None:
        """Who was seen in a chat was seen in another one, which is the same by now."""
        there = PeerRow.select(PeerRow.user_id).where(PeerRow.chat_id == new)
        PeerRow.delete().where(PeerRow.chat_id == old, PeerRow.user_id.in_(there)).execute(self.db)
        PeerRow.update(chat_id=new).where(PeerRow.chat_id == old).execute(self.db)

    # -- the morning after --------------------------------------------------------------------

    def ring(self, day: str, user_id: int, on: bool) -> None:
        """Notes whether somebody wants to be told how a day ended."""
        _ring.run(self.db, day=day, user_id=user_id, bell=int(on))

    def listening(self, day: str, most: int) -> list[Attempt]:
        """Some of those who want to be told and were not."""
        return _listening.all(self.db, day=day, most=most)

    def unreckoned(self, day: str, most: int) -> list[Attempt]:
        """Attempts James was not asked about yet."""
        return _unreckoned.all(self.db, day=day, most=most)

    def note_loss(self, day: str, user_id: int, loss: int) -> None:
        """Writes down what somebody's choices cost."""
        _note_loss.run(self.db, day=day, user_id=user_id, loss=loss)

    def forget(self, user_id: int) -> None:
        """In which groups somebody was seen, and what they want to be told, is known no more."""
        PeerRow.delete().where(PeerRow.user_id == user_id).execute(self.db)
        AttemptRow.update(bell=0).where(AttemptRow.user_id == user_id).execute(self.db)


_ATTEMPT = (
    AttemptRow.day,
    AttemptRow.user_id,
    AttemptRow.game_id,
    AttemptRow.done,
    AttemptRow.total,
    AttemptRow.levels,
    AttemptRow.streak,
    AttemptRow.loss,
    AttemptRow.bell,
)


@statement(row=Attempt)
def _attempt(*, day: str, user_id: int) -> Query:
    which = (AttemptRow.day == day, AttemptRow.user_id == user_id)
    return AttemptRow.select(*_ATTEMPT).where(*which)


@statement
def _begin(*, day: str, user_id: int, game_id: str) -> Query:
    return AttemptRow.insert(day=day, user_id=user_id, game_id=game_id)


@statement
def _end(
    *, day: str, user_id: int, done: int, total: int, levels: str, streak: int, loss: int
) -> Query:
    return AttemptRow.update(done=done, total=total, levels=levels, streak=streak, loss=loss).where(
        AttemptRow.day == day, AttemptRow.user_id == user_id, AttemptRow.done == OPEN
    )


@statement(row=str)
def _unfinished(*, day: str, most: int) -> Query:
    which = (AttemptRow.day == day, AttemptRow.done == OPEN)
    return AttemptRow.select(AttemptRow.game_id).where(*which).limit(most)


_COUNTED = AttemptRow.done == COUNTED


@statement(row=int)
def _ahead(*, day: str, total: int) -> Query:
    better = (AttemptRow.day == day, _COUNTED, AttemptRow.total > total)
    return AttemptRow.select(fn.COUNT(AttemptRow.total)).where(*better)


@statement(row=int)
def _number(*, day: str) -> Query:
    return AttemptRow.select(fn.COUNT(AttemptRow.total)).where(AttemptRow.day == day, _COUNTED)


def _of_group(chat_id: int, day: str, *columns: object) -> Query:
    # Plus nothing: a group has fewer people than a day, so it is gone through by the group.
    theirs = (AttemptRow.user_id == PeerRow.user_id + 0) & (AttemptRow.day == day)
    found = PeerRow.select(*columns).join(AttemptRow, on=theirs)
    return found.where(PeerRow.chat_id == chat_id, PeerRow.gone == 0, _COUNTED)


@statement(row=int)
def _ahead_in(*, day: str, chat_id: int, total: int) -> Query:
    return _of_group(chat_id, day, fn.COUNT(AttemptRow.total)).where(AttemptRow.total + 0 > total)


@statement(row=int)
def _number_in(*, day: str, chat_id: int) -> Query:
    return _of_group(chat_id, day, fn.COUNT(AttemptRow.total))


@statement(row=int)
def _ahead_by_loss(*, day: str, loss: int) -> Query:
    better = (AttemptRow.day == day, AttemptRow.loss >= 0, AttemptRow.loss < loss)
    return AttemptRow.select(fn.COUNT(AttemptRow.loss)).where(*better)


@statement(row=int)
def _number_by_loss(*, day: str) -> Query:
    which = (AttemptRow.day == day, AttemptRow.loss >= 0)
    return AttemptRow.select(fn.COUNT(AttemptRow.loss)).where(*which)


@statement(row=Line)
def _top(*, day: str, most: int) -> Query:
    found = AttemptRow.select(AttemptRow.user_id, AttemptRow.total)
    order = (AttemptRow.total.desc(), AttemptRow.user_id)
    return found.where(AttemptRow.day == day, _COUNTED).order_by(*order).limit(most)


@statement(row=Line)
def _top_in(*, day: str, chat_id: int, most: int) -> Query:
    order = (AttemptRow.total.desc(), AttemptRow.user_id)
    found = _of_group(chat_id, day, AttemptRow.user_id, AttemptRow.total)
    return found.order_by(*order).limit(most)


@statement(row=Line)
def _top_by_loss(*, day: str, most: int) -> Query:
    found = AttemptRow.select(AttemptRow.user_id, AttemptRow.loss)
    which = (AttemptRow.day == day, AttemptRow.loss >= 0)
    return found.where(*which).order_by(AttemptRow.loss, AttemptRow.user_id).limit(most)


@statement(row=Line)
def _top_by_loss_in(*, day: str, chat_id: int, most: int) -> Query:
    found = _of_group(chat_id, day, AttemptRow.user_id, AttemptRow.loss)
    order = (AttemptRow.loss, AttemptRow.user_id)
    return found.where(AttemptRow.loss + 0 >= 0).order_by(*order).limit(most)


_PEER = (PeerRow.chat_id, PeerRow.user_id)


@statement
def _note(*, chat_id: int, user_id: int, gone: int) -> Query:
    new = PeerRow.insert(chat_id=chat_id, user_id=user_id, gone=gone)
    return new.on_conflict(conflict_target=_PEER, preserve=(PeerRow.gone,))


@statement
def _remember(*, chat_id: int, user_id: int) -> Query:
    new = PeerRow.insert(chat_id=chat_id, user_id=user_id, gone=0)
    return new.on_conflict("NOTHING", conflict_target=_PEER)


@statement(row=int)
def _played_in(*, user_id: int, lately: int) -> Query:
    lately_played = (
        SeatRow.select(GameRow.chat_id)
        .join(GameRow, on=GameRow.id == SeatRow.game_id)
        .where(SeatRow.user_id == user_id, SeatRow.seat >= 0)
        .order_by(SeatRow.ended_at.desc())
        .limit(lately)
        .alias("lately")
    )
    groups = lately_played.select_from(lately_played.c.chat_id)
    return groups.where(lately_played.c.chat_id < 0).distinct()


@statement(row=int)
def _groups(*, user_id: int, most: int) -> Query:
    which = (PeerRow.user_id == user_id, PeerRow.gone == 0)
    return PeerRow.select(PeerRow.chat_id).where(*which).limit(most)


@statement
def _ring(*, day: str, user_id: int, bell: int) -> Query:
    which = (AttemptRow.day == day, AttemptRow.user_id == user_id)
    return AttemptRow.update(bell=bell).where(*which)


@statement(row=Attempt)
def _listening(*, day: str, most: int) -> Query:
    which = (AttemptRow.day == day, AttemptRow.bell == 1)
    return AttemptRow.select(*_ATTEMPT).where(*which).limit(most)


@statement(row=Attempt)
def _unreckoned(*, day: str, most: int) -> Query:
    which = (AttemptRow.day == day, AttemptRow.loss == UNKNOWN, _COUNTED)
    return AttemptRow.select(*_ATTEMPT).where(*which).limit(most)


@statement
def _note_loss(*, day: str, user_id: int, loss: int) -> Query:
    which = (AttemptRow.day == day, AttemptRow.user_id == user_id)
    return AttemptRow.update(loss=loss).where(*which)
