"""Before a game runs: its lobby is opened, people take seats, and it is started.

Every public method is one use case: it runs on the clerk's thread inside a transaction, raises
`Refusal` with nothing written, or answers what is to be shown.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from economy.ledger import COINS, escrow, wallet
from games import registry
from games.fairness import CHARMS, players_part
from games.game import HOUSE, Refusal, Text, text
from tgbot.config import Settings
from tgbot.done import Done, Say
from tgbot.facts import draining
from tgbot.hall.moves import Moves
from tgbot.hall.own_boards import OwnBoards
from tgbot.hall.refusals import AdminsOnly, Poor, unless_barred
from tgbot.hall.table import EMPTY, GRACE_S, Showing, Sitting, Table
from tgbot.hall.tables import Tables
from tgbot.people.amounts import amount
from tgbot.people.names import shown_name
from tgbot.people.people import Person

MORE_S = 60
"""What one press adds to a lobby's time."""
MOST_JOININGS = 5
"""How often one person may take a seat in the same lobby."""


class Lobby:
    """Opens games, and seats people in them."""

    def __init__(
        self, tables: Tables, moves: Moves, own_boards: OwnBoards, settings: Settings
    ) -> None:
        self.store = tables.store
        self.ledger = tables.ledger
        self.chats = tables.store.chats
        self.sealing = moves.sealing
        self.chance = moves.chance
        self.tables = tables
        self.moves = moves
        self.own_boards = own_boards
        self.settings = settings

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
        james: int = 0,
        pressed: bool = False,
        free: bool = False,
        agreed: int = 0,
    ) -> Done:
        """Opens a lobby, of a `free` game whatever the chat's stake is, with or without James; a
        free one instead of a lobby in which nobody sits.

        Opening a free game is joining it, and so is asking those who are `invited` to another one
        for the stake that the button said, to which whoever pressed has `agreed`; for any other
        stake joining is asked (RULES 0).

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
        emptied: tuple[str, ...] = ()
        if there := self.store.running(chat_id, topic):
            if not (free and self._empty(there)):
                return self._point_to(self.tables.get(there), pressed=pressed)
            emptied = (there,)
        self.may_begin(person)
        for game_id in emptied:
            self.moves.settling.call_off(self.tables.get(game_id), now, why=EMPTY)
        table = self.new_table(person, chat_id, topic, kind, now, invited)
        due = now + GRACE_S + self.settings.lobby_wait_s
        shared = Showing(HOUSE, chat_id, topic, began_at=now, due_at=due)
        stake = 0 if free or chat.free_until > now else chat.stake
        if chat.pace:
            table = table.changed(options={**table.options, "pace": chat.pace})
        if chat.may_pin:
            table = table.changed(options={**table.options, "pins": 1})
        self.tables.insert(table.changed(stake=stake, showings=(shared,), james=james))
        if stake and not (invited and stake == agreed):
            return Done(toast=text("lobby.opened"), games=(table.id,))
        joined = self.join(person, table.id, now)
        opened = joined if stake else replace(joined, toast=text("lobby.opened_in"))
        return replace(opened, games=(*opened.games, *emptied))

    def _empty(self, game_id: str) -> bool:
        """Whether a lobby nobody sits in is there, which gives way to a free game."""
        table = self.tables.get(game_id)
        return table.status == "lobby" and not table.sittings

    def open_solo(self, person: Person, kind: str, now: int, topic: int = 0) -> Done:
        """Begins a game that somebody plays alone in private, or shows the one they are in.

        Its board stands in the thread `topic`. Raises `Refusal` for a game nobody plays alone.
        """
        if not registry()[kind].solo:
            raise Refusal("refused.stale")
        if there := self.store.running(person.user_id, 0):
            table = self.tables.get(there)
            if table.kind != kind:
                raise Refusal("refused.busy", game=table.game.title())
            return self.own_boards.show(person, there, now, topic)
        return self.begin_private(person, kind, now, topic)

    def begin_private(
        self, person: Person, kind: str, now: int, topic: int = 0, *, james: int = 0
    ) -> Done:
        """Begins a game in somebody's private chat, which has none."""
        self.may_begin(person)
        table = self.new_table(person, person.user_id, 0, kind, now, ())
        options = {**table.options, "language": person.language}
        shared = () if table.game.own else (Showing(HOUSE, person.user_id, topic, began_at=now),)
        table = table.changed(
            language=person.language, options=options, showings=shared, james=james
        )
        table = self.tables.insert(table)
        row = self.store.seats.add(table.id, person.user_id, now)
        sittings = (Sitting(row, person.user_id, person.name, -1, username=person.username),)
        self.moves.begin(table.changed(sittings=sittings), now, topic)
        return Done(games=(table.id,))

    def may_begin(self, person: Person) -> None:
        """Raises `Refusal` for who is barred, and while no games are opened."""
        unless_barred(person)
        if draining(self.store.db):
            raise Refusal("refused.draining")

    def new_table(
        self,
        person: Person,
        chat_id: int,
        topic: int,
        kind: str,
        now: int,
        invited: tuple[int, ...],
    ) -> Table:
        """A game with an id, a nonce and a seal of its own, not written yet."""
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
        game_id = base64.b32encode(self.chance.token_bytes(5)).decode().lower()
        version, nonce = registry()[kind].rules.VERSION, self.chance.token_bytes(32)
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
        busy = "refused.busy_lobby" if table.status == "lobby" else "refused.busy"
        there = text(busy, game=table.game.title())
        if pressed:
            return Done(toast=there)
        board = table.showings[0]
        say = Say(
            table.chat_id, there, table.language, topic=table.topic, reply_to=board.message_id
        )
        return Done(toast=there, say=(say,))

    # -- seats --------------------------------------------------------------------------------

    def join(self, person: Person, game_id: str, now: int, *, charm: int = 0) -> Done:
        """Takes a seat; the stake moves into escrow. In some games also while they run."""
        unless_barred(person)
        table = self.tables.get(game_id)
        late = table.admits
        if table.status != "lobby" and not late:
            raise Refusal("refused.started" if table.open else "refused.over")
        start = f"play_{game_id}" if table.game.own else ""
        if sitting := table.sitting(person.user_id):
            if start:
                return Done(toast=text("refused.joined"), start=start)
            raise Refusal("refused.left" if sitting.left_at else "refused.joined")
        if len(table.sittings) >= table.game.seats[1]:
            raise Refusal("refused.full", n=table.game.seats[1])
        before = self.store.seats.joinings(game_id, person.user_id)
        if before >= MOST_JOININGS:
            raise Refusal("refused.often", n=MOST_JOININGS)
        self._afford(person, table)
        row = self.store.seats.add(game_id, person.user_id, now, charm=charm, late=int(late))
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
        table = table.changed(sittings=(*table.sittings, sitting))
        if late:
            self.store.seats.number(row, seat)
            self.moves.make(table, seat, "join", now)
        elif len(table.sittings) == table.game.seats[1] or self._all_came(table):
            self.moves.begin(table, now)
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
        return table.can_start and bool(asked) and asked <= {s.user_id for s in table.sittings}

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

    def choose_charm(self, person: Person, game_id: str, charm: int, now: int) -> Done:
        """Takes a charm along, to a free game also by joining with it (RULES 7); no stake is taken
        by a button that does not say so.

        It can be changed until the game starts, alone until the first throw; by who came later as
        long as others still may.
        """
        unless_barred(person)
        if not 1 <= charm < len(CHARMS):
            raise Refusal("refused.stale")
        table = self.tables.get(game_id)
        good_for = text(f"charm.{charm}", charm=CHARMS[charm])
        sitting = table.sitting(person.user_id)
        if sitting is None and table.open and not table.alone:
            if table.stake:
                raise Refusal("refused.not_seated")
            done = self.join(person, game_id, now, charm=charm)
            joined = self._joined(table)
            return replace(done, toast=text("charm.joined", joined=joined, charm=good_for))
        if sitting is None or sitting.left_at:
            raise Refusal("refused.not_playing")
        late = bool(sitting.late) and table.admits
        first = table.alone and table.status == "running" and not (table.n or table.daily)
        if table.status != "lobby" and not late and not first:
            raise Refusal("charm.too_late" if table.open else "refused.over")
        if sitting.charm == charm:
            return Done(toast=good_for)
        self.store.seats.set_charm(sitting.row, charm)
        with_it = replace(sitting, charm=charm)
        sittings = tuple(with_it if s.row == sitting.row else s for s in table.sittings)
        part = players_part(s.charm for s in sittings) if first else table.part
        self.tables.save(table.changed(sittings=sittings, part=part))
        return Done(toast=good_for, games=(game_id,))

    def leave(self, table: Table, sitting: Sitting, now: int) -> Done:
        """Gives up a seat before the start; the stake returns. Part of `Leaving.leave`."""
        self.store.seats.leave(sitting.row, now)
        self.moves.settling.give_back(table, sitting, now)
        rest = tuple(s for s in table.sittings if s.row != sitting.row)
        table = table.changed(sittings=rest)
        if self._all_ready(table):
            self.moves.begin(table, now)
        else:
            self.tables.save(self._wait_again(table, now))
        left = text("left.lobby_stake") if table.stake else text("left.lobby")
        return Done(toast=left, games=(table.id,))

    def _wait_again(self, table: Table, now: int) -> Table:
        """The lobby once somebody got up: with too few it waits as if nobody had come."""
        lobby = table.showing(HOUSE)
        if not lobby.shown or table.enough:
            return table
        waits = max(now + self.settings.lobby_s, table.opened_at + self.settings.lobby_wait_s)
        due = max(lobby.due_at, min(waits, table.opened_at + self.settings.lobby_most_s))
        return table.with_showing(replace(lobby, due_at=due))

    # -- starting -----------------------------------------------------------------------------

    def wait(self, person: Person, game_id: str, now: int) -> Done:
        """60 s more for a lobby, by somebody who sits there; at most 10 minutes (RULES 0)."""
        table = self.of(game_id)
        if table.sitting(person.user_id) is None:
            raise Refusal("refused.not_seated")
        lobby = table.showing(HOUSE)
        due = min(lobby.due_at + MORE_S, table.opened_at + self.settings.lobby_most_s)
        if due <= lobby.due_at:
            raise Refusal("refused.waits_most", n=self.settings.lobby_most_s // 60)
        self.tables.save(table.with_showing(replace(lobby, due_at=due)))
        return Done(toast=text("lobby.longer"), games=(game_id,))

    def start(self, person: Person, game_id: str, now: int, *, admin: bool | None = None) -> Done:
        """Closes the lobby early: at once for its opener and for admins, else when everyone who
        sits has pressed it (RULES 0)."""
        unless_barred(person)
        table = self.of(game_id)
        sitting = table.sitting(person.user_id)
        decides = person.user_id == table.opener or admin
        if not decides and admin is None:
            raise AdminsOnly
        if not decides and sitting is None:
            raise Refusal("refused.not_seated")
        if not table.can_start:
            raise Refusal("refused.too_few", n=table.game.seats[0])
        if not decides and sitting:
            self.store.seats.ready(sitting.row)
            sat = table.sittings
            seated = tuple(replace(s, ready=1) if s.row == sitting.row else s for s in sat)
            table = table.changed(sittings=seated)
            if not self._all_ready(table):
                self.tables.save(table)
                n = sum(s.ready for s in seated)
                return Done(toast=text("lobby.ready", n=n, of=len(sat)), games=(game_id,))
        self.moves.begin(table, now)
        return Done(toast=text("lobby.started"), games=(game_id,))

    def _all_ready(self, table: Table) -> bool:
        return table.can_start and all(sitting.ready for sitting in table.sittings)

    def of(self, game_id: str) -> Table:
        """A game whose lobby is open. Raises `Refusal` for any other."""
        table = self.tables.get(game_id)
        if table.status != "lobby":
            raise Refusal("refused.started" if table.open else "refused.over")
        return table
