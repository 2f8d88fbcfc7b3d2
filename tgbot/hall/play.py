"""The moves of people: a button pressed, a command or a sentence typed.

Every public method is one use case, as in `lobby.py`.
"""

from __future__ import annotations

from dataclasses import replace

from games.game import HOUSE, Action, Answer, Move, Refusal, Select, text
from tgbot.done import Done
from tgbot.hall.moves import Moves
from tgbot.hall.refusals import player, unless_barred
from tgbot.hall.table import Sitting, Table
from tgbot.hall.tables import Tables
from tgbot.people.people import Person


class Play:
    """Lets people move in games that run."""

    def __init__(self, tables: Tables, moves: Moves) -> None:
        self.store = tables.store
        self.tables = tables
        self.moves = moves
        self.settling = moves.settling

    def ahead(self, game_id: str, user_id: int, rev: int) -> None:
        """Asks for what `press` will want to know of a game, as far as it was seen."""
        self.store.ahead(game_id)
        seen = self.tables.seen.get(game_id)
        if sitting := seen and seen.sitting(user_id):
            self.store.selections.ahead(game_id, sitting.seat, rev)

    def press(
        self, person: Person, table: Table, rev: int, code: str, now: int, *, message_id: int = 0
    ) -> Done:
        """A button of a running game's board, on that message; `table` is got in this use case."""
        unless_barred(person)
        sitting = player(table, person)
        if rev != table.phase(sitting.seat).rev:
            showing = table.showing(sitting.seat)
            coming = showing.behind and showing.message_id == message_id
            raise Refusal("refused.coming" if coming else "refused.stale")
        selection = self.store.selections.picked(table.id, sitting.seat, rev)
        action = table.game.view.press(table.state, sitting.seat, selection, code)
        return self._act(table, sitting, action, now)

    def command(
        self, person: Person, game_id: str, name: str, words: str, sent_at: int, now: int
    ) -> Done:
        """A typed move; one that was sent before the phase began is refused (RULES 0).

        Who does not sit there may ask what the game tells onlookers.
        """
        table = self.tables.get(game_id)
        names = table.names
        if table.status == "running" and table.sitting(person.user_id) is None and table.game.ask:
            answer = table.game.ask(table.state, name, words, names)
            if answer:
                return Done(toast=answer)
        unless_barred(person)
        sitting = player(table, person)
        seat = sitting.seat
        selection = self.store.selections.picked(game_id, seat, table.phase(seat).rev)
        action = table.game.view.command(table.state, seat, selection, name, words, names)
        return self._typed(table, sitting, action, sent_at, now)

    def hear(self, person: Person, game_id: str, sentence: str, sent_at: int, now: int) -> Done:
        """A plain sentence, for games that listen; nothing where it means nothing to this one."""
        table = self.tables.get(game_id)
        sitting = table.sitting(person.user_id)
        hear = table.game.hear
        if hear is None or sitting is None or table.status != "running":
            return Done()
        rev = table.phase(sitting.seat).rev
        selection = self.store.selections.picked(game_id, sitting.seat, rev)
        action = hear(table.state, sitting.seat, selection, sentence)
        if action is None:
            return Done()
        unless_barred(person)
        return self._typed(table, sitting, action, sent_at, now)

    def _typed(
        self, table: Table, sitting: Sitting, action: Action, sent_at: int, now: int
    ) -> Done:
        if isinstance(action, Move) and sent_at < table.showing(sitting.seat).began_at:
            raise Refusal("refused.too_early")
        return self._act(table, sitting, action, now)

    def _act(self, table: Table, sitting: Sitting, action: Action, now: int) -> Done:
        match action:
            case Select(selection=selection, toast=toast, shown=shown, at_once=at_once):
                rev = table.phase(sitting.seat).rev
                self.store.selections.pick(table.id, sitting.seat, rev, selection)
                if shown or at_once:
                    self._show_selection(table, sitting.seat, selection, now)
                if at_once:
                    return Done(toast=toast, games=(table.id,))
                return Done(toast=toast, soon=(table.id,) if shown else ())
            case Answer(text=answer, alert=alert):
                return Done(toast=answer, alert=alert)
            case Move(move=move):
                before = table.state
                table = self.moves.make(table, sitting.seat, move, now)
                if table.status == "void":
                    return Done(toast=text("stop.why_key"), alert=True, games=(table.id,))
                toast = table.game.view.thrown(before, table.state, sitting.seat)
                return Done(toast=toast, games=(table.id,), say=self.settling.news(table))

    def _show_selection(self, table: Table, seat: int, selection: str, now: int) -> None:
        picked = {**table.selections, seat: selection}
        showing = table.showing(seat)
        if showing.seat != HOUSE and showing.shown:
            # In private a press is a sign of life; in a group only a move is.
            due = table.runs_until(seat, now)
            table = table.with_showing(replace(showing, due_at=due))
        self.tables.save(table.changed(selections=picked), (showing.seat,))

    def move(self, game_id: str, seat: int, move: str, now: int) -> Done:
        """A move by its text form, for whoever plays without buttons."""
        self.moves.make(self.tables.get(game_id), seat, move, now)
        return Done(games=(game_id,))
