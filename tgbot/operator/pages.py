"""The pages of the operator's panel. They only read, beside the clerk: nobody waits for them.

A page is named by a word, and a number where it has several: `home`, `chats.2`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from economy.ledger import COINS
from economy.robin_hood import Plan, Round
from economy.supply import Supply
from games.game import Grid, Lines, Percent, Text, text
from tgbot import facts
from tgbot.config import Settings
from tgbot.done import Key, Row, grid, key
from tgbot.hall.hall import Hall
from tgbot.models import ChatRow
from tgbot.operator import actions
from tgbot.operator.questions import offered
from tgbot.people.amounts import amount
from tgbot.people.names import shown_name
from tgbot.words import When, isolated, native_name

SCOPE = "op"
TOP_UPS = (100, 1000)
PLAN_STEPS = {"rounds": 1, "coins": 5, "first": 1, "last": 1}
"""The numbers of the plan, and how much a press of − or + changes each."""
A_PAGE = 6
NEXT_ROUNDS = 3
DAYS = 7
RICHEST = 5
LONGEST_LABEL = 15
DAY_S = 24 * 3600

ABOVE = {
    **dict.fromkeys(("supply", "robin", "chats", "audit"), "home"),
    **dict.fromkeys(("rounds", "past", "plan"), "robin"),
    "chart": "supply",
}
"""The page that each one's button is on, and to which it leads back. What `audit` and `chart` show
is made by the panel."""

Page = tuple[Text, tuple[Row, ...]]
"""What a page says, and its rows of buttons."""


class Pages:
    """What the pages say. Every method runs in a snapshot (see `economy.transactions.beside`)."""

    def __init__(self, hall: Hall, settings: Settings) -> None:
        self.hall = hall
        self.store = hall.store
        self.robin = hall.settling.robin
        self.settings = settings

    def page(self, code: str, now: int) -> Page:
        """The page of that name; the first one for a name that is none."""
        name, _, number = code.partition(".")
        turned = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
        pages: dict[str, Callable[[int, int], Page]] = {
            "home": self._home,
            "supply": self._supply,
            "robin": self._robin,
            "plan": self._plan,
            "rounds": self._rounds,
            "past": self._past,
            "chats": self._chats,
        }
        name = name if name in pages else "home"
        body, rows = pages[name](now, turned)
        views = [view(it) for it, above in ABOVE.items() if above == name]
        asks = [ask(it) for it in offered(self.hall, name)]
        last = ((back(ABOVE[name]),),) if name in ABOVE else ()
        return body, (*grid(views, 2), *grid(asks, 2), *rows, *last)

    def _home(self, now: int, page: int) -> Page:
        drained = facts.draining(self.store.db)
        body = text(
            "panel.home",
            games=len(self.store.open_games()),
            fund=amount(self.robin.robin_hood.held(), COINS),
            drained=text("panel.drained" if drained else "panel.open"),
            audit=self._last_audit(now),
        )
        return body, ()

    def _last_audit(self, now: int) -> Text:
        found = facts.last_audit(self.store.db)
        if found is None:
            return text("panel.audit_never")
        right, at = found
        return text("panel.audit_well" if right else "panel.audit_bad", time=self._time(at, now))

    # -- supply -------------------------------------------------------------------------------

    def _supply(self, now: int, page: int) -> Page:
        found = actions.supply(self.store, self.settings, now, days=DAYS)
        held = found.held[COINS]
        lines = [
            text("panel.places", grid=_places(held)),
            text("panel.days", grid=_days(found)),
        ]
        if found.richest:
            lines.append(text("panel.richest", share=Percent(found.richest_share)))
        lines += [
            text("panel.owner", place=place, name=self._name(int(owner.ref)),
                 coins=owner.coins, share=Percent(owner.share))
            for place, owner in enumerate(found.richest[:RICHEST], 1)
        ]  # fmt: skip
        title = text("panel.supply_title", coins=amount(found.circulation[COINS], COINS))
        return _page(title, lines), ()

    # -- Robin Hood ---------------------------------------------------------------------------

    def _robin(self, now: int, page: int) -> Page:
        hood = self.robin.robin_hood
        plan = hood.plan()
        lines = [self._round(it, now) for it in hood.rounds(now)[:NEXT_ROUNDS]]
        title = text(
            "panel.robin_title",
            state=text("panel.paused" if plan.paused else "panel.running"),
            fund=amount(hood.held(), COINS),
            plan=self._planned(),
        )
        fills = tuple(key(text("panel.top_up", n=n), SCOPE, f"ask.fund.{n}") for n in TOP_UPS)
        return _page(title, lines or [text("panel.no_rounds")]), (fills,)

    def _planned(self) -> Text:
        plan = self.robin.robin_hood.plan()
        if not plan.rounds:
            return text("panel.no_plan")
        return text("panel.planned", n=plan.rounds, coins=amount(plan.coins, COINS),
                    first=plan.first_hour, last=plan.last_hour)  # fmt: skip

    def _plan(self, now: int, page: int) -> Page:
        hood = self.robin.robin_hood
        plan, held = hood.plan(), hood.held()
        lines = [text("panel.cost", coins=amount(plan.cost, COINS), fund=amount(held, COINS))]
        if plan.cost > held:
            lines.append(text("panel.short"))
        title = text("panel.plan_title", plan=self._planned())
        return _page(title, lines), _steps(plan)

    def _rounds(self, now: int, page: int) -> Page:
        """Rounds to come, each with a button that calls it off."""
        open_still = [
            it for it in self.robin.robin_hood.rounds(now) if it.status in ("planned", "waiting")
        ]
        shown = open_still[page * A_PAGE :][: A_PAGE + 1]
        lines = [self._round(it, now) for it in shown[:A_PAGE]]
        cancels = [
            key(text("panel.cancel", n=it.id), SCOPE, f"ask.cancel.{it.id}")
            for it in shown[:A_PAGE]
        ]
        title = text("panel.rounds_title")
        return _page(title, lines or [text("panel.no_rounds")]), (
            *grid(cancels, 3),
            *_turn("rounds", page, len(shown) > A_PAGE),
        )

    def _past(self, now: int, page: int) -> Page:
        """Rounds that are over: when, where, how much, and who got it."""
        found = self.robin.robin_hood.past(A_PAGE + 1, page * A_PAGE)
        lines = [self._given(it, now) for it in found[:A_PAGE]]
        title = text("panel.past_title")
        return _page(title, lines or [text("panel.none_past")], apart=True), (
            *_turn("past", page, len(found) > A_PAGE),
        )

    def _round(self, it: Round, now: int) -> Text:
        met = it.status in ("attached", "given")
        return text(
            "panel.round_in" if it.status == "waiting" and it.place else "panel.round",
            n=it.id,
            time=self._time(it.due_at if met else it.planned_at, now),
            coins=it.given or it.coins,
            status=text(f"panel.round_{it.status}"),
            chat=self._title(it.place),
        )

    def _given(self, it: Round, now: int) -> Text:
        """A round, and below it where it was and who got it."""
        shares = tuple(
            text("panel.share", name=self._name(user_id), coins=coins)
            for user_id, coins in self.robin.shares(it)
        )
        lines = [self._round(it, now)]
        if shares:
            lines.append(text("panel.shares", chat=self._title(it.place), shares=shares))
        return text("just", it=Lines(tuple(lines)))

    def _name(self, user_id: int) -> str:
        return isolated(shown_name(self.store.db, user_id))

    def _title(self, place: str) -> str:
        return isolated(self.hall.chats.settings(int(place)).title) if place else ""

    # -- chats --------------------------------------------------------------------------------

    def _chats(self, now: int, page: int) -> Page:
        """Every group with its settings, last played in first."""
        columns = (
            ChatRow.chat_id,
            ChatRow.title,
            ChatRow.stake,
            ChatRow.openers,
            ChatRow.topics,
            ChatRow.language,
            ChatRow.barred,
            ChatRow.last_game_at,
            ChatRow.free_since,
        )
        chats = ChatRow.select(*columns).where(ChatRow.gone_at == 0, ChatRow.moved_to == 0)
        chats = chats.order_by(ChatRow.last_game_at.desc(), ChatRow.chat_id)
        some = chats.limit(A_PAGE + 1).offset(page * A_PAGE)
        found = list(some.tuples().execute(self.store.db))
        people = self.robin.people(now)
        lines = [self._chat(row, people, now) for row in found[:A_PAGE]]
        switches = []
        for chat_id, title, *_, barred, _last, _since in found[:A_PAGE]:
            name = "unbar" if barred else "bar"
            label = text(f"panel.{name}", chat=_short(title or str(chat_id)))
            switches.append(key(label, SCOPE, f"ask.{name}.{chat_id}"))
        title = text("panel.chats_title")
        return _page(title, lines or [text("panel.no_chats")], apart=True), (
            *grid(switches, 2),
            *_turn("chats", page, len(found) > A_PAGE),
        )

    def _comes(self, chat_id: int, free_since: int, people: int, now: int) -> Text:
        """Whether Robin Hood may come to a chat that plays for free, and what it lacks else."""
        days, free_s = self.settings.robin_free_days, now - free_since
        if free_s < days * DAY_S:
            return text("panel.robin_free_for", n=free_s // DAY_S, of=days)
        fewest = self.settings.robin_people
        return text("panel.robin_comes" if people >= fewest else "panel.robin_people",
                    n=people, of=fewest)  # fmt: skip

    def _chat(self, row: Sequence[Any], people: Mapping[int, int], now: int) -> Text:
        chat_id, title, stake, openers, topics, language, barred, last, free_since = row
        comes = text("panel.robin_barred" if barred else "panel.robin_staked")
        if not barred and not stake:
            comes = self._comes(chat_id, free_since, people.get(chat_id, 0), now)
        return text(
            "panel.chat",
            title=isolated(title) or str(chat_id),
            stake=text("panel.staked", coins=amount(stake, COINS)) if stake else text("panel.free"),
            language=native_name(language or self.hall.chats.default_language),
            openers=text(f"panel.by_{openers}"),
            topics=text("panel.topics", n=topics.count(",") + 1) if topics else text("panel.any"),
            robin=comes,
            last=self._time(last, now) if last else "–",
        )

    def _time(self, at: int, now: int) -> When:
        """A time on the operator's clock, with its year where that is another one."""
        zone = self.settings.zone
        wall = datetime.fromtimestamp(at, zone)
        this_year = wall.year == datetime.fromtimestamp(now, zone).year
        return When(wall, "MMMd" if this_year else "yMMMd")


