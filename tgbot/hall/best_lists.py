"""The best lists: who leads over which period and where, and results that await a name."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

from economy.best_lists import Best, TopLists, bounds, is_period
from games import registry
from games.best_list import BestList
from games.game import Game, Lines, Refusal, Text, text
from tgbot.config import Settings
from tgbot.done import Done, Key, Row, Say, grid, key
from tgbot.hall.table import Table
from tgbot.hall.tables import Tables
from tgbot.people.awaited import Awaited
from tgbot.people.names import clean_name, is_listed, name_in, shown_name
from tgbot.people.people import Person
from tgbot.words import isolated

PAGE = 20
SHOWN = 100
"""Lists show no more than this many lines."""
LONGEST_SIGNATURE = 10
HIDDEN = "🙈"
"""Stands for the name of somebody who does not want to be in lists outside their chats."""
SIGNATURE = "sign"
"""What the bot waits for after asking for a name, and for how long."""
SIGNATURE_S = 3600


Standing = tuple[str, int, int]
"""A period, the place in it from 1 (0: none), and what is missing to the last place kept."""


@dataclass(frozen=True, slots=True)
class View:
    """Which part of which list somebody looks at: `kind.list.period.where.page` in a button."""

    kind: str
    name: str
    period: str
    here: bool
    page: int

    @property
    def code(self) -> str:
        """The view as a button says it."""
        where = "here" if self.here else "all"
        return f"{self.kind}.{self.name}.{self.period}.{where}.{self.page}"

    def having(self, **changes: Any) -> View:
        """The view with changes, on its first page unless that is what changes."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return View(**{**fields, "page": 0, **changes})


