"""The use cases of a game: open, join, leave, start, move, expire, stop.

The one place, with `settle.py`, where games meet economy. Every public method is one use case: it
runs on the clerk's thread inside a transaction, raises `Refusal` with nothing written, or answers
what is to be shown.
"""

from __future__ import annotations

import base64
import contextlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from economy.database import undoable
from economy.ledger import COINS, Ledger, escrow, wallet
from games import registry
from games.dice import cast
from games.fairness import CHARMS, Stream, players_part
from games.game import HOUSE, Action, Answer, Draw, Game, Move, Refusal, Select, Setup, Text, text
from tgbot.config import Settings, WrongSetting
from tgbot.done import Done, Say, key
from tgbot.facts import draining
from tgbot.hall.cache import Tables, due_board, new_phase
from tgbot.hall.rows import Store
from tgbot.hall.sealing import Sealing
from tgbot.hall.settle import Settling
from tgbot.hall.table import EMPTY, GRACE_S, Showing, Sitting, Table
from tgbot.people.amounts import amount
from tgbot.people.chats import Chats
from tgbot.people.names import shown_name
from tgbot.people.notices import Notices
from tgbot.people.people import Person

MORE_S = 60
"""What one press adds to a lobby's time."""
MOST_JOININGS = 5
"""How often one person may take a seat in the same lobby."""


class AdminsOnly(Exception):
    """The use case needs to know whether the person is an admin of the chat: ask and try again."""


class _Unseen(Exception):
    """A game that cannot be shown would end by time alone."""


class Poor(Refusal):
    """Somebody cannot pay the stake; `open` says so without telling what they have."""

    def __init__(self, stake: int, held: int, kind: str) -> None:
        coins = {"stake": amount(stake, COINS), "held": amount(held, COINS)}
        super().__init__("refused.poor", alert=True, **coins, missing=amount(stake - held, COINS))
        self.open = text("refused.poor_open", stake=coins["stake"])
        self.kind = kind
        """The game that could be played for free."""


