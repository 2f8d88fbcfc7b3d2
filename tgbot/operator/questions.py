"""What the panel asks about before it does it: each question by its name, in `QUESTIONS`.

A new one is an entry here, with what it does, and its words: `panel.NAME` on its button,
`panel.NAME_coins` and the like for what it asks for, `panel.ask_NAME` for whether it shall be done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from economy.database import sqlite_file
from economy.ledger import COINS, wallet
from games.game import Text, text
from tgbot import facts
from tgbot.config import Settings
from tgbot.hall.hall import Hall
from tgbot.hall.robin_hood import NOW_COINS
from tgbot.operator import actions
from tgbot.operator.backup import BackupError, into_folder
from tgbot.people.amounts import amount
from tgbot.people.people import People
from tgbot.words import When, isolated

NEAREST = 3
"""How many chats are named that are nearest to being eligible."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Errand:
    """A question as it was begun: `about` which person, chat or round, and what was answered.

    `number` is the update it began with; `coins` are below 0 where they are taken away, `at` is in
    unix seconds.
    """

    number: int
    name: str
    about: int = 0
    coins: int = 0
    at: int = 0
    why: str = ""

    @property
    def question(self) -> Question:
        """The question it is."""
        return QUESTIONS[self.name]

    @property
    def missing(self) -> str:
        """The next thing to be told; empty where nothing is missing."""
        return next((it for it in self.question.asks if not getattr(self, it)), "")


@dataclass(frozen=True, slots=True)
class Hands:
    """What an errand is done with: by which operator, when, and the key of what is booked."""

    hall: Hall
    people: People
    by: int = 0
    now: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class AtLength:
    """Work that takes its time: it is done in a thread of its own, and answers what came of it."""

    meanwhile: Text
    work: Callable[[], Text]


Outcome = Text | AtLength | None
Facts = dict[str, object]


def _nothing(hands: Hands, errand: Errand) -> Facts:
    return {}


def _always(hall: Hall) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Question:
    """Something the panel does for an operator once they have said Yes.

    `do` does it, inside a transaction, and answers what there is to say beyond "done"; it may raise
    `Refusal`, `economy.robin_hood.WrongPlan` or `economy.ledger.Overdrawn`. `asks` are the fields
    of the errand that are told in words, in this order; `tells` is what its sentences may name
    beside `n`, `coins` and `why`. Its button stands on `page`, to which it leads back, while it is
    `offered`; None: that page makes buttons of its own for it. What came of it is said in a toast,
    or if it `stays`, as a page. Where it `takes_back`, coins may be told with a minus.
    """

    do: Callable[[Hands, Errand], Outcome]
    asks: tuple[str, ...] = ()
    tells: Callable[[Hands, Errand], Facts] = _nothing
    page: str = "home"
    offered: Callable[[Hall], bool] | None = _always
    stays: bool = False
    takes_back: bool = False


# -- money ------------------------------------------------------------------------------------


def _grant(hands: Hands, errand: Errand) -> Text:
    return _booked(errand, actions.grant(*_gift(hands, errand), by=hands.by, now=hands.now))


def _correct(hands: Hands, errand: Errand) -> Text:
    return _booked(errand, actions.correct(*_gift(hands, errand), by=hands.by, now=hands.now))


def _gift(hands: Hands, errand: Errand) -> tuple[People, str, int, str, str]:
    return hands.people, str(errand.about), errand.coins, errand.why, hands.key


def _booked(errand: Errand, done: actions.Granted) -> Text:
    return text(
        "panel.booked",
        name=actions.shown(done.person),
        coins=signed(errand.coins),
        balance=amount(done.balance, COINS),
        why=errand.why,
    )


def _of_person(hands: Hands, errand: Errand) -> Facts:
    """Whom it is about, what they hold now and would hold then."""
    if not errand.about:
        return {}
    held = hands.hall.ledger.balance(wallet(errand.about))
    name = shown_person(hands.people, errand.about)
    return {"name": name, **_change(held, errand.coins)}


def _fund(hands: Hands, errand: Errand) -> None:
    ledger, by, now = hands.hall.ledger, hands.by, hands.now
    actions.top_up(ledger, errand.coins, "panel", hands.key, by=by, now=now)


def _of_fund(hands: Hands, errand: Errand) -> Facts:
    return _change(hands.hall.settling.robin.robin_hood.held(), errand.coins)


def _change(held: int, coins: int) -> Facts:
    return {"held": amount(held, COINS), "balance": amount(held + coins, COINS)}


# -- Robin Hood -------------------------------------------------------------------------------


def _at(hands: Hands, errand: Errand) -> None:
    hands.hall.settling.robin.order(errand.at, _coins_of_a_round(hands.hall))


