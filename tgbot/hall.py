"""The use cases of a game: open, join, leave, start, move, expire, stop, settle.

The one place where games meet economy. Every public method is one use case: it runs on the clerk's
thread inside a transaction, raises `Refusal` with nothing written, or answers what is to be shown.
Pictures of games are kept between presses; a new one counts only once its transaction committed.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from economy.ledger import COINS, Account, Ledger, escrow, fund, jackpot, wallet
from games import registry
from games.dice import cast
from games.fairness import Stream, players_part
from games.game import HOUSE, Answer, Draw, Game, Move, Refusal, Select, Setup, Text, text
from tgbot.chats import Chats
from tgbot.config import Settings
from tgbot.people import Person, amount
from tgbot.settle import Settling
from tgbot.show import Done, Say, key
from tgbot.store import Store
from tgbot.table import GRACE_S, Sitting, Table

GAME_CODES = ("join", "start", "leave", "stop", "again", "verify", "rules")
"""Button codes that belong to the hall, whatever the game."""


class AdminsOnly(Exception):
    """The use case needs to know whether the person is an admin of the chat: ask and try again."""


class Hall:
    """All games of one database."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        chats: Chats,
        settling: Settling,
        settings: Settings,
    ) -> None:
        self.store = store
        self.ledger = ledger
        self.chats = chats
        self.settling = settling
        self.settings = settings
        self.secret: Callable[[int], bytes] = secrets.token_bytes
        self.stream: Callable[[bytes, bytes, int], Draw] = Stream
        """Where secrets and dice come from; tests put scripted ones here."""
        self.tables: dict[str, Table] = {}
        """Committed pictures, for anyone to read."""
        self._staged: dict[str, Table] = {}

    # -- pictures -----------------------------------------------------------------------------

    def committed(self) -> None:
        """What was staged has become durable."""
        for game_id, table in self._staged.items():
            if table.open or table.painted < table.board:
                self.tables[game_id] = table
            else:
                self.tables.pop(game_id, None)
        self._staged.clear()

    def rolled_back(self) -> None:
        """What was staged was lost."""
        self._staged.clear()

    def table(self, game_id: str) -> Table:
        """The game as it stands in this transaction. Raises `Refusal` for one that never was."""
        board = self.store.board_number(game_id)
        if board is None:
            raise Refusal("refused.no_game")
        known = self._staged.get(game_id) or self.tables.get(game_id)
        if known is None or known.board != board:
            known = self._with_jackpot(self.store.read(game_id, known))
            self._staged[game_id] = known
        return known

    def _with_jackpot(self, table: Table) -> Table:
        if not table.game.jackpot:
            return table
        held = self.ledger.balances("jackpot", str(table.chat_id))
        return replace(table, jackpot={c: held[c] for c in (COINS, table.kind) if held.get(c)})

    def _save(self, table: Table) -> Table:
        table = replace(table, board=table.board + 1)
        self.store.update_game(table)
        self.store.set_due("game", table.id, table.due_at if table.open else 0)
        self._staged[table.id] = table
        return table

    # -- lobby --------------------------------------------------------------------------------

    def open(
        self,
        person: Person,
        chat_id: int,
        topic: int,
        kind: str,
        now: int,
        *,
        admin: bool | None = None,
        invited: tuple[int, ...] = (),
        pressed: bool = False,
    ) -> Done:
        """Opens a lobby; opening is not joining (RULES 0).

        Who typed is pointed to the game that is there by a message, who `pressed` by a toast alone.
        """
        game = registry().get(kind)
        if game is None:
            raise Refusal("refused.stale")
        chat = self.chats.settings(chat_id)
        if chat.openers == "admins" and not admin:
            if admin is None:
                raise AdminsOnly
            raise Refusal("refused.admins_open")
        if chat.topics and topic not in chat.topics:
            raise Refusal("refused.topic")
        if there := self.store.running(chat_id, topic):
            return self._point_to(self.table(there), pressed=pressed)
        stake = 0 if chat.free_until > now else chat.stake
        options: dict[str, Any] = {"lobby_s": self.settings.lobby_s, "invited": list(invited)}
        table = Table(
            id=base64.b32encode(self.secret(5)).decode().lower(),
            kind=kind,
            version=game.rules.VERSION,
            chat_id=chat_id,
            topic=topic,
            status="lobby",
            stake=stake,
            options=options,
            opener=person.user_id,
            secret=self.secret(32),
            part=b"",
            opened_at=now,
            began_at=now,
            over_at=0,
            shown=0,
            due_at=now + GRACE_S + self.settings.lobby_s,
            board=1,
            painted=0,
            scene=-1,
            message_id=0,
            result={},
            language=self.store.chat_language(chat_id),
            invited=tuple((user, self.store.name(user)) for user in invited),
        )
        table = self._with_jackpot(table)
        self.store.insert_game(table)
        self.store.set_due("game", table.id, table.due_at)
        self._staged[table.id] = table
        return Done(toast=text("lobby.opened"), boards=(table.id,))

    def _point_to(self, table: Table, *, pressed: bool) -> Done:
        there = text("refused.busy", game=table.game.title())
        if pressed:
            return Done(toast=there)
        say = Say(
            table.chat_id, there, table.language, topic=table.topic, reply_to=table.message_id
        )
        return Done(toast=there, say=(say,))

    def join(self, person: Person, game_id: str, token: str, now: int) -> Done:
        """Takes a seat in the lobby; the stake moves into escrow."""
        table = self.table(game_id)
        if table.status != "lobby":
            raise Refusal("refused.started" if table.open else "refused.over")
        if table.sitting(person.user_id):
            raise Refusal("refused.joined")
        if len(table.sittings) >= table.game.seats[1]:
            raise Refusal("refused.full", n=table.game.seats[1])
        self._afford(person, table.stake)
        row = self.store.add_seat(game_id, person.user_id, token, now)
        if table.stake:
            self.ledger.transfer(
                f"hold:{row}", "stake", wallet(person.user_id), escrow(game_id), table.stake, at=now
            )
        sitting = Sitting(row, person.user_id, person.name, -1)
        table = replace(table, sittings=(*table.sittings, sitting))
        if len(table.sittings) == table.game.seats[1]:
            table = self._begin(table, now)
        else:
            table = self._save(self._waiting_longer(table, now))
        return Done(toast=self._joined(table), boards=(game_id,))

    def _afford(self, person: Person, stake: int) -> None:
        held = self.ledger.balance(wallet(person.user_id)) if stake else 0
        if held < stake:
            raise Refusal(
                "refused.poor",
                alert=True,
                stake=amount(stake, COINS),
                held=amount(held, COINS),
                missing=amount(stake - held, COINS),
            )

    def _joined(self, table: Table) -> Text:
        if not table.stake:
            return text("lobby.joined")
        return text("lobby.joined_stake", stake=amount(table.stake, COINS))

    def _waiting_longer(self, table: Table, now: int) -> Table:
        if not table.shown:
            return table
        last = table.opened_at + self.settings.lobby_most_s
        return replace(table, due_at=max(table.due_at, min(now + self.settings.lobby_s, last)))

    def start(self, person: Person, game_id: str, now: int, *, admin: bool | None = None) -> Done:
        """Closes the lobby early: for its opener and for admins."""
        table = self.table(game_id)
        if table.status != "lobby":
            raise Refusal("refused.started" if table.open else "refused.over")
        if person.user_id != table.opener and not admin:
            if admin is None:
                raise AdminsOnly
            raise Refusal("refused.not_opener")
        if len(table.sittings) < table.game.seats[0]:
            raise Refusal("refused.too_few", n=table.game.seats[0])
        self._begin(table, now)
        return Done(toast=text("lobby.started"), boards=(game_id,))

    def _begin(self, table: Table, now: int) -> Table:
        part = players_part(self.store.tokens(table.id))
        self.store.number_seats([sitting.row for sitting in table.sittings])
        seated = tuple(replace(s, seat=seat) for seat, s in enumerate(table.sittings))
        state = table.game.rules.start(Setup(len(seated), table.options))
        table = replace(table, status="running", part=part, sittings=seated, state=state)
        table = self._new_phase(table, now)
        return self._save(self._house_moves(table, now))

    def _call_off(self, table: Table, now: int, status: str = "off", why: str = "") -> Table:
        """Ends a game without a result: every stake returns, also of those out or gone."""
        if table.stake and table.sittings:
            back = {wallet(s.user_id): table.stake for s in table.sittings}
            back[escrow(table.id)] = -table.pot
            self.ledger.book(f"refund:{table.id}", "refund", back, at=now)
        self.store.forget_selections(table.id)
        over = replace(table, status=status, over_at=now, result={"why": why} if why else {})
        return self._save(over)

    # -- moves --------------------------------------------------------------------------------

    def press(self, person: Person, game_id: str, rev: int, code: str, now: int) -> Done:
        """A button of a running game's board."""
        table, sitting = self._at_table(person, self.table(game_id))
        if rev != table.phase.rev:
            raise Refusal("refused.stale")
        selection = self.store.selection(game_id, sitting.seat, rev)
        action = table.game.view.press(table.state, sitting.seat, selection, code)
        return self._act(table, sitting, action, now)

    def command(
        self, person: Person, game_id: str, name: str, words: str, sent_at: int, now: int
    ) -> Done:
        """A typed move; one that was sent before the phase began is refused (RULES 0)."""
        table, sitting = self._at_table(person, self.table(game_id))
        selection = self.store.selection(game_id, sitting.seat, table.phase.rev)
        action = table.game.view.command(table.state, sitting.seat, selection, name, words)
        if isinstance(action, Move) and sent_at < table.began_at:
            raise Refusal("refused.too_early")
        return self._act(table, sitting, action, now)

    def _at_table(self, person: Person, table: Table) -> tuple[Table, Sitting]:
        if table.status == "lobby":
            raise Refusal("refused.not_started")
        if table.status != "running":
            raise Refusal("refused.over")
        sitting = table.sitting(person.user_id)
        if sitting is None:
            raise Refusal("refused.not_playing")
        return table, sitting

    def _act(self, table: Table, sitting: Sitting, action: object, now: int) -> Done:
        match action:
            case Select(selection=selection, toast=toast):
                self.store.select(table.id, sitting.seat, table.phase.rev, selection)
                return Done(toast=toast)
            case Answer(text=answer):
                return Done(toast=answer)
            case Move(move=move):
                before = table.state
                table = self._played(table, sitting.seat, move, now)
                toast = table.game.view.thrown(before, table.state, sitting.seat)
                return Done(toast=toast, boards=(table.id,))
        raise TypeError(f"{action!r} is no action")

    def play(self, game_id: str, seat: int, move: str, now: int) -> Done:
        """A move by its text form, for whoever plays without buttons."""
        self._played(self.table(game_id), seat, move, now)
        return Done(boards=(game_id,))

    def leave(self, person: Person, game_id: str, now: int) -> Done:
        """Leaves a lobby with the stake, or a running game without (RULES 0)."""
        table = self.table(game_id)
        sitting = table.sitting(person.user_id)
        if not table.open:
            raise Refusal("refused.over")
        if sitting is None or sitting.left_at:
            raise Refusal("refused.not_playing")
        if table.status == "lobby":
            return self._leave_lobby(table, sitting, now)
        self.store.leave_seat(sitting.row, now)
        gone = tuple(replace(s, left_at=now) if s.row == sitting.row else s for s in table.sittings)
        self._played(replace(table, sittings=gone), sitting.seat, "leave", now)
        lost = text("left.stake", stake=amount(table.stake, COINS)) if table.stake else None
        return Done(toast=lost or text("left.free"), boards=(game_id,))

    def _leave_lobby(self, table: Table, sitting: Sitting, now: int) -> Done:
        self.store.leave_seat(sitting.row, now)
        if table.stake:
            self.ledger.transfer(
                f"return:{sitting.row}",
                "refund",
                escrow(table.id),
                wallet(sitting.user_id),
                table.stake,
                at=now,
            )
        rest = tuple(s for s in table.sittings if s.row != sitting.row)
        self._save(replace(table, sittings=rest))
        return Done(toast=text("left.lobby"), boards=(table.id,))

    # -- time ---------------------------------------------------------------------------------

    def expire(self, game_id: str, now: int) -> Done:
        """What happens when a lobby's or phase's time is over; nothing if it is not."""
        table = self.table(game_id)
        if not table.open or not 0 < table.due_at <= now:
            if not table.open:
                self.store.set_due("game", game_id, 0)
            return Done()
        if table.status == "lobby":
            if len(table.sittings) < table.game.seats[0]:
                self._call_off(table, now)
            else:
                self._begin(table, now)
            return Done(boards=(game_id,))
        rev, rules = table.phase.rev, table.game.rules
        while table.open and table.phase.rev == rev:
            forced = rules.expire(table.state)
            if forced is None:
                raise RuntimeError(f"{table.kind} has no move for a phase that is over")
            table = self._played(table, *forced, now)
        return Done(boards=(game_id,))

    def shown(
        self, game_id: str, board: int, scene: int, message_id: int, rev: int, ends: int
    ) -> None:
        """The painter delivered board number `board`: from now on the phase's time runs."""
        table = self.table(game_id)
        began = table.open and not table.shown and table.phase.rev == rev
        table = replace(
            table,
            painted=max(board, table.painted),
            scene=scene,
            message_id=message_id,
            shown=1 if began else table.shown,
            due_at=ends if began else table.due_at,
        )
        self.store.update_message(table)
        if began:
            self.store.set_due("game", game_id, table.due_at)
        self._staged[game_id] = table

    def given_up(self, game_id: str) -> None:
        """The board cannot be shown any more; nobody tries again."""
        table = self.table(game_id)
        table = replace(table, painted=table.board)
        self.store.update_message(table)
        self._staged[game_id] = table

    def resume(self, now: int) -> Done:
        """After a start: running phases get their full time again, broken games give back."""
        boards = []
        for game_id in self.store.open_games():
            try:
                table = self.table(game_id)
                table.phase.actors  # noqa: B018 - a fold that fails shows here
                sound = table.version == table.game.rules.VERSION
            except Exception:
                sound = False
            if sound:
                due = now + GRACE_S + table.phase.time_s
                self._save(replace(table, shown=0, due_at=due))
            else:
                self.void(game_id, "rules", now)
            boards.append(game_id)
        late = [game_id for game_id in self.store.unpainted() if game_id not in boards]
        for game_id in late:
            self.table(game_id)
        return Done(boards=(*boards, *late))

    def void(self, game_id: str, why: str, now: int) -> Done:
        """Ends a game that cannot go on; every stake returns (RULES 5)."""
        bare = self.store.read_bare(game_id)
        if not bare.open:
            raise Refusal("refused.over")
        self._call_off(bare, now, "void", why)
        return Done(boards=(game_id,))

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
        table = self.table(game_id)
        if not table.open:
            raise Refusal("refused.over")
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
        self.store.vote(table.id, sitting.row)
        votes = self.store.votes(table.id) & voters
        if votes == voters:
            return self._stopped(table, now)
        agree = key(text("stop.agree", n=len(votes), of=len(voters)), table.id, "stop")
        ask = text("stop.ask", votes=len(votes), of=len(voters))
        say = Say(table.chat_id, ask, table.language, ((agree,),), topic=table.topic, edit=edit)
        return Done(toast=text("stop.noted"), say=(say,))

    def _voters(self, table: Table) -> set[int]:
        if table.status == "lobby":
            return {s.row for s in table.sittings}
        seated = table.game.rules.seated(table.state)
        return {table.sittings[seat].row for seat in seated}

    def _stopped(self, table: Table, now: int) -> Done:
        self._call_off(table, now, "stopped")
        return Done(toast=text("stop.done"), boards=(table.id,))

    # -- chats --------------------------------------------------------------------------------

    def chat_gone(self, chat_id: int, now: int) -> Done:
        """The bot was removed: games end with every stake returned (RULES 5)."""
        staked = False
        boards = self.store.open_games(chat_id)
        for game_id in boards:
            table = self.store.read_bare(game_id)
            staked = staked or (table.status == "running" and table.stake > 0)
            self.given_up(self._call_off(table, now, "void", "gone").id)
        self.chats.gone(chat_id, now, staked=staked)
        return Done()

    def person_gone(self, user_id: int) -> None:
        """Somebody blocked the bot: no end of anything, only nothing to write to (RULES 5)."""
        self.store.sql("UPDATE people SET reachable = 0 WHERE user_id = ?", (user_id,))

    def migrate(self, old: int, new: int, now: int) -> Done:
        """A group became a supergroup: settings, jackpot, games and due rows follow."""
        if not self.chats.moved(old, new):
            return Done()
        self.ledger.rename("jackpot", str(old), str(new), key=f"moved:{old}:{new}", at=now)
        self.store.sql("UPDATE games SET chat_id = ? WHERE chat_id = ?", (new, old))
        self.store.sql("UPDATE bests SET place = ? WHERE place = ?", (str(new), str(old)))
        boards = []
        for game_id in self.store.open_games(new):
            self.tables.pop(game_id, None)
            self._staged.pop(game_id, None)
            table = replace(self.table(game_id), message_id=0, scene=-1)
            self.store.update_message(table)
            self._save(table)
            boards.append(game_id)
        return Done(boards=tuple(boards))

    def idle_jackpot(self, chat_id: int, now: int) -> Done:
        """A chat gone or idle for long: its jackpot goes to the Robin Hood fund (RULES 1.6)."""
        idle_s = self.settings.jackpot_idle_days * 24 * 3600
        last = self.chats.last_game_at(chat_id)
        if last + idle_s > now:
            self.store.set_due("jackpot", str(chat_id), last + idle_s)
            return Done()
        held = self.ledger.balances("jackpot", str(chat_id))
        postings: dict[Account, int] = {}
        for currency, coins in held.items():
            postings[jackpot(chat_id, currency)] = -coins
            postings[fund(currency)] = coins
        if postings:
            self.ledger.book(f"idle:{chat_id}:{last}", "idle_jackpot", postings, at=now)
        self.store.set_due("jackpot", str(chat_id), 0)
        return Done()

    # -- inside -------------------------------------------------------------------------------

    def _played(self, table: Table, seat: int, move: str, now: int) -> Table:
        """The table after a move, the house's moves that follow, and the settlement."""
        rev = table.phase.rev
        table = self._house_moves(self._move(table, seat, move, now), now)
        self.store.sql("DELETE FROM selections WHERE game_id = ? AND seat = ?", (table.id, seat))
        outcome = table.game.rules.outcome(table.state)
        if outcome:
            table = self.settling.settle(table, outcome, now)
        elif table.phase.rev != rev:
            table = self._new_phase(table, now)
        return self._save(table)

    def _house_moves(self, table: Table, now: int) -> Table:
        while (move := table.game.rules.house(table.state)) is not None:
            table = self._move(table, HOUSE, move, now)
        return table

    def _move(self, table: Table, seat: int, move: str, now: int) -> Table:
        game: Game[Any] = table.game
        throw = game.rules.throw(table.state, seat, move)
        dice = cast(throw, self.stream(table.secret, table.part, table.n))
        state = game.rules.play(table.state, seat, move, dice)
        self.store.add_move(table.id, table.n, seat, move, dice, now)
        return replace(table, state=state, n=table.n + 1)

    def _new_phase(self, table: Table, now: int) -> Table:
        due = now + GRACE_S + table.phase.time_s
        return replace(table, began_at=now, shown=0, due_at=due)
