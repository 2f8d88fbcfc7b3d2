"""An operator's errands: what the panel is still to be told, asks about once, and then does.

An errand is a row, from its first question to the Yes that takes it away: a restart forgets none,
and a second Yes finds nothing left to do. Money is booked under the update of the Yes.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from economy.ledger import COINS, Overdrawn, wallet
from economy.robin_hood import WrongPlan
from games.game import Refusal, Text, text
from tgbot.hall.hall import Hall
from tgbot.hall.robin_hood import NOW_COINS, moment
from tgbot.operator import actions
from tgbot.people.amounts import amount, read_amount
from tgbot.people.awaited import Awaited
from tgbot.people.people import People, Person, Who
from tgbot.words import When, clean_name, isolated

KIND = "errand"
KEPT_S = 3600
"""How long an errand waits for its next answer."""
LONGEST_REASON = 200
ASKED: dict[str, tuple[str, ...]] = {
    "grant": ("about", "coins", "why"),
    "correct": ("about", "coins", "why"),
    "fund": ("coins",),
    "at": ("at",),
}
"""What the errands are told by words, in this order; all others know what they need."""
ABOUT = ("cancel", "bar", "unbar")
DEEDS = (*ASKED, *ABOUT, "now", "pause", "resume", "drain", "undrain", "backup")


NEAREST = 3
"""How many chats are named that are nearest to being eligible."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What is to be done: the `deed`, `about` which person, chat or round, and what it takes.

    `number` is the update it began with; `coins` are below 0 where they are taken away, `at` is in
    unix seconds.
    """

    number: int
    deed: str
    about: int = 0
    coins: int = 0
    at: int = 0
    why: str = ""

    @property
    def missing(self) -> str:
        """The next thing to be told; empty where nothing is missing."""
        steps = ASKED.get(self.deed, ())
        return next((step for step in steps if not getattr(self, step)), "")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer in words. `mentioned` is a person in it, `origin` who wrote what was forwarded."""

    words: str
    mentioned: Who | None = None
    origin: Who | None = None
    forwarded: bool = False