def _now(hands: Hands, errand: Errand) -> Text | None:
    robin = hands.hall.settling.robin
    robin.order(hands.now, _coins_of_a_round(hands.hall))
    return None if robin.eligible(hands.now) else _nobody_eligible(hands)


def _nobody_eligible(hands: Hands) -> Text:
    """A round was ordered, and no chat can have it yet: how many people are missing where."""
    robin, chats = hands.hall.settling.robin, hands.hall.chats
    people = robin.people(hands.now)
    nearest = sorted(people, key=lambda chat: (-people[chat], chat))[:NEAREST]
    lines = [
        text("panel.lacks", chat=isolated(chats.settings(chat).title) or str(chat),
             n=people[chat], of=robin.settings.robin_people)
        for chat in nearest
    ]  # fmt: skip
    return text("panel.nobody_eligible", chats=tuple(lines) or text("panel.no_free_chat"))


def _of_round(hands: Hands, errand: Errand) -> Facts:
    at = datetime.fromtimestamp(errand.at, hands.hall.settings.zone)
    return {"coins": amount(_coins_of_a_round(hands.hall), COINS), "time": When(at)}


def _coins_of_a_round(hall: Hall) -> int:
    return hall.settling.robin.robin_hood.plan().coins or NOW_COINS


def _cancel(hands: Hands, errand: Errand) -> None:
    hands.hall.settling.robin.cancel(errand.about)


def _pause(hands: Hands, errand: Errand) -> None:
    robin = hands.hall.settling.robin
    robin.schedule(replace(robin.robin_hood.plan(), paused=errand.name == "pause"), hands.now)


def _paused(hall: Hall) -> bool:
    return hall.settling.robin.robin_hood.plan().paused


def _bar(hands: Hands, errand: Errand) -> None:
    hands.hall.settling.robin.bar(errand.about, errand.name == "bar")


def _of_chat(hands: Hands, errand: Errand) -> Facts:
    title = hands.hall.chats.settings(errand.about).title
    return {"chat": isolated(title) or str(errand.about)}


# -- the whole bot ----------------------------------------------------------------------------


def _drain(hands: Hands, errand: Errand) -> None:
    actions.drain(hands.hall.store, errand.name == "drain")


def _draining(hall: Hall) -> bool:
    return facts.draining(hall.store.db)


def _backup(hands: Hands, errand: Errand) -> AtLength:
    settings = hands.hall.settings
    return AtLength(text("panel.backing_up"), lambda: _backed_up(settings))


def _backed_up(settings: Settings) -> Text:
    try:
        made = into_folder(settings)
    except BackupError as error:
        log.warning("a backup was not made", error=str(error))
        folder = str(settings.backup_folder.absolute())
        return text("panel.no_room" if error.full else "panel.no_backup", folder=folder)
    file = made.file.absolute()
    size = max(0.1, round(made.size / 1e6, 1))
    return text("panel.backed_up", file=file.name, folder=str(file.parent), size=size,
                bookings=made.bookings)  # fmt: skip


def _is_a_file(hall: Hall) -> bool:
    return sqlite_file(hall.settings.database) is not None


_GIVING = ("about", "coins", "why")
QUESTIONS: dict[str, Question] = {
    "grant": Question(_grant, _GIVING, _of_person, stays=True),
    "correct": Question(_correct, _GIVING, _of_person, stays=True, takes_back=True),
    "backup": Question(_backup, offered=_is_a_file),
    "drain": Question(_drain, offered=lambda hall: not _draining(hall)),
    "undrain": Question(_drain, offered=_draining),
    "now": Question(_now, tells=_of_round, page="robin"),
    "at": Question(_at, ("at",), _of_round, page="robin"),
    "pause": Question(_pause, page="robin", offered=lambda hall: not _paused(hall)),
    "resume": Question(_pause, page="robin", offered=_paused),
    "fund": Question(_fund, ("coins",), _of_fund, page="robin"),
    "cancel": Question(_cancel, page="rounds", offered=None),
    "bar": Question(_bar, tells=_of_chat, page="chats", offered=None),
    "unbar": Question(_bar, tells=_of_chat, page="chats", offered=None),
}
"""In the order of their buttons."""


def offered(hall: Hall, page: str) -> list[str]:
    """The questions whose buttons stand on a page now."""
    return [
        name
        for name, it in QUESTIONS.items()
        if it.page == page and it.offered and it.offered(hall)
    ]


def signed(coins: int) -> Text:
    """So many coins, with their sign."""
    return text("panel.plus" if coins >= 0 else "panel.minus", coins=amount(abs(coins), COINS))


def shown_person(people: People, user_id: int) -> str:
    """A person with what tells them from others of the same name; their id if they are unknown."""
    person = people.known(user_id)
    return actions.shown(person) if person else str(user_id)
