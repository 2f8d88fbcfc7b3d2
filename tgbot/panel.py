"""The operator's panel: what the hall holds and Robin Hood's reins, in one message edited in place.

A view only shows; an action is asked about once (its button leads to a question whose Yes does it)
and, where it moves money, is a booking with the operator's id. Views and actions are words behind
the scope `op`: `robin`, `ask.pause`, `do.pause`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from economy import tracks
from economy.ledger import COINS
from economy.robin_hood import Plan, Round, WrongPlan
from economy.toplists import bounds
from games.game import Lines, Refusal, Text, text
from tgbot import charts, facts, operator
from tgbot.config import Settings
from tgbot.hall import Hall
from tgbot.people import People, Person, amount
from tgbot.show import Done, Drawing, Key, Row, Say, key

SCOPE = "op"
TOP_UPS = (100, 1000)
STEPS = {"rounds": 1, "coins": 5, "first": 1, "last": 1}
NOW_COINS = 25
MOST_ROUNDS = 12
MOST_CHATS = 12


class Panel:
    """What an operator sees and does; every method runs on the clerk's thread."""

    def __init__(self, hall: Hall, people: People, settings: Settings) -> None:
        self.hall = hall
        self.store = hall.store
        self.ledger = hall.ledger
        self.robin = hall.settling.robin
        self.people = people
        self.settings = settings

    def show(self, person: Person, code: str, now: int, *, edit: int = 0, ref: str = "") -> Done:
        """The view, question or deed that `code` names. `ref` makes a deed's key."""
        if person.user_id not in self.settings.operators:
            raise Refusal("refused.stale")
        if code == "chart":
            return self._chart(person, now)
        toast = None
        verb, _, what = code.partition(".")
        if verb == "ask":
            body, rows = self._question(what)
        else:
            if verb == "do":
                toast = self._do(what, person, now, ref)
                code = _VIEW_AFTER.get(what.split(".")[0], "home")
            body, rows = self._views().get(code, self._home)(now)
        say = Say(person.user_id, body, person.language, rows, edit=edit)
        return Done(toast=toast, say=(say,))

    def _views(self) -> dict[str, Callable[[int], tuple[Text, tuple[Row, ...]]]]:
        return {
            "home": self._home,
            "supply": self._supply,
            "robin": self._robin,
            "chats": self._chats,
            "audit": self._audit,
        }

    # -- views --------------------------------------------------------------------------------

    def _home(self, now: int) -> tuple[Text, tuple[Row, ...]]:
        drained = facts.draining(self.store.db)
        switch = "undrain" if drained else "drain"
        body = text(
            "panel.home",
            games=len(self.store.open_games()),
            fund=amount(self.robin.robin_hood.held(), COINS),
            drained=text("panel.drained" if drained else "panel.open"),
        )
        return body, (
            (_view("panel.supply", "supply"), _view("panel.robin", "robin")),
            (_view("panel.chats", "chats"), _view("panel.audit", "audit")),
            (_ask(f"panel.{switch}", switch),),
        )

    def _supply(self, now: int) -> tuple[Text, tuple[Row, ...]]:
        found = operator.supply(self.store, self.settings, now, days=2)
        held = found.held.get(COINS, {})
        today = found.days.get(COINS, ())[-1:]
        lines = [
            text(f"panel.in_{place}", coins=amount(held.get(place, 0), COINS))
            for place in ("wallet", "escrow", "jackpot", "fund")
        ]
        lines += [text("panel.today", new=day.new, paid=day.paid) for day in today]
        lines += [
            text("panel.owner", name=self.store.name(int(owner.ref)), coins=owner.coins)
            for owner in found.richest[:5]
        ]
        title = text("panel.supply_title", coins=amount(found.circulation.get(COINS, 0), COINS))
        chart = key(text("panel.chart"), SCOPE, "chart")
        return _page(title, lines), ((chart,), (_view("panel.back", "home"),))

    def _robin(self, now: int) -> tuple[Text, tuple[Row, ...]]:
        plan, hood = self.robin.robin_hood.plan(), self.robin.robin_hood
        since = bounds("day", now, self.settings.zone)[0]
        rounds = hood.rounds(since)[:MOST_ROUNDS]
        title = text(
            "panel.robin_title",
            fund=amount(hood.held(), COINS),
            rounds=plan.rounds,
            coins=amount(plan.coins, COINS),
            first=plan.first_hour,
            last=plan.last_hour,
            state=text("panel.paused" if plan.paused else "panel.running"),
        )
        lines = [self._round(it) for it in rounds] or [text("panel.no_rounds")]
        rows: list[Row] = [
            tuple(_change(name, sign) for sign in ("less", "more")) for name in STEPS
        ]
        rows.append(
            (
                _ask("panel.now", "now"),
                _ask("panel.resume", "resume") if plan.paused else _ask("panel.pause", "pause"),
            )
        )
        rows.append(tuple(key(text("panel.top_up", n=n), SCOPE, f"ask.fund.{n}") for n in TOP_UPS))
        waiting = [it for it in rounds if it.status in ("planned", "waiting")][:4]
        if waiting:
            rows.append(
                tuple(
                    key(text("panel.cancel", n=it.id), SCOPE, f"ask.cancel.{it.id}")
                    for it in waiting
                )
            )
        return _page(title, lines), (*rows, (_view("panel.back", "home"),))

    def _round(self, it: Round) -> Text:
        due = datetime.fromtimestamp(it.due_at, self.settings.zone)
        return text(
            "panel.round",
            n=it.id,
            time=f"{due:%H:%M}",
            coins=it.given or it.coins,
            status=text(f"panel.round_{it.status}"),
            chat=self.hall.chats.settings(int(it.place)).title if it.place.lstrip("-") else "–",
        )

    def _chats(self, now: int) -> tuple[Text, tuple[Row, ...]]:
        found = self.store.sql(
            "SELECT chat_id, title, stake, barred FROM chats WHERE gone_at = 0 AND moved_to = 0 "
            "ORDER BY last_game_at DESC, chat_id LIMIT ?",
            (MOST_CHATS,),
        ).fetchall()
        eligible = set(self.robin.eligible(now))
        lines = [
            text(
                "panel.chat",
                title=title or str(chat_id),
                stake=stake,
                robin="🚫" if barred else "🏹" if str(chat_id) in eligible else "–",
            )
            for chat_id, title, stake, barred in found
        ]
        rows: list[Row] = [
            (
                key(
                    text("panel.unbar" if barred else "panel.bar", title=(title or "?")[:20]),
                    SCOPE,
                    f"ask.{'unbar' if barred else 'bar'}.{chat_id}",
                ),
            )
            for chat_id, title, _, barred in found
        ]
        title = text("panel.chats_title")
        return _page(title, lines or [text("panel.no_chats")]), (
            *rows,
            (_view("panel.back", "home"),),
        )

    def _audit(self, now: int) -> tuple[Text, tuple[Row, ...]]:
        found = self.ledger.audit(self.store.open_games())
        facts.note_audit(self.store.db, len(found.problems), now)
        lines = [text("just", it=problem) for problem in found.problems[:10]]
        title = text(
            "panel.audit_wrong" if lines else "panel.audit_right",
            bookings=found.bookings,
            postings=found.postings,
        )
        return _page(title, lines), ((_view("panel.back", "home"),),)

    def _chart(self, person: Person, now: int) -> Done:
        held = tracks.places(self.store.db, now, self.settings.zone)
        draw = partial(charts.supply, places=held, zone=self.settings.zone)
        picture = Drawing(("supply", now // 3600, held.held["wallet"][-1]), draw)
        say = Say(person.user_id, text("panel.chart_caption"), person.language, picture=picture)
        return Done(say=(say,))

    # -- deeds --------------------------------------------------------------------------------

    def _question(self, what: str) -> tuple[Text, tuple[Row, ...]]:
        verb, _, value = what.partition(".")
        back = _VIEW_AFTER.get(verb, "home")
        yes = key(text("panel.yes"), SCOPE, f"do.{what}", style="danger")
        if verb not in _VIEW_AFTER or verb in ("less", "more"):
            raise Refusal("refused.stale")
        asked = text(f"panel.ask_{verb}", value=value)
        return asked, ((yes, _view("panel.no", back)),)

    def _do(self, what: str, person: Person, now: int, ref: str) -> Text:
        verb, _, value = what.partition(".")
        plan = self.robin.robin_hood.plan()
        try:
            match verb:
                case "drain" | "undrain":
                    operator.drain(self.store, verb == "drain")
                case "pause" | "resume":
                    self.robin.schedule(replace(plan, paused=verb == "pause"), now)
                case "now":
                    self.robin.order(now, plan.coins or NOW_COINS)
                case "fund":
                    operator.top_up(
                        self.ledger, int(value), "panel", f"panel:{ref}", by=person.user_id, now=now
                    )
                case "cancel":
                    self.robin.cancel(int(value))
                case "bar" | "unbar":
                    self.robin.bar(int(value), verb == "bar")
                case "less" | "more":
                    warning = self.robin.schedule(_stepped(plan, value, verb), now)
                    return text("panel.warned") if warning else text("panel.done")
                case _:
                    raise Refusal("refused.stale")
        except (WrongPlan, ValueError):
            raise Refusal("panel.cannot") from None
        return text("panel.done")


_VIEW_AFTER = {
    **dict.fromkeys(("pause", "resume", "now", "fund", "cancel", "less", "more"), "robin"),
    **dict.fromkeys(("bar", "unbar"), "chats"),
    **dict.fromkeys(("drain", "undrain"), "home"),
}


def _stepped(plan: Plan, name: str, way: str) -> Plan:
    """The plan with one of its numbers a step less or more."""
    step = STEPS[name] * (1 if way == "more" else -1)
    match name:
        case "rounds":
            return replace(plan, rounds=max(0, plan.rounds + step), coins=plan.coins or NOW_COINS)
        case "coins":
            return replace(plan, coins=max(5, plan.coins + step))
        case "first":
            return replace(plan, first_hour=plan.first_hour + step)
    return replace(plan, last_hour=plan.last_hour + step)


def _view(label: str, view: str) -> Key:
    return key(text(label), SCOPE, view)


def _ask(label: str, what: str) -> Key:
    return key(text(label), SCOPE, f"ask.{what}")


def _change(name: str, way: str) -> Key:
    # A step is seen and undone at once, so it is not asked about.
    return key(text(f"panel.{name}_{way}"), SCOPE, f"do.{way}.{name}")


def _page(title: Text, lines: list[Text]) -> Text:
    return text("panel.page", title=title, lines=Lines(tuple(lines)))