class Errands:
    """Keeps, asks and does errands; every method runs on the clerk's thread."""

    def __init__(self, hall: Hall, people: People) -> None:
        self.hall = hall
        self.store = hall.store
        self.awaited = Awaited(hall.store.db)
        self.ledger = hall.ledger
        self.robin = hall.settling.robin
        self.people = people
        self.zone = hall.settings.zone

    def begin(self, person: Person, what: str, number: int, now: int) -> Errand:
        """A new errand in the place of an older one: `grant`, `fund.100`, `cancel.7`."""
        deed, _, value = what.partition(".")
        if deed not in DEEDS or not re.fullmatch(r"(-?[0-9]{1,18})?", value, re.ASCII):
            raise Refusal("refused.stale")
        errand = Errand(number, deed)
        if value and deed == "fund":
            errand = replace(errand, coins=int(value))
        elif value:
            errand = replace(errand, about=int(value))
        return self._keep(person, errand, now)

    def pending(self, person: Person, now: int) -> Errand | None:
        """The errand that waits for an answer or a Yes."""
        kept = self.awaited.ref(person.user_id, KIND, now - KEPT_S)
        return Errand(**json.loads(kept)) if kept else None

    def drop(self, person: Person) -> None:
        """Forgets the errand."""
        self.awaited.take(person.user_id, KIND)

    def tell(self, person: Person, errand: Errand, reply: Reply, now: int) -> Errand:
        """The errand with one thing more. Raises `Refusal`; the errand then waits as it was."""
        match errand.missing:
            case "about":
                errand = replace(errand, about=self._whom(reply).user_id)
            case "coins":
                errand = replace(errand, coins=self._coins(errand, reply.words))
            case "at":
                errand = replace(errand, at=self._moment(reply.words, now))
            case "why":
                errand = replace(errand, why=_reason(reply.words))
        return self._keep(person, errand, now)

    def question(self, errand: Errand) -> Text:
        """What is to be told next, or whether it shall be done."""
        asked = f"{errand.deed}_{errand.missing}" if errand.missing else f"ask_{errand.deed}"
        return text(f"panel.{asked}", **self._facts(errand))

    def do(self, person: Person, number: int, now: int, ref: str) -> tuple[Errand, Text]:
        """Does the errand, which is gone then; answers it and what came of it.

        `ref` makes the key of what is booked. Raises `Refusal`.
        """
        errand = self.pending(person, now)
        if errand is None or errand.number != number or errand.missing:
            raise Refusal("refused.stale")
        if not self.awaited.take(person.user_id, KIND):  # another worker was faster
            raise Refusal("refused.stale")
        try:
            return errand, self._do(errand, person, now, f"panel:{ref}")
        except WrongPlan:
            raise Refusal("panel.cannot", alert=True) from None
        except Overdrawn:
            raise Refusal("panel.too_much", alert=True) from None

    def _do(self, errand: Errand, person: Person, now: int, key: str) -> Text:
        by, about, coins = person.user_id, errand.about, errand.coins
        robin = self.robin
        match errand.deed:
            case "grant" | "correct":
                give = actions.grant if errand.deed == "grant" else actions.correct
                done = give(self.people, str(about), coins, errand.why, key, by=by, now=now)
                return text("panel.booked", name=actions.shown(done.person), coins=_signed(coins),
                            balance=amount(done.balance, COINS), why=errand.why)  # fmt: skip
            case "fund":
                actions.top_up(self.ledger, coins, "panel", key, by=by, now=now)
            case "now" | "at":
                robin.order(errand.at or now, robin.robin_hood.plan().coins or NOW_COINS)
                if errand.deed == "now" and not robin.eligible(now):
                    return self._nobody_eligible(now)
            case "cancel":
                robin.cancel(about)
            case "bar" | "unbar":
                robin.bar(about, errand.deed == "bar")
            case "pause" | "resume":
                plan = robin.robin_hood.plan()
                robin.schedule(replace(plan, paused=errand.deed == "pause"), now)
            case "drain" | "undrain":
                actions.drain(self.store, errand.deed == "drain")
        return text("panel.done")

    # -- inside -------------------------------------------------------------------------------

    def _nobody_eligible(self, now: int) -> Text:
        """A round was ordered, and no chat can have it yet: how many people are missing where."""
        people, needed = self.robin.people(now), self.robin.settings.robin_people
        nearest = sorted(people, key=lambda chat: (-people[chat], chat))[:NEAREST]
        lines = [
            text("panel.lacks", chat=isolated(self.hall.chats.settings(chat).title) or str(chat),
                 n=people[chat], of=needed)
            for chat in nearest
        ]  # fmt: skip
        return text("panel.nobody_eligible", chats=tuple(lines) or text("panel.no_free_chat"))

    def _keep(self, person: Person, errand: Errand, now: int) -> Errand:
        self.awaited.ask(person.user_id, KIND, json.dumps(asdict(errand)), now)
        return errand

    def _facts(self, errand: Errand) -> dict[str, object]:
        """What the question of an errand may name."""
        facts: dict[str, object] = {"n": errand.about, "coins": _signed(errand.coins)}
        facts["why"] = errand.why
        if errand.deed in ("grant", "correct") and errand.about:
            person = self.people.known(errand.about)
            held = self.ledger.balance(wallet(errand.about))
            facts |= {
                "name": actions.shown(person) if person else str(errand.about),
                "held": amount(held, COINS),
                "balance": amount(held + errand.coins, COINS),
            }
        elif errand.deed == "fund":
            held = self.robin.robin_hood.held()
            facts |= {"held": amount(held, COINS), "balance": amount(held + errand.coins, COINS)}
        elif errand.deed in ("now", "at"):
            coins = self.robin.robin_hood.plan().coins or NOW_COINS
            at = datetime.fromtimestamp(errand.at, self.zone)
            facts |= {"coins": amount(coins, COINS), "time": When(at)}
        elif errand.deed in ("bar", "unbar"):
            title = self.hall.chats.settings(errand.about).title
            facts["chat"] = isolated(title) or str(errand.about)
        return facts

    def _whom(self, reply: Reply) -> Person:
        """Somebody forwarded, mentioned, or named by user id, @username or name."""
        words = reply.words.strip()
        if reply.forwarded and reply.origin is None:
            raise Refusal("panel.nobody")
        if who := reply.origin or reply.mentioned:
            found = [person] if (person := self.people.known(who.user_id)) else []
            words = who.name
        elif re.fullmatch(r"[0-9]{1,18}", words, re.ASCII):
            found = [person] if (person := self.people.known(int(words))) else []
        else:
            found = self.people.named(words)
            if not found and words.startswith("@") and words.lower().endswith("bot"):
                raise Refusal("give.bot")
            actions.chosen(found, words)
        if not found:
            raise Refusal("panel.unknown", name=isolated(clean_name(words, 0)))
        return found[0]

    def _coins(self, errand: Errand, typed: str) -> int:
        """Plain digits; for a correction they may have a sign."""
        sign, digits = "", typed.strip()
        if errand.deed == "correct" and digits[:1] in ("+", "-", "−"):
            sign, digits = digits[0], digits[1:].strip()
        coins = read_amount(digits)
        if coins is None:
            raise Refusal("panel.amount")
        if sign in ("", "+"):
            return coins
        if coins > (held := self.ledger.balance(wallet(errand.about))):
            person = self.people.known(errand.about)
            raise Refusal(
                "operator.too_little",
                name=actions.shown(person) if person else str(errand.about),
                held=amount(held, COINS),
                asked=amount(coins, COINS),
            )
        return -coins

    def _moment(self, typed: str, now: int) -> int:
        at = moment(typed, now, self.zone)
        if at is None:
            raise Refusal("panel.moment")
        return at


def _reason(typed: str) -> str:
    reason = " ".join(typed.split())
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise Refusal("panel.reason", most=LONGEST_REASON)
    return reason


def _signed(coins: int) -> Text:
    return text("panel.plus" if coins >= 0 else "panel.minus", coins=amount(abs(coins), COINS))
