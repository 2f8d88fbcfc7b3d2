"""Leaving a game, and stopping it for everybody (RULES 0).

Every public method is one use case, as in `lobby.py`.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

from economy.ledger import COINS
from games.game import Refusal, Text, text
from tgbot.config import Settings
from tgbot.done import Done, Row, Say, key
from tgbot.hall.lobby import Lobby
from tgbot.hall.moves import Moves
from tgbot.hall.refusals import AdminsOnly, unless_barred
from tgbot.hall.table import Sitting, Table
from tgbot.hall.tables import Tables
from tgbot.people.amounts import amount
from tgbot.people.people import Person


class Leaving:
    """Takes people out of games, and ends games that they want to end."""

    def __init__(self, tables: Tables, lobby: Lobby, moves: Moves, settings: Settings) -> None:
        self.store = tables.store
        self.tables = tables
        self.lobby = lobby
        self.moves = moves
        self.settling = moves.settling
        self.settings = settings

    def leave(
        self,
        person: Person,
        game_id: str,
        now: int,
        *,
        topic: int = 0,
        reply_to: int = 0,
        chat_id: int = 0,
    ) -> Done:
        """Leaves a lobby with the stake; a running game at once, or where that loses something once
        it is agreed to (RULES 0): the question goes to `chat_id` (0: the game's chat).
        """
        table, sitting = self._sitting(person, game_id)
        if table.status == "lobby":
            return self.lobby.leave(table, sitting, now)
        _unless_daily(table)
        table.game.rules.throw(table.state, sitting.seat, "leave")  # who is through is told so
        won = not table.practice and self.store.moves.has_moved(game_id, sitting.seat)
        if not table.stake and not won:
            return self._left(table, sitting, now)
        chat_id = chat_id or table.chat_id
        language = person.language if chat_id > 0 else table.language
        ask = text("leave.ask_stake", stake=amount(table.stake, COINS)) if table.stake else text(
            "leave.ask"
        )  # fmt: skip
        go = key(text("leave.go"), table.id, f"quit {sitting.row}", style="danger")
        say = Say(
            chat_id, ask, language, ((go,),), topic=topic, reply_to=reply_to, asks_of=table.id
        )
        return Done(toast=text("leave.asked"), say=(say,))

    def quit(self, person: Person, game_id: str, row: int, now: int, *, edit: Say) -> Done:
        """Agreed: the joining `row` ends; `edit` is the question, which is left saying so."""
        table, sitting = self._sitting(person, game_id)
        _unless_daily(table)
        if sitting.row != row:
            raise Refusal("refused.not_yours")
        if table.status == "lobby":
            raise Refusal("refused.stale")
        done = self._left(table, sitting, now)
        return replace(done, say=(replace(edit, text=text("leave.gone", name=person.name)),))

    def put_out(self, person: Person, now: int) -> tuple[str, ...]:
        """Takes somebody out of every lobby with their stake, and out of every running game as if
        they had left; answers the games (RULES 0)."""
        games = self.store.seats.games_of(person.user_id)
        for game_id in games:
            table, sitting = self._sitting(person, game_id)
            if table.status == "lobby":
                self.lobby.leave(table, sitting, now)
                continue
            with contextlib.suppress(Refusal):  # who is through keeps what they have
                table.game.rules.throw(table.state, sitting.seat, "leave")
                self._left(table, sitting, now)
        return games

    def _sitting(self, person: Person, game_id: str) -> tuple[Table, Sitting]:
        """An open game and how somebody sits in it. Raises `Refusal` for who does not."""
        table = self.tables.get(game_id)
        sitting = table.sitting(person.user_id)
        if not table.open:
            raise Refusal("refused.over")
        if sitting is None or sitting.left_at:
            raise Refusal("refused.not_playing")
        return table, sitting

    def _left(self, table: Table, sitting: Sitting, now: int) -> Done:
        self.store.seats.leave(sitting.row, now)
        gone = tuple(replace(s, left_at=now) if s.row == sitting.row else s for s in table.sittings)
        self.moves.make(table.changed(sittings=gone), sitting.seat, "leave", now)
        lost = text("left.stake", stake=amount(table.stake, COINS)) if table.stake else None
        return Done(toast=lost or text("left.free"), games=(table.id,))

    # -- stopping -----------------------------------------------------------------------------

    def stop(
        self,
        person: Person,
        game_id: str,
        now: int,
        *,
        admin: bool | None = None,
        edit: int = 0,
    ) -> Done:
        """Stops a game: see RULES 0 for who may. `edit` is the message that shows the votes."""
        unless_barred(person)
        table = self.tables.get(game_id)
        if not table.open:
            raise Refusal("refused.over")
        _unless_daily(table)
        if not table.pot or person.user_id in self.settings.operators:
            if person.user_id not in (table.opener, *self.settings.operators) and not admin:
                if admin is None:
                    raise AdminsOnly
                raise Refusal("refused.not_opener")
            return self._stopped(table, now)
        voters = self._voters(table)
        sitting = table.sitting(person.user_id)
        if sitting is None or sitting.row not in voters:
            raise Refusal("refused.not_in")
        before = self.store.selections.votes(table.id)
        self.store.selections.vote(table.id, sitting.row)
        votes = self.store.selections.votes(table.id) & voters
        if votes == voters:
            done = self._stopped(table, now)
            return replace(done, say=(_votes(table, text("stop.agreed"), edit),)) if edit else done
        if edit and sitting.row in before:
            return Done(toast=text("stop.noted"))
        agree = key(text("stop.agree", n=len(votes), of=len(voters)), table.id, "stop")
        ask = text("stop.ask", votes=len(votes), of=len(voters))
        return Done(toast=text("stop.noted"), say=(_votes(table, ask, edit, (agree,)),))

    def _voters(self, table: Table) -> set[int]:
        if table.status == "lobby":
            return {s.row for s in table.sittings}
        seated = table.game.rules.seated(table.state)
        return {table.sittings[seat].row for seat in seated if seat not in table.guests}

    def _stopped(self, table: Table, now: int) -> Done:
        self.settling.call_off(table, now, "stopped")
        return Done(toast=text("stop.done"), games=(table.id,))


def _votes(table: Table, said: Text, edit: int, *keys: Row) -> Say:
    """The message that shows who agrees to stop, and once all have, that they did."""
    return Say(
        table.chat_id,
        said,
        table.language,
        keys,
        topic=table.topic,
        edit=edit,
        asks_of=table.id,
    )


def _unless_daily(table: Table) -> None:
    """Somebody's only attempt at a day waits for them until it is over (RULES 9)."""
    if table.daily:
        raise Refusal("daily.stays")
