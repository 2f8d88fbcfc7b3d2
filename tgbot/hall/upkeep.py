"""What happens to games from outside: boards delivered or undeliverable, restarts, chats that move.

As in `lobby.py`, every method runs on the clerk's thread inside a transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import structlog
from peewee import DatabaseError

from economy.ledger import Account, fund, jackpot
from games.game import HOUSE, Refusal
from tgbot.done import Done
from tgbot.hall.hall import Hall
from tgbot.hall.old_boards import OldBoards
from tgbot.hall.pins import Pins
from tgbot.hall.table import Table
from tgbot.hall.tables import new_phase
from tgbot.people.bells import Bells
from tgbot.people.notices import Notices
from tgbot.people.people import unreachable

_NONE: Mapping[int, str] = {}


log = structlog.get_logger(__name__)


class Upkeep:
    """Keeps the games of a hall in step with the world."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.store = hall.store
        self.ledger = hall.ledger
        self.chats = hall.chats
        self.tables = hall.tables
        self.settling = hall.settling
        self.settings = hall.settings
        self.old_boards = OldBoards(hall.store.db)

    # -- boards -------------------------------------------------------------------------------

    def shown(
        self,
        game_id: str,
        seat: int,
        revision: int,
        scene: int,
        message_id: int,
        rev: int,
        ends: int,
        left: Mapping[int, str] = _NONE,
    ) -> None:
        """Revision `revision` of a board was delivered: from now on its phase's time runs.

        `left` are the messages it stands for, which have a keyboard to lose, and what they are
        left saying.
        """
        table = self.tables.get(game_id)
        showing = table.showing(seat)
        began = table.open and not showing.shown and table.phase(seat).rev == rev
        changed = replace(
            showing,
            painted=max(revision, showing.painted),
            scene=scene,
            message_id=message_id,
            shown=1 if began else showing.shown,
            hidden_at=0,
            due_at=ends if began else showing.due_at,
        )
        self.tables.save_showing(table, changed)
        for old, body in left.items():
            self.old_boards.add(showing.chat_id, old, body)

    def hidden(self, game_id: str, seat: int, now: int) -> None:
        """A board could not be shown, for now; what lasts ends the game (RULES 0).

        `now` is 0 where Telegram is out of reach for everybody: that is downtime. One person's
        private chat ends nothing (RULES 5).
        """
        table = self.tables.get(game_id)
        showing = table.showing(seat)
        if table.open and showing.seat == HOUSE and bool(now) != bool(showing.hidden_at):
            self.tables.save_showing(table, replace(showing, hidden_at=now))

    def given_up(self, game_id: str, seat: int) -> None:
        """The board cannot be shown any more, and nobody tries again. That of a game that is over
        loses its keyboard once it can."""
        table = self.tables.get(game_id)
        showing = table.showing(seat)
        if showing.message_id and not table.open:
            self.old_boards.add(showing.chat_id, showing.message_id, "")
        self.tables.save_showing(table, replace(showing, painted=showing.revision))

    def lost(self, game_id: str, chat_id: int, message_id: int) -> Done:
        """A board was pressed that is deleted: it is shown again, in a new message."""
        table = self.tables.get(game_id)
        board = (self.chats.here(chat_id), message_id)
        for showing in table.showings:
            if table.open and (showing.chat_id, showing.message_id) == board:
                return self.show_again(game_id, showing.seat)
        return Done(games=(game_id,))

    def show_again(self, game_id: str, seat: int) -> Done:
        """The board of a seat, or everybody's, is shown in a new message."""
        table = self.tables.get(game_id)
        again = replace(table.showing(seat), scene=-1)
        self.tables.save(table.with_showing(again), (again.seat,))
        return Done(games=(game_id,))

    def not_pinned(self, chat_id: int, message_id: int, *, on: bool, may: bool) -> None:
        """Telegram refused to pin or unpin a message. What stays pinned because the bot `may` not
        do it any more is unpinned once it may again."""
        if on or may:
            Pins(self.store.db).unpinned(chat_id, message_id)
        if on or not may:
            self.chats.pinning(chat_id, may=False)

    def told(self, user_id: int, receipt: int) -> None:
        """A message with notices has arrived."""
        Notices(self.store.db).told(user_id, receipt)

    # -- restart ------------------------------------------------------------------------------

    def resume(self, now: int) -> Done:
        """After a start: running phases get their full time again, broken games give back."""
        return self.resume_some(self.to_resume(), now)

    def to_resume(self) -> list[str]:
        """The games that run, then those that are over and not painted yet."""
        return list(dict.fromkeys((*self.store.open_games(), *self.store.boards.games_behind())))

    def resume_some(self, games: Sequence[str], now: int) -> Done:
        """As `resume`, for some of `to_resume`, so that nobody waits for all of them."""
        for game_id in games:
            if not self.store.read_bare(game_id).open:
                self.tables.get(game_id)
                continue
            table = self._sound(game_id)
            if table and self.hall.sealing.secret(table) is None:
                self.settling.without_key(table, now)
            elif table:
                for showing in table.showings:
                    began_at = showing.began_at
                    table = new_phase(table, showing.seat, now)
                    kept = replace(table.showing(showing.seat), began_at=began_at, hidden_at=0)
                    table = table.with_showing(kept)
                self.tables.save(table)
            else:
                self.void(game_id, "rules", now)
        return Done(games=tuple(games))

    def _sound(self, game_id: str) -> Table | None:
        """The game, if its rules are still these and its moves still lead somewhere."""
        try:
            table = self.tables.get(game_id)
            if table.version != table.game.rules.VERSION:
                return None
            for showing in table.showings:
                table.phase(showing.seat)
        except DatabaseError:
            raise  # says nothing of the game
        except Exception:
            log.exception("a game cannot go on; every stake returns", game=game_id)
            return None
        return table

    def void(self, game_id: str, why: str, now: int, memo: str = "") -> Done:
        """Ends a game that cannot go on; every stake returns (RULES 5). As `Settling.call_off`."""
        bare = self.store.read_bare(game_id)
        if not bare.open:
            raise Refusal("refused.over")
        self.settling.call_off(bare, now, "void", why, memo)
        return Done(games=(game_id,))

    # -- chats and people ---------------------------------------------------------------------

    def chat_gone(self, chat_id: int, now: int) -> Done:
        """The bot was removed: games end with every stake returned (RULES 5)."""
        staked = False
        ended = self.store.open_games(chat_id)
        for game_id in ended:
            table = self.store.read_bare(game_id)
            staked = staked or (table.status == "running" and table.stake > 0)
            self.settling.call_off(table, now, "void", "gone")
        self._give_up_all(chat_id)
        self.chats.pinning(chat_id, may=False)
        free_s = self.settings.free_days_after_removal * 24 * 3600
        self.chats.gone(chat_id, now, free_until=now + free_s if staked else 0)
        return Done(games=tuple(ended))

    def person_gone(self, user_id: int) -> None:
        """Somebody blocked the bot: no end of anything, only nothing to write to (RULES 5)."""
        unreachable(self.store.db, user_id)
        Bells(self.store.db).take_off(user_id)
        self._give_up_all(user_id)

    def person_left(self, user_id: int, chat_id: int) -> None:
        """Somebody left a chat, or was made to: they hear of its games and stand in its ranking of
        the daily no more."""
        Bells(self.store.db).take_off(user_id, chat_id)
        self.settling.attempts.left(user_id, self.chats.here(chat_id))

    def people_came(self, user_ids: Iterable[int], chat_id: int) -> None:
        """Some came into a chat: that they left it once is forgotten."""
        for user_id in user_ids:
            self.settling.attempts.came_back(user_id, self.chats.here(chat_id))

    def _give_up_all(self, chat_id: int) -> None:
        """No board can be shown in a chat."""
        for game_id, seat in self.store.boards.behind(chat_id):
            self.given_up(game_id, seat)

    def migrate(self, old: int, new: int, now: int) -> Done:
        """A group became a supergroup: settings, jackpot, games and due rows follow."""
        if not self.chats.moved(old, new):
            return Done()
        self.store.due.rename("jackpot", str(old), str(new))
        there = self.store.open_games(new)
        if there and self.store.open_games(old):
            # Opened before anybody told that the two are one chat, which has room for one game.
            for game_id in there:
                self.void(game_id, "moved", now)
        self.ledger.rename("jackpot", str(old), str(new), key=f"moved:{old}:{new}", at=now)
        self.settling.robin.robin_hood.moved(str(old), str(new))
        self.store.move_chat(old, new)
        self.old_boards.clear(old)
        Pins(self.store.db).unpinned(old)
        Bells(self.store.db).moved(old, new)
        self.settling.attempts.moved(old, new)
        self.settling.bests.moved(str(old), str(new))
        open_now, unseen = self.store.open_games(new), self.store.boards.games_behind(new)
        games = dict.fromkeys([*there, *open_now, *unseen])
        for game_id in games:
            self.tables.forget(game_id)
            self.tables.save(self.tables.get(game_id))
        return Done(games=tuple(games))

    def topic_gone(self, chat_id: int, topic: int) -> None:
        """A topic takes no messages any more: its game is one of the whole chat from now on."""
        game_id = self.store.running(chat_id, topic)
        if game_id and not self.store.running(chat_id, 0):
            self.store.leave_topic(game_id)
            self.tables.forget(game_id)
            self.tables.get(game_id)

    # -- time ---------------------------------------------------------------------------------

    def idle_jackpot(self, chat_id: int, now: int) -> Done:
        """A chat gone or idle for long: its jackpot goes to the Robin Hood fund (RULES 1.6)."""
        idle_s = self.settings.jackpot_idle_days * 24 * 3600
        last = self.chats.last_game_at(chat_id)
        if last + idle_s > now:
            self.store.due.set("jackpot", str(chat_id), last + idle_s)
            return Done()
        postings: dict[Account, int] = {}
        for currency, held in self.ledger.balances("jackpot", str(chat_id)).items():
            postings[jackpot(chat_id, currency)] = -held
            postings[fund(currency)] = held
        if postings:
            self.ledger.book(f"idle:{chat_id}:{last}", "idle_jackpot", postings, at=now)
        self.store.due.set("jackpot", str(chat_id), 0)
        return Done()