class Hall:
    """All games of one database."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        chats: Chats,
        tables: Tables,
        settling: Settling,
        sealing: Sealing,
        settings: Settings,
    ) -> None:
        self.store = store
        self.ledger = ledger
        self.chats = chats
        self.tables = tables
        self.settling = settling
        self.sealing = sealing
        self.settings = settings
        self.token_bytes: Callable[[int], bytes] = secrets.token_bytes
        self.stream: Callable[[bytes, bytes, int], Draw] = Stream
        """Where ids, nonces and dice come from; tests put scripted ones here."""

    # -- opening ------------------------------------------------------------------------------

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
        free: bool = False,
    ) -> Done:
        """Opens a lobby, of a `free` game whatever the chat's stake is.

        Opening a free game is joining it, and so is asking those who are `invited` to another one;
        for any other stake joining is asked (RULES 0).

        Who typed is pointed to the game that is there by a message, who `pressed` by a toast alone.
        """
        if kind not in registry():
            raise Refusal("refused.stale")
        chat_id = self.chats.here(chat_id)
        chat = self.chats.settings(chat_id)
        if chat.openers == "admins" and not admin:
            if admin is None:
                raise AdminsOnly
            raise Refusal("refused.admins_open")
        if chat.topics and topic not in chat.topics:
            raise Refusal("refused.topic")
        if not chat.allows(kind):
            raise Refusal("refused.game_here", game=registry()[kind].title())
        if there := self.store.running(chat_id, topic):
            return self._point_to(self.tables.get(there), pressed=pressed)
        self._may_begin(person)
        table = self._new(person, chat_id, topic, kind, now, invited)
        due = now + GRACE_S + self.settings.lobby_wait_s
        shared = Showing(HOUSE, chat_id, topic, began_at=now, due_at=due)
        stake = 0 if free or chat.free_until > now else chat.stake
        if chat.pace:
            table = replace(table, options={**table.options, "pace": chat.pace})
        self.tables.insert(replace(table, stake=stake, showings=(shared,)))
        if stake and not invited:
            return Done(toast=text("lobby.opened"), games=(table.id,))
        joined = self.join(person, table.id, now)
        return joined if stake else replace(joined, toast=text("lobby.opened_in"))

    def open_solo(self, person: Person, kind: str, now: int, topic: int = 0) -> Done:
        """Begins a game that somebody plays alone in private, or shows the one they are in.

        Its board stands in the thread `topic`.
        """
        if there := self.store.running(person.user_id, 0):
            table = self.tables.get(there)
            if table.kind != kind:
                raise Refusal("refused.busy", game=table.game.title())
            return self.show_own(person, there, now, topic)
        self._may_begin(person)
        table = self._new(person, person.user_id, 0, kind, now, ())
        options = {**table.options, "language": person.language}
        table = replace(table, language=person.language, options=options)
        table = self.tables.insert(table)
        row = self.store.add_seat(table.id, person.user_id, now)
        sittings = (Sitting(row, person.user_id, person.name, -1, username=person.username),)
        self._begin(replace(table, sittings=sittings), now, topic)
        return Done(games=(table.id,))

    def _may_begin(self, person: Person) -> None:
        _unless_barred(person)
        if draining(self.store.db):
            raise Refusal("refused.draining")

    def _new(
        self,
        person: Person,
        chat_id: int,
        topic: int,
        kind: str,
        now: int,
        invited: tuple[int, ...],
    ) -> Table:
        options: dict[str, Any] = {
            "lobby_s": self.settings.lobby_s,
            "wait_s": self.settings.lobby_wait_s,
            "pace": self.settings.pace,
        }
        if registry()[kind].jackpot:
            options["jackpot_stakes"] = self.settings.jackpot_stakes
            options["jackpot_players"] = self.settings.jackpot_players
        if invited:
            options["invited"] = list(invited)
        game_id = base64.b32encode(self.token_bytes(5)).decode().lower()
        version, nonce = registry()[kind].rules.VERSION, self.token_bytes(32)
        table = Table(
            id=game_id,
            kind=kind,
            version=version,
            chat_id=chat_id,
            topic=topic,
            status="lobby",
            stake=0,
            robin=0,
            options=options,
            opener=person.user_id,
            secret=b"",
            nonce=nonce,
            seal=self.sealing.seal(game_id, kind, version, nonce),
            part=b"",
            opened_at=now,
            over_at=0,
            stamp=1,
            result={},
            language=self.chats.language(chat_id),
            invited=tuple((user, shown_name(self.store.db, user)) for user in invited),
        )
        return self.tables.with_jackpot(table)

    def _point_to(self, table: Table, *, pressed: bool) -> Done:
        there = text("refused.busy", game=table.game.title())
        if pressed:
            return Done(toast=there)
        board = table.showings[0]
        say = Say(
            table.chat_id, there, table.language, topic=table.topic, reply_to=board.message_id
        )
        return Done(toast=there, say=(say,))

    # -- joining and leaving ------------------------------------------------------------------

    def join(self, person: Person, game_id: str, now: int, *, charm: int = 0) -> Done:
        """Takes a seat; the stake moves into escrow. In some games also while they run."""
        _unless_barred(person)
        table = self.tables.get(game_id)
        late = table.status == "running" and table.game.rules.admits(table.state)
        if table.status != "lobby" and not late:
            raise Refusal("refused.started" if table.open else "refused.over")
        start = f"play_{game_id}" if table.game.own else ""
        if sitting := table.sitting(person.user_id):
            if start:
                return Done(toast=text("refused.joined"), start=start)
            raise Refusal("refused.left" if sitting.left_at else "refused.joined")
        if len(table.sittings) >= table.game.seats[1]:
            raise Refusal("refused.full", n=table.game.seats[1])
        before = self.store.joinings(game_id, person.user_id)
        if before >= MOST_JOININGS:
            raise Refusal("refused.often", n=MOST_JOININGS)
        self._afford(person, table)
        row = self.store.add_seat(game_id, person.user_id, now, charm=charm, late=int(late))
        if table.stake:
            self.ledger.transfer(
                f"hold:{row}", "stake", wallet(person.user_id), escrow(game_id), table.stake, at=now
            )
        seat = len(table.sittings) if late else -1
        sitting = Sitting(
            row,
            person.user_id,
            person.name,
            seat,
            charm=charm,
            late=int(late),
            username=person.username,
        )
        table = replace(table, sittings=(*table.sittings, sitting))
        if late:
            self.store.number_seat(row, seat)
            self._played(table, seat, "join", now)
        elif len(table.sittings) == table.game.seats[1] or self._all_came(table):
            self._begin(table, now)
        else:
            self.tables.save(self._soon(table, now, new=not before))
        return Done(toast=self._joined(table), games=(game_id,), start=start)

    def _afford(self, person: Person, table: Table) -> None:
        stake = table.stake
        held = self.ledger.balance(wallet(person.user_id)) if stake else 0
        if held < stake:
            raise Poor(stake, held, table.kind)

    def _joined(self, table: Table) -> Text:
        if not table.stake:
            return text("lobby.joined")
        return text("lobby.joined_stake", stake=amount(table.stake, COINS))

    def _all_came(self, table: Table) -> bool:
        """Whether everybody who was asked to another one sits there."""
        asked = {user_id for user_id, _ in table.invited}
        return table.enough and bool(asked) and asked <= {s.user_id for s in table.sittings}

    def _soon(self, table: Table, now: int, *, new: bool) -> Table:
        """The lobby once somebody sat down: with enough it starts 30 s after the last new one.

        Who comes and goes holds nothing open.
        """
        lobby, due = table.showing(HOUSE), now + self.settings.lobby_s
        if not lobby.shown or not table.enough:
            return table
        if len(table.sittings) > table.game.seats[0]:
            due = max(lobby.due_at, due) if new else lobby.due_at
        return table.with_showing(replace(lobby, due_at=due if new else min(lobby.due_at, due)))

    def _wait_again(self, table: Table, now: int) -> Table:
        """The lobby once somebody got up: with too few it waits as if nobody had come."""
        lobby = table.showing(HOUSE)
        if not lobby.shown or table.enough:
            return table
        waits = max(now + self.settings.lobby_s, table.opened_at + self.settings.lobby_wait_s)
        due = max(lobby.due_at, min(waits, table.opened_at + self.settings.lobby_most_s))
        return table.with_showing(replace(lobby, due_at=due))

    def choose_charm(self, person: Person, game_id: str, charm: int, now: int) -> Done:
        """Takes a charm along, also by joining with it (RULES 7).

        It can be changed until the game starts, alone until the first throw; by who came later as
        long as others still may.
        """
        _unless_barred(person)
        if not 1 <= charm < len(CHARMS):
            raise Refusal("refused.stale")
        table = self.tables.get(game_id)
        good_for = text(f"charm.{charm}", charm=CHARMS[charm])
        sitting = table.sitting(person.user_id)
        if sitting is None and table.open and not table.solo:
            done = self.join(person, game_id, now, charm=charm)
            joined = self._joined(table)
            return replace(done, toast=text("charm.joined", joined=joined, charm=good_for))
        if sitting is None or sitting.left_at:
            raise Refusal("refused.not_playing")
        late = bool(sitting.late) and table.game.rules.admits(table.state)
        first = table.solo and table.status == "running" and not table.n
        if table.status != "lobby" and not late and not first:
            raise Refusal("charm.too_late" if table.open else "refused.over")
        if sitting.charm == charm:
            return Done(toast=good_for)
        self.store.set_charm(sitting.row, charm)
        with_it = replace(sitting, charm=charm)
        sittings = tuple(with_it if s.row == sitting.row else s for s in table.sittings)
        part = players_part(s.charm for s in sittings) if first else table.part
        self.tables.save(replace(table, sittings=sittings, part=part))
        return Done(toast=good_for, games=(game_id,))

    def wait(self, person: Person, game_id: str, now: int) -> Done:
        """60 s more for a lobby, by somebody who sits there; at most 10 minutes (RULES 0)."""
        table = self._lobby(game_id)
        if table.sitting(person.user_id) is None:
            raise Refusal("refused.not_seated")
        lobby = table.showing(HOUSE)
        due = min(lobby.due_at + MORE_S, table.opened_at + self.settings.lobby_most_s)
        if due <= lobby.due_at:
            raise Refusal("refused.waits_most", n=self.settings.lobby_most_s // 60)
        self.tables.save(table.with_showing(replace(lobby, due_at=due)))
        return Done(toast=text("lobby.longer"), games=(game_id,))

    def _lobby(self, game_id: str) -> Table:
        """A game whose lobby is open. Raises `Refusal` for any other."""
        table = self.tables.get(game_id)
        if table.status != "lobby":
            raise Refusal("refused.started" if table.open else "refused.over")
        return table

    def leave(
        self,
        person: Person,
        game_id: str,
        now: int,
        *,
        topic: int = 0,
        reply_to: int = 0,
        place: int = 0,
    ) -> Done:
        """Leaves a lobby with the stake; a running game at once, or where that loses something once
        it is agreed to (RULES 0): the question goes to the chat `place` (0: the game's).
        """
        table, sitting = self._sitting(person, game_id)
        if table.status == "lobby":
            return self._leave_lobby(table, sitting, now)
        table.game.rules.throw(table.state, sitting.seat, "leave")  # who is through is told so
        if not table.stake and not self.store.has_moved(game_id, sitting.seat):
            return self._left(table, sitting, now)
        place = place or table.chat_id
        language = person.language if place > 0 else table.language
        ask = text("leave.ask_stake", stake=amount(table.stake, COINS)) if table.stake else text(
            "leave.ask"
        )  # fmt: skip
        go = key(text("leave.go"), table.id, f"quit {sitting.row}", style="danger")
        say = Say(place, ask, language, ((go,),), topic=topic, reply_to=reply_to)
        return Done(toast=text("leave.asked"), say=(say,))

    def quit(self, person: Person, game_id: str, row: int, now: int, *, edit: Say) -> Done:
        """Agreed: the joining `row` ends; `edit` is the question, which is left saying so."""
        table, sitting = self._sitting(person, game_id)
        if sitting.row != row:
            raise Refusal("refused.not_yours")
        if table.status == "lobby":
            raise Refusal("refused.stale")
        done = self._left(table, sitting, now)
        return replace(done, say=(replace(edit, text=text("leave.gone", name=person.name)),))

    def put_out(self, person: Person, now: int) -> tuple[str, ...]:
        """Takes somebody out of every lobby with their stake, and out of every running game as if
        they had left; answers the games (RULES 0)."""
        games = self.store.sits_in(person.user_id)
        for game_id in games:
            table, sitting = self._sitting(person, game_id)
            if table.status == "lobby":
                self._leave_lobby(table, sitting, now)
                continue
            with contextlib.suppress(Refusal):  # who is through keeps what they have
                table.game.rules.throw(table.state, sitting.seat, "leave")
                self._left(table, sitting, now)
        return games

    def _sitting(self, person: Person, game_id: str) -> tuple[Table, Sitting]:
        """An open game and somebody's place in it. Raises `Refusal` for who has none."""
        table = self.tables.get(game_id)
        sitting = table.sitting(person.user_id)
        if not table.open:
            raise Refusal("refused.over")
        if sitting is None or sitting.left_at:
            raise Refusal("refused.not_playing")
        return table, sitting

    def _left(self, table: Table, sitting: Sitting, now: int) -> Done:
        self.store.leave_seat(sitting.row, now)
        gone = tuple(replace(s, left_at=now) if s.row == sitting.row else s for s in table.sittings)
        self._played(replace(table, sittings=gone), sitting.seat, "leave", now)
        lost = text("left.stake", stake=amount(table.stake, COINS)) if table.stake else None
        return Done(toast=lost or text("left.free"), games=(table.id,))

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
        table = replace(table, sittings=rest)
        if self._all_ready(table):
            self._begin(table, now)
        else:
            self.tables.save(self._wait_again(table, now))
        left = text("left.lobby_stake") if table.stake else text("left.lobby")
        return Done(toast=left, games=(table.id,))

    # -- starting -----------------------------------------------------------------------------

    def start(self, person: Person, game_id: str, now: int, *, admin: bool | None = None) -> Done:
        """Closes the lobby early: at once for its opener and for admins, else when everyone who
        sits has pressed it (RULES 0)."""
        _unless_barred(person)
        table = self._lobby(game_id)
        sitting = table.sitting(person.user_id)
        decides = person.user_id == table.opener or admin
        if not decides and admin is None:
            raise AdminsOnly
        if not decides and sitting is None:
            raise Refusal("refused.not_seated")
        if not table.enough:
            raise Refusal("refused.too_few", n=table.game.seats[0])
        if not decides and sitting:
            self.store.ready(sitting.row)
            sat = table.sittings
            seated = tuple(replace(s, ready=1) if s.row == sitting.row else s for s in sat)
            table = replace(table, sittings=seated)
            if not self._all_ready(table):
                self.tables.save(table)
                n = sum(s.ready for s in seated)
                return Done(toast=text("lobby.ready", n=n, of=len(sat)), games=(game_id,))
        self._begin(table, now)
        return Done(toast=text("lobby.started"), games=(game_id,))

    def _all_ready(self, table: Table) -> bool:
        return table.enough and all(sitting.ready for sitting in table.sittings)

    def _begin(self, table: Table, now: int, topic: int = 0) -> None:
        if not self._fits(table):
            self.settling.without_key(table, now)
            return
        self.store.forget_selections(table.id)  # who would have called it off has a game to stop
        for seat, sitting in enumerate(table.sittings):
            self.store.number_seat(sitting.row, seat)
        seated = self.store.sittings(table.id, lobby=False)
        part = players_part(sitting.charm for sitting in seated)
        state = table.game.rules.start(Setup(len(seated), table.options))
        robin = self.settling.robin.attach(table, now)
        table = replace(
            table, status="running", part=part, sittings=seated, state=state, robin=robin
        )
        if table.game.own:
            for sitting in seated:
                table = self.tables.add_showing(
                    table, Showing(sitting.seat, sitting.user_id, topic)
                )
        table = self._house_moves(table, now)
        for showing in table.showings:
            table = new_phase(table, showing.seat, now)
        self.tables.save(table)

    # -- moves --------------------------------------------------------------------------------

    def press(
        self, person: Person, game_id: str, rev: int, code: str, now: int, *, message_id: int = 0
    ) -> Done:
        """A button of a running game's board, on that message."""
        _unless_barred(person)
        table, sitting = self._at_table(person, self.tables.get(game_id))
        if rev != table.phase(sitting.seat).rev:
            showing = table.showing(sitting.seat)
            coming = showing.behind and showing.message_id == message_id
            raise Refusal("refused.coming" if coming else "refused.stale")
        selection = self.store.selection(game_id, sitting.seat, rev)
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
        _unless_barred(person)
        table, sitting = self._at_table(person, table)
        seat = sitting.seat
        selection = self.store.selection(game_id, seat, table.phase(seat).rev)
        action = table.game.view.command(table.state, seat, selection, name, words, names)
        return self._typed(table, sitting, action, sent_at, now)

    def hear(self, person: Person, game_id: str, sentence: str, sent_at: int, now: int) -> Done:
        """A plain sentence, for games that listen; nothing where it means nothing to this one."""
        table = self.tables.get(game_id)
        sitting = table.sitting(person.user_id)
        hear = table.game.hear
        if hear is None or sitting is None or table.status != "running":
            return Done()
        selection = self.store.selection(game_id, sitting.seat, table.phase(sitting.seat).rev)
        action = hear(table.state, sitting.seat, selection, sentence)
        if action is None:
            return Done()
        _unless_barred(person)
        return self._typed(table, sitting, action, sent_at, now)

    def _typed(
        self, table: Table, sitting: Sitting, action: Action, sent_at: int, now: int
    ) -> Done:
        if isinstance(action, Move) and sent_at < table.showing(sitting.seat).began_at:
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

    def _act(self, table: Table, sitting: Sitting, action: Action, now: int) -> Done:
        match action:
            case Select(selection=selection, toast=toast, shown=shown, at_once=at_once):
                self.store.select(table.id, sitting.seat, table.phase(sitting.seat).rev, selection)
                if shown or at_once:
                    self._show_selection(table, sitting.seat, selection, now)
                if at_once:
                    return Done(toast=toast, games=(table.id,))
                return Done(toast=toast, soon=(table.id,) if shown else ())
            case Answer(text=answer, alert=alert):
                return Done(toast=answer, alert=alert)
            case Move(move=move):
                before = table.state
                table = self._played(table, sitting.seat, move, now)
                if table.status == "void":
                    return Done(toast=text("stop.why_key"), alert=True, games=(table.id,))
                toast = table.game.view.thrown(before, table.state, sitting.seat)
                return Done(toast=toast, games=(table.id,), say=self._news(table))

    def _news(self, table: Table) -> tuple[Say, ...]:
        """What a game that is over has brought people beside its pot."""
        if table.open or not self.settings.allowance:
            return ()
        notices = Notices(self.store.db)
        return tuple(say for s in table.sittings for say in notices.message(s.user_id))

    def _show_selection(self, table: Table, seat: int, selection: str, now: int) -> None:
        picked = {**table.selections, seat: selection}
        showing = table.showing(seat)
        if showing.seat != HOUSE and showing.shown:
            # In private a press is a sign of life; in a group only a move is.
            due = now + table.phase(seat).time_s
            table = table.with_showing(replace(showing, due_at=due))
        self.tables.save(replace(table, selections=picked), (showing.seat,))

    def play(self, game_id: str, seat: int, move: str, now: int) -> Done:
        """A move by its text form, for whoever plays without buttons."""
        self._played(self.tables.get(game_id), seat, move, now)
        return Done(games=(game_id,))

    def show_own(self, person: Person, game_id: str, now: int, topic: int = 0) -> Done:
        """Shows somebody their own board in a new message, as who comes by a deep link expects."""
        table, sitting = self._at_table(person, self.tables.get(game_id))
        showing = table.showing(sitting.seat)
        if showing.seat == HOUSE:
            raise Refusal("refused.stale")
        again = replace(showing, scene=-1, topic=topic)
        self.tables.save(table.with_showing(again), (showing.seat,))
        return Done(games=(game_id,))

    def speak(self, person: Person) -> tuple[str, ...]:
        """Has somebody's own boards speak the language they have chosen; answers their games."""
        games = self.store.private_games(person.user_id)
        for game_id, seat, _ in games:
            table = self.tables.get(game_id)
            sittings = self.store.sittings(game_id, lobby=False)
            self.tables.save(replace(table, sittings=sittings), (seat,))
        return tuple(game_id for game_id, _, _ in games)

    def private_game(self, user_id: int, reply_to: int) -> str | None:
        """The game a typed move in private means: that of the board replied to, else the newest.

        Games in which they are through count only where there is no other.
        """
        found = self.store.private_games(user_id)
        for game_id, _, message_id in found:
            if reply_to and message_id == reply_to:
                return game_id
        for game_id, seat, _ in found:
            if self.tables.get(game_id).phase(seat).actors:
                return game_id
        return found[0][0] if found else None

    # -- time ---------------------------------------------------------------------------------

    def expire(self, ref: str, now: int) -> Done:
        """What happens when a lobby's or phase's time is over; nothing if it is not."""
        game_id, seat = due_board(ref)
        table = self.tables.get(game_id)
        if not table.open:
            self.store.due.set("game", ref, 0)
            return Done(games=(game_id,))
        showing = table.showing(seat)
        if not 0 < showing.fires_at <= now:
            self.store.due.set("game", ref, showing.fires_at)
            return Done(games=(game_id,))  # another process may have changed it
        if 0 < showing.called_off_at <= now:
            self.settling.call_off(table, now, "void", "unseen")
            return Done(games=(game_id,))
        if table.status == "lobby":
            if table.enough:
                self._begin(table, now)
            else:
                self.settling.call_off(table, now, why="" if table.sittings else EMPTY)
            return Done(games=(game_id,))
        if seat != HOUSE and not table.phase(seat).actors:
            # Who is through waits for the others; nothing of theirs is due any more.
            self.tables.save_showing(table, replace(table.showing(seat), due_at=0))
            return Done()
        try:
            with undoable(self.store.db):
                self._force(table, seat, now)
        except _Unseen:
            # Nobody wins by what nobody could see: it waits to be shown, or to be called off.
            self.tables.undone()
            self.tables.save_showing(table, replace(showing, due_at=now + GRACE_S))
        return Done(games=(game_id,), say=self._news(self.tables.get(game_id)))

    def _force(self, table: Table, seat: int, now: int) -> None:
        """The moves of those whose time is over. Raises `_Unseen` where they would end a game that
        cannot be shown."""
        showing, rev, rules = table.showing(seat), table.phase(seat).rev, table.game.rules
        shared = table.showings[0]
        hidden = shared.hidden_at and not (showing is shared and shared.shown)
        while table.open and table.phase(seat).rev == rev:
            forced = rules.expire(table.state, seat, seen=bool(showing.shown))
            if forced is None:
                raise RuntimeError(f"{table.kind} has no move for a phase that is over")
            table = self._played(table, *forced, now)
            if hidden and not table.open:
                raise _Unseen

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
        table = self.tables.get(game_id)
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
        before = self.store.votes(table.id)
        self.store.vote(table.id, sitting.row)
        votes = self.store.votes(table.id) & voters
        if votes == voters:
            return self._stopped(table, now)
        if edit and sitting.row in before:
            return Done(toast=text("stop.noted"))
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
        self.settling.call_off(table, now, "stopped")
        return Done(toast=text("stop.done"), games=(table.id,))

    # -- inside -------------------------------------------------------------------------------

    def _played(self, table: Table, seat: int, move: str, now: int) -> Table:
        """The table after a move, the house's moves that follow, and the settlement.

        Called off, where its seal no longer fits the dice key.
        """
        if not self._fits(table):
            return self.settling.without_key(table, now)
        revs = {showing.seat: table.phase(showing.seat).rev for showing in table.showings}
        table = self._house_moves(self._move(table, seat, move, now), now)
        self.store.unselect(table.id, seat)
        picked = {other: p for other, p in table.selections.items() if other != seat}
        table = replace(table, selections=picked)
        outcome = table.game.rules.outcome(table.state)
        if outcome:
            return self.tables.save(self.settling.settle(table, outcome, now))
        for other, rev in revs.items():
            if table.phase(other).rev != rev:
                table = new_phase(table, other, now)
        # Where everybody plays in private, only their own board and the common one change.
        return self.tables.save(table, (HOUSE, seat) if table.game.own else None)

    def _house_moves(self, table: Table, now: int) -> Table:
        while (move := table.game.rules.house(table.state)) is not None:
            table = self._move(table, HOUSE, move, now)
        return table

    def _draw(self, table: Table) -> Draw:
        """The dice of a game's next move."""
        secret = self.sealing.secret(table)
        assert secret, f"the seal of {table.id} was checked before"
        return self.stream(secret, table.part, table.n)

    def _fits(self, table: Table) -> bool:
        try:
            return self.sealing.secret(table) is not None
        except WrongSetting:
            return True  # a tool without the key; it is asked for as soon as dice are thrown

    def _move(self, table: Table, seat: int, move: str, now: int) -> Table:
        game: Game[Any] = table.game
        throw = game.rules.throw(table.state, seat, move)
        dice = cast(throw, self._draw(table)) if throw.sides else ()
        state = game.rules.play(table.state, seat, move, dice)
        self.store.add_move(table.id, table.n, seat, move, throw, dice, now)
        return replace(table, state=state, n=table.n + 1)


def _unless_barred(person: Person) -> None:
    if person.barred:
        raise Refusal("refused.barred", alert=True)
