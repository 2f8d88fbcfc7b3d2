"""James at the table (RULES 8): how he sits down, is practised with, and plays.

His seat belongs to nobody. That he plays is a due row of his own, so that it survives whoever dies;
what he thinks is thought in a thread, of the game as it was written, and played only if it still
stands so. Every move of his is a use case by itself: he cannot know what the next dice show.
"""

from __future__ import annotations

from functools import partial

from games import registry
from games.game import HOUSE, Refusal, text
from games.mind import NotReady, best, mind_of, ready
from tgbot.done import Done
from tgbot.hall.lobby import Lobby
from tgbot.hall.moves import Moves
from tgbot.hall.own_boards import OwnBoards
from tgbot.hall.refusals import unless_barred
from tgbot.hall.table import ALONG, Table
from tgbot.hall.tables import Tables
from tgbot.people.people import Person

AGAIN_S = 10
"""When he is asked again after a move that came to nothing: its worker died, or has no table."""


class James:
    """Seats James, and makes his moves."""

    def __init__(self, tables: Tables, moves: Moves, lobby: Lobby, own_boards: OwnBoards) -> None:
        self.store = tables.store
        self.tables = tables
        self.moves = moves
        self.lobby = lobby
        self.own_boards = own_boards

    # -- sitting down -------------------------------------------------------------------------

    def ask(self, person: Person, game_id: str, now: int) -> Done:
        """Has him sit down in a lobby, or get up again; for its opener, and who sits there alone.

        Raises `Refusal` for anybody else, and for a game he does not play (yet).
        """
        unless_barred(person)
        table = self.lobby.of(game_id)
        alone = [sitting.user_id for sitting in table.people] == [person.user_id]
        if person.user_id != table.opener and not alone:
            raise Refusal("james.not_opener")
        if not table.james:
            _may_play(table.kind)
        table = table.changed(james=0 if table.james else ALONG)
        self.tables.save(table)
        return Done(toast=text("james.sits" if table.james else "james.gone"), games=(game_id,))

    def practise(self, person: Person, kind: str, now: int, topic: int = 0) -> Done:
        """Begins a game of one person and James in private, or shows the one that runs."""
        if there := self.store.running(person.user_id, 0):
            table = self.tables.get(there)
            if table.kind != kind or not table.practice:
                raise Refusal("refused.busy", game=table.game.title())
            return self.own_boards.show(person, there, now, topic)
        _may_play(kind)
        return self.lobby.begin_private(person, kind, now, topic, james=ALONG)

    def practise_here(
        self, person: Person, gone: Table, now: int, *, admin: bool | None = None
    ) -> Done:
        """Begins a practice where a lobby was called off for want of players, or one is over."""
        if gone.status != "off" and not (gone.status == "over" and gone.practice):
            raise Refusal("refused.stale")
        _may_play(gone.kind)
        where = (gone.chat_id, gone.topic)
        done = self.lobby.open(person, *where, gone.kind, now, admin=admin, pressed=True, free=True)
        for game_id in done.games[:1]:  # none where another game runs, to which the toast points
            self.moves.begin(self.tables.get(game_id).changed(james=ALONG), now)
        return done

    # -- playing ------------------------------------------------------------------------------

    def call(self, game_id: str, now: int) -> Done:
        """It is time for his move: he begins to think."""
        table = self.tables.get(game_id)
        due = self.store.due.when("james", game_id)
        if due is None or due > now:
            return Done()  # another worker was faster
        if not table.awaits_james:
            self.store.due.set("james", game_id, 0)
            return Done()
        if table.showing(HOUSE).hidden_at:
            self.store.due.set("james", game_id, now + AGAIN_S)  # it may be called off
            return Done()
        return self._thinking(table, now)

    def _thinking(self, table: Table, now: int) -> Done:
        self.store.due.set("james", table.id, now + AGAIN_S)
        return Done(later=partial(self._think, table), thinks=True)

    def _think(self, table: Table) -> Done:
        """His best move there, to be made if nothing has happened meanwhile. In a thread."""
        try:
            values = mind_of(table.game).values(table.state, table.guests[0])
        except NotReady:
            return Done()
        return Done(then=partial(self._move, table.id, table.n, best(values)))

    def _move(self, game_id: str, n: int, move: str, now: int) -> Done:
        table = self.tables.get(game_id)
        if not table.awaits_james:
            return Done()
        if table.n != n:
            return self._thinking(table, now)
        before, table = table, self.moves.make(table, table.guests[0], move, now)
        if _same_turn(before, table):
            return self._thinking(table, now)
        return Done(games=(game_id,), say=self.moves.settling.news(table))


def _same_turn(before: Table, table: Table) -> bool:
    """Whether his turn goes on after a move: it is shown once, when it is over.

    Where everybody plays by themselves his next turn follows at once; it begins with a throw, which
    is no choice.
    """
    if not table.awaits_james:
        return False
    (seat,) = table.guests
    if table.game.own:
        return len(table.game.rules.legal(table.state, seat)) > 1
    return before.phase(seat).scene == table.phase(seat).scene


def _may_play(kind: str) -> None:
    """Raises `Refusal` for a game without a mind, and while James works it out."""
    game = registry().get(kind)
    if game is None or not game.mind:
        raise Refusal("refused.stale")
    if not ready(game):
        raise Refusal("james.not_ready", game=game.title(), alert=True)