def _places(held: Any) -> Grid:
    return Grid(tuple((text(f"panel.in_{place}"), held[place]) for place in held))


def _days(found: Supply) -> Grid:
    """Day by day, the newest first: what is new, what the mint took back, what games paid."""
    head = (text("panel.day"), text("panel.new"), text("panel.gone"), text("panel.paid"))
    rows = [
        (When(date.fromisoformat(day.date), "MMMd"), day.new, day.gone, day.paid)
        for day in reversed(found.days[COINS])
    ]
    return Grid((head, *rows))


def view(name: str) -> Key:
    """A button to a page."""
    return key(text(f"panel.{name}"), SCOPE, name)


def ask(name: str) -> Key:
    """A button that asks a question."""
    return key(text(f"panel.{name}"), SCOPE, f"ask.{name}")


def _steps(plan: Plan) -> tuple[Row, ...]:
    """The numbers of the plan, each between its − and +: `[−] [2 a day] [+]`.

    A step is seen and undone at once, so it is not asked about.
    """
    values = {
        "rounds": text("panel.rounds_value", n=plan.rounds),
        "coins": text("panel.coins_value", coins=amount(plan.coins, COINS)),
        "first": text("panel.first_value", hour=plan.first_hour),
        "last": text("panel.last_value", hour=plan.last_hour),
    }
    return tuple(
        (
            key(text("panel.less"), SCOPE, f"step.less.{name}"),
            key(values[name], SCOPE, "plan"),
            key(text("panel.more"), SCOPE, f"step.more.{name}"),
        )
        for name in PLAN_STEPS
    )


def back(name: str) -> Key:
    """The button that leads back to a page."""
    return key(text("panel.back"), SCOPE, name)


def _turn(name: str, page: int, more: bool) -> tuple[Row, ...]:
    """The buttons to the pages before and after."""
    keys = []
    if page:
        keys.append(key(text("panel.before"), SCOPE, f"{name}.{page - 1}"))
    if more:
        keys.append(key(text("panel.after"), SCOPE, f"{name}.{page + 1}"))
    return (tuple(keys),) if keys else ()


def _page(title: Text, lines: Sequence[Text], *, apart: bool = False) -> Text:
    """A title and what follows, with a line `apart` between all of it."""
    if apart:
        lines = [text("panel.below", it=line) for line in lines]
    return text("panel.page", title=title, lines=Lines(tuple(lines)))


def _short(title: str) -> str:
    """A title that fits on half a phone's width."""
    return title if len(title) <= LONGEST_LABEL else f"{title[: LONGEST_LABEL - 1].rstrip()}…"
