"""The daily as people play it: one attempt a day, its place among others, and the morning after.

Every public method is one use case, as in `lobby.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import structlog

from games.game import Refusal, text
from tgbot import cards
from tgbot.config import Settings
from tgbot.done import Done, Drawing, Key, Say
from tgbot.hall.daily import pages
from tgbot.hall.daily.attempts import COUNTED, OPEN, Attempt, Line
from tgbot.hall.daily.days import AHEAD, Day, Days, later
from tgbot.hall.daily.pages import BY_LOSS, Ranked, Standing
from tgbot.hall.lobby import Lobby
from tgbot.hall.moves import Moves
from tgbot.hall.own_boards import OwnBoards
from tgbot.hall.table import Sitting, Table
from tgbot.hall.tables import Tables
from tgbot.people.names import name_in
from tgbot.people.notices import Notices
from tgbot.people.people import Person

TOPIC = -1
"""Stands for the thread of a daily, so that it keeps nobody from another game in private."""
LAG_S = 2
"""Moves of the day's last second are made by then, in every process."""
AGAIN_S = 5
MORNING_HOUR = 8
AT_ONCE = 50
SHOWN = 10
"""Lines of a ranking."""
MOST_GROUPS = 3
HIDDEN = "🙈"
"""Stands for the name of somebody who does not want to be in lists outside their chats."""

log = structlog.get_logger(__name__)