class Lists:
    """Best lists as people see them."""

    def __init__(self, tables: Tables, bests: TopLists, settings: Settings) -> None:
        self.tables = tables
        self.store = tables.store
        self.awaited = Awaited(self.store.db)
        self.bests = bests
        self.settings = settings

    # -- looking ------------------------------------------------------------------------------

    def panel(
        self, person: Person, chat_id: int, code: str, now: int, *, topic: int = 0, edit: int = 0
    ) -> Done:
        """A list with its buttons; `code` is a view's, or empty for a list of the game that runs
        or was last here, else the first there is."""
        here = chat_id < 0
        view = self._view(code, here=here) if code else self._first(chat_id, topic, here=here)
        best = _list(view)
        rows = self._rows(view, best, now, chat_id, PAGE + 1)
        lines = [
            self._line(view, best, n, row, person, chat_id) for n, row in enumerate(rows[:PAGE])
        ]
        body = text(
            "top.title",
            game=registry()[view.kind].title(),
            list=text(f"{view.kind}.list.{view.name}"),
            period=text(f"top.{view.period}"),
            where=text("top.here" if view.here else "top.everywhere"),
            lines=Lines(tuple(lines or [text("best.none")])),
        )
        more = len(rows) > PAGE and (view.page + 1) * PAGE < SHOWN
        keys = tuple(_keys(view, best, in_group=chat_id < 0, more=more))
        return Done(say=(Say(chat_id, body, person.language, keys, topic=topic, edit=edit),))

    def asked_by(self, command: str, chat_id: int, now: int) -> Text | None:
        """The leaders of the list that `/command ?` shows outside a game (RULES 1.7)."""
        for game, best in _all():
            if best.command == command:
                lines = [self._leader(game, best, p, chat_id, now) for p in best.periods]
                title = text(f"{game.kind}.list.{best.name}")
                return text("best.title", list=title, lines=Lines(tuple(lines)))
        return None

    def own(self, person: Person) -> dict[tuple[str, int], Text]:
        """A person's best result of each list that has one, by kind of game and value."""
        found = {}
        for game, best in _all():
            mine = self.bests.own(best.key(game.kind), str(person.user_id))
            if mine:
                value = _value(game.kind, best.name, mine)
                title = text(f"{game.kind}.list.{best.name}")
                found[game.kind, mine.value] = text("top.own", list=title, value=value)
        return found

    def _leader(self, game: Game[Any], best: BestList, period: str, chat_id: int, now: int) -> Text:
        view = View(game.kind, best.name, period, here=False, page=0)
        rows = self._rows(view, best, now, 0, 1)
        if not rows:
            return text("best.line", period=text(f"top.{period}"), best=text("best.none"))
        name = name_in(self.store.db, int(rows[0].ref), chat_id) or HIDDEN
        value = _value(game.kind, best.name, rows[0])
        leader = text("best.leader", name=isolated(name), value=value)
        return text("best.line", period=text(f"top.{period}"), best=leader)

    def _first(self, chat_id: int, topic: int, *, here: bool) -> View:
        running = self.store.running(chat_id, topic)
        last = self.store.find(running or self.store.last_finished(chat_id, topic) or "")
        found = [(game.kind, best) for game, best in _all()]
        kind, best = next((it for it in found if last and it[0] == last.kind), found[0])
        return View(kind, best.name, best.periods[0], here, 0)

    def _view(self, code: str, *, here: bool) -> View:
        parts = code.split(".")
        if len(parts) != 5 or not (parts[4].isascii() and parts[4].isdigit()):
            raise Refusal("refused.stale")
        view = View(parts[0], parts[1], parts[2], parts[3] == "here" and here, int(parts[4]))
        if view.period not in _list(view).periods or view.page * PAGE >= SHOWN:
            raise Refusal("refused.stale")
        return view

    def _rows(self, view: View, best: BestList, now: int, chat_id: int, limit: int) -> list[Best]:
        zone = UTC if best.utc else self.settings.zone
        start, end = bounds(is_period(view.period), now, zone)
        return self.bests.top(
            best.key(view.kind),
            start,
            end,
            limit=min(limit, SHOWN - view.page * PAGE),
            offset=view.page * PAGE,
            chat=str(chat_id) if view.here else None,
        )

    def _line(
        self, view: View, best: BestList, n: int, row: Best, reader: Person, chat_id: int
    ) -> Text:
        if best.signed:
            name = row.note
        elif row.ref == str(reader.user_id):
            name = reader.name
        else:
            name = self._name(row, chat_id)
        place = view.page * PAGE + n + 1
        value = _value(view.kind, view.name, row)
        return text("top.line", place=place, name=isolated(name), value=value)

    def _name(self, row: Best, chat_id: int) -> str:
        """Who made a result; outside the chat it was made in only those who are listed."""
        if row.chat == str(chat_id) or is_listed(self.store.db, int(row.ref)):
            return shown_name(self.store.db, int(row.ref))
        return HIDDEN

    # -- signing ------------------------------------------------------------------------------

    def ask_name(self, person: Person, table: Table, now: int) -> Done:
        """Asks under which name a result goes into its list (RULES 4)."""
        self._signable(person, table)
        self.awaited.ask(person.user_id, SIGNATURE, table.id, now)
        short = clean_name(person.name, person.user_id)[:LONGEST_SIGNATURE].strip()
        use = key(text("sign.use", name=short), table.id, "name", style="primary")
        ask = text("sign.ask", most=LONGEST_SIGNATURE)
        return Done(say=(Say(person.user_id, ask, person.language, ((use,),)),))

    def sign(self, person: Person, table: Table, name: str, now: int, edit: int = 0) -> Done:
        """Enters a result under a name of at most 10 characters; no button asks for one any more.

        `edit` is the message that asked.
        """
        best, value, at = self._signable(person, table)
        signature, where = signed(name), self._standings(table, best, value, at)
        self.bests.enter(
            best.key(table.kind),
            Best(str(person.user_id), value, signature, at, str(table.chat_id)),
            source=table.id,
        )
        self.awaited.forget(person.user_id)
        places = tuple(standing_line(row) for row in where if row[1])
        done = text("sign.done", name=signature, places=places)
        sitting = table.sitting(person.user_id)
        assert sitting
        seats = [*table.result.get("signed", ()), sitting.seat]
        table = table.changed(result={**table.result, "signed": seats})
        self.tables.save(table, (table.showing(sitting.seat).seat,))
        say = Say(person.user_id, done, person.language, edit=edit)
        return Done(toast=done, say=(say,), games=(table.id,))

    def sign_short(self, person: Person, table: Table, now: int, edit: int) -> Done:
        """Enters it under the person's own name, shortened."""
        return self.sign(person, table, person.name[:LONGEST_SIGNATURE], now, edit)

    def _signable(self, person: Person, table: Table) -> tuple[BestList, int, int]:
        """The list, value and time of a result that may be entered. Raises `Refusal` for others."""
        sitting = table.sitting(person.user_id)
        waiting = table.result.get("signable", {})
        if sitting is None or str(sitting.seat) not in waiting:
            raise Refusal("refused.stale")
        best = next(best for best in table.game.lists if best.signed)
        if self.bests.entered(best.key(table.kind), str(person.user_id), table.id):
            raise Refusal("sign.again")
        value, at = waiting[str(sitting.seat)]
        if not any(place for _, place, _ in self._standings(table, best, value, at)):
            raise Refusal("sign.not_enough", n=best.keeps)
        return best, value, at

    def _standings(self, table: Table, best: BestList, value: int, at: int) -> list[Standing]:
        return standings(self.bests, best, table.kind, value, at, self.settings.zone)


