"""The boards people have to themselves, in their private chats.

Every public method is one use case, or a question, as in `lobby.py`.
"""

from __future__ import annotations

from dataclasses import replace

from games.game import HOUSE, Refusal
from tgbot.done import Done
from tgbot.hall.refusals import player
from tgbot.hall.tables import Tables
from tgbot.people.people import Person


class OwnBoards:
    """Shows people their own boards again, and finds the game they mean there."""

    def __init__(self, tables: Tables) -> None:
        self.store = tables.store
        self.tables = tables

    def show(self, person: Person, game_id: str, now: int, topic: int = 0) -> Done:
        """Shows somebody their own board in a new message, as who comes by a deep link expects."""
        table = self.tables.get(game_id)
        sitting = player(table, person)
        showing = table.showing(sitting.seat)
        if showing.seat == HOUSE and not table.solo:
            raise Refusal("refused.stale")
        again = replace(showing, scene=-1, topic=topic)
        self.tables.save(table.with_showing(again), (showing.seat,))
        return Done(games=(game_id,))

    def speak(self, person: Person) -> tuple[str, ...]:
        """Has somebody's own boards speak the language they have chosen; answers their games."""
        games = self.store.boards.private_games(person.user_id)
        for game_id, seat, _ in games:
            table = self.tables.get(game_id)
            bare = self.store.read_bare(game_id)
            spoken = table.changed(sittings=bare.sittings, language=bare.language)
            self.tables.save(spoken, (seat,))
        return tuple(game_id for game_id, _, _ in games)

    def private_game(self, user_id: int, reply_to: int) -> str | None:
        """The game a typed move in private means: that of the board replied to, else the newest.

        Games in which they are through count only where there is no other.
        """
        found = self.store.boards.private_games(user_id)
        for game_id, _, message_id in found:
            if reply_to and message_id == reply_to:
                return game_id
        for game_id, seat, _ in found:
            if self.tables.get(game_id).phase(seat).actors:
                return game_id
        return found[0][0] if found else None
