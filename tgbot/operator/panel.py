"""The operator's panel: what the hall holds and Robin Hood's reins, in one message edited in place.

Its buttons say words behind the scope `op`: a page (`robin`, `chats.2`), the beginning of an errand
(`ask.pause`), the Yes (`do.` and the errand's number) or No to it, a step of the plan. Who may is
checked at every press and every answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import structlog
from peewee import fn

from economy import tracks
from economy.audit import prove_in_slices
from economy.models import BookingRow
from economy.robin_hood import Plan, WrongPlan
from economy.transactions import beside
from games.game import Lines, Refusal, Text, text
from tgbot import charts, facts
from tgbot.config import Settings
from tgbot.done import Done, Drawing, Row, Say, key
from tgbot.hall.hall import Hall
from tgbot.hall.robin_hood import NOW_COINS
from tgbot.operator.errands import Errands, Reply
from tgbot.operator.pages import PLAN_STEPS, SCOPE, Page, Pages, back
from tgbot.operator.questions import AtLength, Errand, Outcome
from tgbot.people.people import CHART_S, People, Person
from tgbot.words import Words

FEWEST_COINS = 5
MOST_PROBLEMS = 10

log = structlog.get_logger(__name__)


class Panel:
    """What an operator sees and does. Its methods run on the clerk's thread.

    What takes its time to read, or is a backup, is done `later`, in a thread of its own.
    """

    def __init__(self, hall: Hall, people: People, settings: Settings) -> None:
        self.hall = hall
        self.db = hall.store.db
        self.settings = settings
        self.pages = Pages(hall, settings)
        self.errands = Errands(hall, people)

    def show(self, person: Person, code: str, now: int, *, update: int = 0, edit: int = 0) -> Done:
        """The page, question or deed that `code` names, in the place of the message `edit`.

        `update` makes the key of what is booked. Raises `Refusal`, also for everybody else.
        """
        self._operators_only(person)
        verb, _, what = code.partition(".")
        match verb:
            case "ask":
                return self._ask(person, self.errands.begin(person, what, update, now), edit)
            case "do" if re.fullmatch(r"[0-9]{1,18}", what, re.ASCII):
                errand, came = self.errands.do(person, int(what), now, f"{update}.{edit}")
                return self._done(person, errand, came, now, edit)
            case "no":
                self.errands.drop(person)
                return self._page(person, what, now, edit)
            case "step":
                toast = self._step(what, now)
                return replace(self._page(person, "plan", now, edit), toast=toast)
            case "chart":
                return self._chart(person, now)
            case "audit":
                audit = AtLength(text("panel.auditing"), partial(self._audit, now))
                return _at_length(person, audit, "home", edit)
        return self._page(person, code, now, edit)

    def answer(self, person: Person, reply: Reply, now: int) -> Done | None:
        """Words of an operator; None where the panel waits for none. Raises `Refusal`."""
        if person.user_id not in self.settings.operators:
            return None
        errand = self.errands.pending(person, now)
        if errand is None or not errand.missing:
            return None
        return self._ask(person, self.errands.tell(person, errand, reply, now))

    def _operators_only(self, person: Person) -> None:
        if person.user_id not in self.settings.operators:
            raise Refusal("refused.stale")

    # -- errands ------------------------------------------------------------------------------

    def _ask(self, person: Person, errand: Errand, edit: int = 0) -> Done:
        """Asks for what is missing, or whether it shall be done."""
        no = f"no.{errand.question.page}"
        rows: tuple[Row, ...] = ((key(text("panel.call_off"), SCOPE, no),),)
        if not errand.missing:
            yes = key(text("panel.yes"), SCOPE, f"do.{errand.number}", style="primary")
            rows = ((yes, key(text("panel.no"), SCOPE, no)),)
        asked = self.errands.question(errand)
        return Done(say=(Say(person.user_id, asked, person.language, rows, edit=edit),))

    def _done(self, person: Person, errand: Errand, came: Outcome, now: int, edit: int) -> Done:
        """What is shown of an errand that was done."""
        question = errand.question
        if isinstance(came, AtLength):
            return _at_length(person, came, question.page, edit)
        if came and question.stays:
            rows = ((back(question.page),),)
            return Done(say=(Say(person.user_id, came, person.language, rows, edit=edit),))
        toast = came or text("panel.done")
        return replace(self._page(person, question.page, now, edit), toast=toast)

    def _step(self, what: str, now: int) -> Text:
        way, _, name = what.partition(".")
        if name not in PLAN_STEPS or way not in ("less", "more"):
            raise Refusal("refused.stale")
        robin = self.hall.settling.robin
        plan = _stepped(robin.robin_hood.plan(), name, way)
        try:
            warning = robin.schedule(plan, now)
        except WrongPlan:
            raise Refusal("panel.cannot") from None
        return text("panel.warned" if warning else "panel.done")

    # -- what takes its time ------------------------------------------------------------------

    def _page(self, person: Person, code: str, now: int, edit: int) -> Done:
        def read() -> Page:
            with beside(self.db):
                return self.pages.page(code, now)

        return Done(later=partial(_said, person, read, edit))

    def _audit(self, now: int) -> Text:
        with self.db.connection_context():
            found = prove_in_slices(self.hall.ledger.db, self.hall.store.open_games)
        with self.db.connection_context(), self.db.atomic():
            facts.note_audit(self.db, len(found.problems), now)
        title = text(
            "panel.audit_wrong" if found.problems else "panel.audit_right",
            bookings=found.bookings,
            postings=found.postings,
        )
        lines = [text("just", it=problem) for problem in found.problems[:MOST_PROBLEMS]]
        return text("panel.page", title=title, lines=Lines(tuple(lines)))

    def _chart(self, person: Person, now: int) -> Done:
        """Where the coins were, as a picture; its thread also reads what it shows."""
        zone, db = self.settings.zone, self.db
        newest = BookingRow.select(fn.MAX(BookingRow.id)).scalar(db)

        def draw(words: Words, language: str) -> bytes:
            with beside(db):
                places = tracks.places(db, now, zone)
            return charts.supply(words, language, places=places, zone=zone)

        picture = Drawing(("supply", now // CHART_S, newest), draw)
        say = Say(person.user_id, text("panel.chart_caption"), person.language, picture=picture)
        return Done(say=(say,))


def _at_length(person: Person, task: AtLength, page: str, edit: int) -> Done:
    """Says what goes on, and when it is through what came of it."""
    wait = Say(person.user_id, task.meanwhile, person.language, edit=edit)
    work = partial(_said, person, lambda: (task.work(), ((back(page),),)), edit)
    return Done(say=(wait,), later=work)


def _said(person: Person, work: Callable[[], Page], edit: int) -> Done:
    """A page made in a thread; who waits for one that failed is told so."""
    try:
        body, rows = work()
    except Exception:
        log.exception("a page of the panel could not be made")
        body, rows = text("refused.broken"), ((back("home"),),)
    return Done(say=(Say(person.user_id, body, person.language, rows, edit=edit),))


def _stepped(plan: Plan, name: str, way: str) -> Plan:
    """The plan with one of its numbers a step less or more."""
    step = PLAN_STEPS[name] * (1 if way == "more" else -1)
    match name:
        case "rounds":
            return replace(plan, rounds=max(0, plan.rounds + step), coins=plan.coins or NOW_COINS)
        case "coins":
            return replace(plan, coins=max(FEWEST_COINS, plan.coins + step))
        case "first":
            return replace(plan, first_hour=plan.first_hour + step)
    return replace(plan, last_hour=plan.last_hour + step)