def standings(
    bests: TopLists, best: BestList, kind: str, value: int, at: int, zone: tzinfo
) -> list[Standing]:
    """Where a result of a kind of game would stand in the list of each period (RULES 4)."""
    zone, key = UTC if best.utc else zone, best.key(kind)
    return [
        (p, *bests.standing(best.keeps, key, value, at, *bounds(is_period(p), at, zone)))
        for p in best.periods
    ]


def standing_line(row: Standing) -> Text:
    """`today: place 3`, or how much is missing to the last place kept."""
    period, place, missing = row
    if place:
        return text("sign.place", period=text(f"top.{period}"), place=place)
    return text("sign.missing", period=text(f"top.{period}"), n=missing)


def signed(name: str) -> str:
    """A name fit for a list. Raises `Refusal` for none, or one over 10 characters."""
    cleaned = clean_name(unicodedata.normalize("NFC", name), 0)
    if cleaned.startswith("#0000") or not cleaned or len(cleaned) > LONGEST_SIGNATURE:
        raise Refusal("sign.bad_name", most=LONGEST_SIGNATURE)
    return cleaned


def _all() -> Iterator[tuple[Game[Any], BestList]]:
    for game in registry().values():
        for best in game.lists:
            yield game, best


def _list(view: View) -> BestList:
    for game, best in _all():
        if (game.kind, best.name) == (view.kind, view.name):
            return best
    raise Refusal("refused.stale")


def _value(kind: str, name: str, row: Best) -> Text:
    return text(f"{kind}.list.{name}.value", n=row.value, note=row.note)


def _keys(view: View, best: BestList, *, in_group: bool, more: bool) -> Iterator[Row]:
    def choice(label: Text, to: View, chosen: bool) -> Key:
        return key(label, "top", to.code, style="primary" if chosen else None)

    yield tuple(
        choice(text(f"top.{period}"), view.having(period=period), period == view.period)
        for period in best.periods
    )
    if in_group:
        yield (
            choice(text("top.here"), view.having(here=True), view.here),
            choice(text("top.everywhere"), view.having(here=False), not view.here),
        )
    pages = []
    if view.page:
        pages.append(choice(text("top.before"), view.having(page=view.page - 1), False))
    if more:
        pages.append(choice(text("top.after"), view.having(page=view.page + 1), False))
    if pages:
        yield tuple(pages)
    others = tuple(
        choice(
            text("top.list", icon=game.icon, list=text(f"{game.kind}.list.{other.name}")),
            View(game.kind, other.name, other.periods[0], view.here, 0),
            False,
        )
        for game, other in _all()
        if (game.kind, other.name) != (view.kind, view.name)
    )
    daily = key(text("daily.button"), "daily", "top")
    yield from grid((*others, daily), 2)