class Dailies:
    """The daily of one database."""

    def __init__(
        self, tables: Tables, lobby: Lobby, own_boards: OwnBoards, moves: Moves, settings: Settings
    ) -> None:
        self.store = tables.store
        self.tables = tables
        self.lobby = lobby
        self.own_boards = own_boards
        self.moves = moves
        self.days = Days(tables.store.db, moves.sealing, moves.chance, settings.zone)
        self.attempts = moves.settling.attempts
        self.notices = Notices(tables.store.db)
        moves.settling.tellers.append(self._told)

    # -- playing ------------------------------------------------------------------------------

    def open(self, person: Person, now: int, topic: int = 0) -> Done:
        """Begins somebody's attempt at the day, or shows them where it stands."""
        day = self._today(now)
        if day.over:  # the clock was set, or is another one's: its dice are known
            raise Refusal("daily.over")
        mine = self.attempts.find(day.day, person.user_id)
        if mine and mine.done != OPEN:
            return self.show(person, day.day)
        if mine:
            return self.own_boards.show(person, mine.game_id, now, topic)
        self.lobby.may_begin(person)
        before = self.store.running(person.user_id, TOPIC)
        if before:  # its day is over, though the clock has not come to it yet
            self._close(before, now)
        game_id = self._begin(person, day, now, topic)
        return Done(games=(before, game_id) if before else (game_id,))

    def _today(self, now: int) -> Day:
        day, anew = self.days.sealed(self.days.today(now), now)
        if anew:
            self.attempts.void(day.day)
        return day

    def _begin(self, person: Person, day: Day, now: int, topic: int) -> str:
        ends = self.days.ends(day.day)
        tomorrow, _ = self.days.sealed(later(day.day), now)
        table = self.lobby.new_table(person, person.user_id, TOPIC, day.kind, now, ())
        options = {
            **table.options,
            "language": person.language,
            "daily": day.day,
            "ends": ends,
            "tomorrow": tomorrow.seal,
        }
        if self.attempts.find(yesterday := later(day.day, -1), person.user_id):
            options["before"] = yesterday
        table = table.changed(nonce=day.nonce, seal=day.seal, options=options)
        table = self.tables.insert(table.changed(language=person.language))
        row = self.store.seats.add(table.id, person.user_id, now)
        sittings = (Sitting(row, person.user_id, person.name, -1, username=person.username),)
        self.attempts.begin(day.day, person.user_id, table.id)
        self.attempts.remember_groups(person.user_id)
        self.store.due.set("daily", day.day, ends + LAG_S)
        self.moves.begin(table.changed(sittings=sittings), now, topic)
        return table.id

    def _close(self, game_id: str, now: int) -> None:
        table = self.tables.get(game_id)
        if table.open:
            self.moves.make(table, 0, "leave", now)

    def _told(self, table: Table) -> tuple[Say, ...]:
        """Where an attempt that was played to its end puts somebody."""
        mine = self.attempts.find(table.daily, table.opener) if table.daily else None
        if mine is None or not table.sittings[0].place:
            return ()
        sitting = table.sittings[0]
        person = Person(sitting.user_id, sitting.name, table.language)
        return self.show(person, table.daily).say

    # -- looking ------------------------------------------------------------------------------

    def show(self, person: Person, date: str, *, edit: int = 0) -> Done:
        """Where somebody's attempt at a day puts them. Raises `Refusal` without one."""
        day, mine = self._found(date), self.attempts.find(date, person.user_id)
        if mine is None or mine.done == OPEN:
            raise Refusal("daily.not_played" if mine is None else "daily.still_open")
        it = self._standing(mine)
        if day.over:
            body, keys = pages.over(day, it, self.days.zone)
        else:
            body, keys = pages.today(day, self.days.find(later(date)), it, self.days.zone)
        return Done(say=(Say(person.user_id, body, person.language, keys, edit=edit),))

    def ranking(
        self, person: Person, chat_id: int, date: str, by: str, *, edit: int = 0, topic: int = 0
    ) -> Done:
        """The best of a day: in private of the world, in a group of its people."""
        day = self._found(date)
        group = self.store.chats.here(chat_id) if chat_id < 0 else 0
        if by == BY_LOSS and not day.over:
            raise Refusal("daily.not_yet")
        top = self.attempts.top_by_loss if by == BY_LOSS else self.attempts.top
        lines = top(date, SHOWN, group)
        named = self._ranked(lines, person, chat_id)
        title = self.store.chats.settings(group).title if group else ""
        body, keys = pages.ranking(day, named, by, group=title, here=bool(group))
        return Done(say=(Say(chat_id, body, person.language, keys, topic=topic, edit=edit),))

    def today(self, now: int) -> str:
        """The day it is, sealed."""
        return self._today(now).day

    def is_over(self, date: str) -> bool:
        """Whether nobody plays a day any more."""
        day = self.days.find(date)
        return day is not None and day.over

    def share(self, person: Person, date: str, username: str) -> Done:
        """A picture to pass on, which tells nothing of the dice."""
        day, mine = self._found(date), self.attempts.find(date, person.user_id)
        if mine is None or mine.done != COUNTED:
            raise Refusal("refused.stale")
        it = self._standing(mine)
        levels = tuple(map(int, mine.levels))
        looks = (mine.total, it.world.place, it.world.of, levels, mine.streak)
        draw = partial(cards.daily, day=day.date, total=mine.total, place=it.world.place,
                       of=it.world.of, levels=levels, streak=mine.streak)  # fmt: skip
        picture = Drawing(("daily", date, *looks), draw)
        link = Key(text("daily.play"), url=f"https://t.me/{username}?start={pages.SCOPE}")
        body = pages.card(day, it)
        say = Say(person.user_id, body, person.language, ((link,),), picture=picture)
        return Done(say=(say,))

    def _found(self, date: str) -> Day:
        day = self.days.find(date)
        if day is None:
            raise Refusal("daily.no_day")
        return day

    def _standing(self, mine: Attempt) -> Standing:
        here = [(chat_id, self.attempts.place_in(mine, chat_id))
                for chat_id in self.attempts.groups(mine.user_id)]  # fmt: skip
        several = sorted((it for it in here if it[1].of > 1), key=lambda it: -it[1].of)
        groups = tuple(
            (self.store.chats.settings(chat_id).title, place)
            for chat_id, place in several[:MOST_GROUPS]
        )
        by_loss = self.attempts.place_by_loss(mine)
        return Standing(mine, self.attempts.place(mine), groups, by_loss)

    def _ranked(self, lines: list[Line], reader: Person, chat_id: int) -> list[Ranked]:
        found: list[Ranked] = []
        for n, line in enumerate(lines, 1):
            level = found and found[-1].value == line.value
            name = self._name(line.user_id, reader, chat_id)
            found.append(Ranked(found[-1].place if level else n, name, line.value))
        return found

    def _name(self, user_id: int, reader: Person, chat_id: int) -> str:
        """Who it is, as far as those who read here may know."""
        if user_id == chat_id:
            return reader.name
        return name_in(self.store.db, user_id, chat_id) or HIDDEN

    # -- the bell -----------------------------------------------------------------------------

    def ring(self, person: Person, date: str, *, edit: int) -> Done:
        """Turns on or off that somebody is told the morning after how the day ended."""
        mine = self.attempts.find(date, person.user_id)
        if mine is None or self._found(date).over:
            raise Refusal("refused.stale")
        self.attempts.ring(date, person.user_id, not mine.bell)
        shown = self.show(person, date, edit=edit)
        return replace(shown, toast=text("daily.rings_not" if mine.bell else "daily.rings"))

    # -- time ---------------------------------------------------------------------------------

    def begin(self, now: int) -> None:
        """The day is sealed, and those ahead before they begin, whether or not anybody plays; one
        whose seal does not fit the dice key any more is sealed anew."""
        today = self.today(now)  # which seals it
        for n in range(1, AHEAD + 1):
            self.days.sealed(later(today, n), now)
        self.store.due.set("daily", today, self.days.ends(today) + LAG_S)

    def close(self, date: str, now: int) -> Done:
        """A day is over: attempts stay as they stand, then its secret is told, and the next begins.

        A day that nobody can prove any more, because the dice key was changed, is void.
        """
        day, ends = self._found(date), self.days.ends(date) + LAG_S
        if now < ends:
            self.store.due.set("daily", date, ends)
            return Done()
        unfinished = self.attempts.unfinished(date, AT_ONCE)
        for game_id in unfinished:
            self._close(game_id, now)
        if len(unfinished) == AT_ONCE:
            self.store.due.set("daily", date, now)
            return Done(games=tuple(unfinished))
        self.store.due.set("daily", date, 0)
        if not self.days.reveal(day):
            log.warning("a daily is void, the dice key was changed", day=date)
            self.attempts.void(date)
        elif self.attempts.top(date, 1):
            self.store.due.set("daily_james", date, now)
            morning = max(now, self.days.starts(later(date), MORNING_HOUR))
            self.store.due.set("daily_morning", date, morning)
        self.begin(now)
        return Done(games=tuple(unfinished))

    def tell(self, date: str, now: int) -> Done:
        """The morning after: tells who asked for it how the day ended, each once."""
        day, said = self._found(date), list[Say]()
        some = self.attempts.listening(date, AT_ONCE)
        for mine in some:
            self.attempts.ring(date, mine.user_id, on=False)
            self.notices.add(mine.user_id, pages.morning(day, self._standing(mine)), now)
            keys = pages.morning_keys(day)
            said += (replace(say, keys=keys) for say in self.notices.message(mine.user_id))
        self.store.due.set("daily_morning", date, now + 1 if len(some) == AT_ONCE else 0)
        return Done(say=tuple(said))
