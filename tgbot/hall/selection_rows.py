"""The rows of what does not count yet: what seats have picked, and votes to stop."""

from __future__ import annotations

from peewee import Database, Query, fn

from economy.statements import statement
from tgbot.hall.table import Table
from tgbot.models import OPEN, GameRow, SelectionRow, VoteRow


class SelectionRows:
    """Reads and writes selections and votes, inside the caller's transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def picked(self, game_id: str, seat: int, rev: int) -> str:
        """What a seat has picked in this phase."""
        return _picked.one(self.db, game_id=game_id, seat=seat, rev=rev) or ""

    def ahead(self, game_id: str, seat: int, rev: int) -> None:
        """Asks for what `picked` will answer (see `Statement.ahead`)."""
        _picked.ahead(self.db, game_id=game_id, seat=seat, rev=rev)

    def of(self, table: Table) -> dict[int, str]:
        """What the seats of a game have picked in their running phases."""
        return {
            seat: selection
            for seat, rev, selection in _of.all(self.db, game_id=table.id)
            if selection and rev == table.phase(seat).rev
        }

    def pick(self, game_id: str, seat: int, rev: int, selection: str) -> None:
        """Notes what a seat has picked."""
        _pick.later(self.db, game_id=game_id, seat=seat, rev=rev, selection=selection)

    def unpick(self, game_id: str, seat: int) -> None:
        """Empties what a seat has picked."""
        _unpick.later(self.db, game_id=game_id, seat=seat)

    def vote(self, game_id: str, sitting: int) -> None:
        """Notes that the joining `sitting` agrees to stop."""
        _vote.later(self.db, game_id=game_id, sitting=sitting)

    def votes(self, game_id: str) -> set[int]:
        """The joinings that agree to stop."""
        return set(_votes.all(self.db, game_id=game_id))

    def forget(self, game_id: str) -> None:
        """Drops what was picked and agreed to in a lobby or game that is over."""
        _forget.later(self.db, game_id=game_id)
        _forget_votes.later(self.db, game_id=game_id)

    def forget_what_is_over(self) -> None:
        """Drops what was picked and agreed to in games that take no moves any more."""
        for model in (SelectionRow, VoteRow):
            open_still = GameRow.select(GameRow.id).where(GameRow.id == model.game_id, OPEN)
            model.delete().where(~fn.EXISTS(open_still)).execute(self.db)


# -- statements ---------------------------------------------------------------------------------


@statement(row=str)
def _picked(*, game_id: str, seat: int, rev: int) -> Query:
    return SelectionRow.select(SelectionRow.selection).where(
        SelectionRow.game_id == game_id, SelectionRow.seat == seat, SelectionRow.rev == rev
    )


@statement
def _of(*, game_id: str) -> Query:
    columns = (SelectionRow.seat, SelectionRow.rev, SelectionRow.selection)
    return SelectionRow.select(*columns).where(SelectionRow.game_id == game_id)


@statement
def _pick(*, game_id: str, seat: int, rev: int, selection: str) -> Query:
    return SelectionRow.insert(
        game_id=game_id, seat=seat, rev=rev, selection=selection
    ).on_conflict(
        conflict_target=[SelectionRow.game_id, SelectionRow.seat],
        preserve=[SelectionRow.rev, SelectionRow.selection],
    )


@statement
def _unpick(*, game_id: str, seat: int) -> Query:
    return SelectionRow.delete().where(SelectionRow.game_id == game_id, SelectionRow.seat == seat)


@statement
def _vote(*, game_id: str, sitting: int) -> Query:
    once = VoteRow.insert(game_id=game_id, sitting=sitting)
    return once.on_conflict("NOTHING", conflict_target=[VoteRow.game_id, VoteRow.sitting])


@statement(row=int)
def _votes(*, game_id: str) -> Query:
    return VoteRow.select(VoteRow.sitting).where(VoteRow.game_id == game_id)


@statement
def _forget(*, game_id: str) -> Query:
    return SelectionRow.delete().where(SelectionRow.game_id == game_id)


@statement
def _forget_votes(*, game_id: str) -> Query:
    return VoteRow.delete().where(VoteRow.game_id == game_id)
