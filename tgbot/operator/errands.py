"""An operator's errands: what the panel is still to be told, asks about once, and then does.

An errand is a row, from its first question to the Yes that takes it away: a restart forgets none,
and a second Yes finds nothing left to do. Money is booked under the update of the Yes.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace

from economy.ledger import COINS, Overdrawn, wallet
from economy.robin_hood import WrongPlan
from games.game import Refusal, Text, text
from tgbot.hall.hall import Hall
from tgbot.hall.robin_hood import moment
from tgbot.operator import actions
from tgbot.operator.questions import QUESTIONS, Errand, Hands, Outcome, shown_person, signed
from tgbot.people.amounts import amount, read_amount
from tgbot.people.awaited import Awaited
from tgbot.people.names import clean_name
from tgbot.people.people import People, Person, Who
from tgbot.words import isolated

KIND = "question"
KEPT_S = 3600
"""How long an errand waits for its next answer."""
LONGEST_REASON = 200


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
        self.people = people
        self.awaited = Awaited(hall.store.db)

    def begin(self, person: Person, what: str, number: int, now: int) -> Errand:
        """A new errand in the place of an older one: `grant`, `fund.100`, `cancel.7`."""
        name, _, value = what.partition(".")
        if name not in QUESTIONS or not re.fullmatch(r"(-?[0-9]{1,18})?", value, re.ASCII):
            raise Refusal("refused.stale")
        errand = Errand(number, name)
        if value and errand.missing == "coins":
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
        asked = f"{errand.name}_{errand.missing}" if errand.missing else f"ask_{errand.name}"
        told = {"n": errand.about, "coins": signed(errand.coins), "why": errand.why}
        told |= errand.question.tells(Hands(self.hall, self.people), errand)
        return text(f"panel.{asked}", **told)

    def do(self, person: Person, number: int, now: int, ref: str) -> tuple[Errand, Outcome]:
        """Does the errand, which is gone then; answers it and what came of it.

        `ref` makes the key of what is booked. Raises `Refusal`.
        """
        errand = self.pending(person, now)
        if errand is None or errand.number != number or errand.missing:
            raise Refusal("refused.stale")
        if not self.awaited.take(person.user_id, KIND):  # another worker was faster
            raise Refusal("refused.stale")
        hands = Hands(self.hall, self.people, person.user_id, now, f"panel:{ref}")
        try:
            return errand, errand.question.do(hands, errand)
        except WrongPlan:
            raise Refusal("panel.cannot", alert=True) from None
        except Overdrawn:
            raise Refusal("panel.too_much", alert=True) from None

    # -- inside -------------------------------------------------------------------------------

    def _keep(self, person: Person, errand: Errand, now: int) -> Errand:
        self.awaited.ask(person.user_id, KIND, json.dumps(asdict(errand)), now)
        return errand

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
        """Plain digits; what may be taken back too may have a sign."""
        sign, digits = "", typed.strip()
        if errand.question.takes_back and digits[:1] in ("+", "-", "−"):
            sign, digits = digits[0], digits[1:].strip()
        coins = read_amount(digits)
        if coins is None:
            raise Refusal("panel.amount")
        if sign in ("", "+"):
            return coins
        if coins > (held := self.hall.ledger.balance(wallet(errand.about))):
            raise Refusal(
                "operator.too_little",
                name=shown_person(self.people, errand.about),
                held=amount(held, COINS),
                asked=amount(coins, COINS),
            )
        return -coins

    def _moment(self, typed: str, now: int) -> int:
        at = moment(typed, now, self.hall.settings.zone)
        if at is None:
            raise Refusal("panel.moment")
        return at


def _reason(typed: str) -> str:
    reason = " ".join(typed.split())
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise Refusal("panel.reason", most=LONGEST_REASON)
    return reason
