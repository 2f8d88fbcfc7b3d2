"""What an operator does to money and people; the panel and the command line call the same.

Every movement of money is a booking that keeps who and why. Each function runs inside the caller's
transaction and raises `Refusal`, or an error of the ledger, with nothing to be kept.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from peewee import Database

from economy.best_lists import TopLists
from economy.ledger import COINS, Account, Ledger, Overdrawn, escrow, fund, mint, wallet
from economy.supply import Supply
from economy.supply import supply as report
from economy.transactions import undoable
from games import registry
from games.game import Refusal
from tgbot import facts
from tgbot.config import Settings
from tgbot.hall.daily.attempts import Attempts
from tgbot.hall.daily.dailies import TOPIC as DAILY_TOPIC
from tgbot.hall.hall import Hall
from tgbot.hall.old_boards import OldBoards
from tgbot.hall.store import Store
from tgbot.hall.upkeep import Upkeep
from tgbot.models import GameRow, SeatRow
from tgbot.people.amounts import amount
from tgbot.people.names import clean_name
from tgbot.people.people import People, Person
from tgbot.words import isolated


@dataclass(frozen=True, slots=True)
class Granted:
    """What came of a grant or correction; `new` is False where its key was used for the same."""

    person: Person
    balance: int
    key: str
    new: bool


@dataclass(frozen=True, slots=True)
class Filled:
    """What came of a top-up: what the fund holds now; `new` as in `Granted`."""

    balance: int
    key: str
    new: bool


@dataclass(frozen=True, slots=True)
class Erased:
    """Whom an erasing took the name of, and what went to the mint, by currency."""

    user_id: int
    returned: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What a cancelled game gave back: to each who sat in it, and to the Robin Hood fund."""

    game: str
    returned: Mapping[int, int]
    fund: int


def find(people: People, name: str) -> Person:
    """The person with that user id or @username.

    Raises `Refusal` for one the bot never met, and for a name, with those who have it.
    """
    by_id = re.fullmatch(r"[0-9]{1,18}", name, re.ASCII)
    person = people.known(int(name)) if by_id else chosen(people.named(name), name)
    if person is None:
        raise Refusal("refused.unknown_person")
    return person


def chosen(found: Sequence[Person], name: str) -> Person | None:
    """Who was `found` for a @username. Raises `Refusal` for a name: those are to choose from."""
    if found and not name.strip().startswith("@"):
        choices = ", ".join(shown(person) for person in found)
        raise Refusal("operator.which", name=isolated(clean_name(name, 0)), choices=choices)
    return found[0] if found else None


def shown(person: Person) -> str:
    """A name with what tells it from others of the same name."""
    tag = f"@{person.username}" if person.username else str(person.user_id)
    return f"{isolated(person.name)} ({tag})"


# -- money ------------------------------------------------------------------------------------


def grant(
    people: People, name: str, amount: int, reason: str, key: str = "", *, by: int = 0, now: int = 0
) -> Granted:
    """Mints `amount` coins for a person; `by` is the operator, 0 for the command line.

    Raises `Refusal` for somebody the bot never met, `economy.ledger.KeyConflict` for a key that
    was used for something else.
    """
    return _give(people, find(people, name), "grant", amount, _memo(reason, by), key, now)


def correct(
    people: People, name: str, change: int, reason: str, key: str = "", *, by: int = 0, now: int = 0
) -> Granted:
    """Books a correction: new coins, or with a `change` below zero fewer, as `grant`.

    Raises `Refusal` where the person has less than is to go.
    """
    person = find(people, name)
    try:
        with undoable(people.db):
            return _give(people, person, "correct", change, _memo(reason, by), key, now)
    except Overdrawn:
        held = people.ledger.balance(wallet(person.user_id))
        if change > 0:
            raise
        raise Refusal(
            "operator.too_little", name=person.name, held=_coins(held), asked=_coins(-change)
        ) from None


def top_up(
    ledger: Ledger, amount: int, reason: str, key: str = "", *, by: int = 0, now: int = 0
) -> Filled:
    """Mints `amount` coins for the Robin Hood fund, as `grant`."""
    key = key or secrets.token_hex(8)
    postings = {mint(): -amount, fund(): amount}
    new = ledger.book(f"fund:{key}", "fund", postings, at=_at(now), memo=_memo(reason, by))
    return Filled(ledger.balance(fund()), key, new)


def _give(
    people: People, person: Person, why: str, change: int, memo: str, key: str, now: int
) -> Granted:
    key = key or secrets.token_hex(8)
    account = wallet(person.user_id)
    postings = {mint(): -change, account: change}
    new = people.ledger.book(f"{why}:{key}", why, postings, at=_at(now), memo=memo)
    return Granted(person, people.ledger.balance(account), key, new)


# -- people -----------------------------------------------------------------------------------


def bar(hall: Hall, people: People, name: str, reason: str, *, by: int = 0, now: int = 0) -> Person:
    """Keeps a person from opening, joining and playing.

    They are taken out of a lobby with their stake and out of a running game as if they had left;
    a bot that runs sees by a due row that those boards are old.
    """
    person, at = find(people, name), _at(now)
    people.bar(person.user_id, _memo(reason, by))
    for game_id in hall.leaving.put_out(person, at):
        hall.store.due.set("game", game_id, at)
    return replace(person, barred=_memo(reason, by))


def unbar(people: People, name: str) -> Person:
    """Lets a barred person play again. Raises `Refusal` for one who is not barred."""
    person = find(people, name)
    if person.user_id not in {other.user_id for other in people.barred()}:
        raise Refusal("operator.not_barred", name=person.name)
    people.bar(person.user_id, "")
    return replace(person, barred="")


def erase(people: People, name: str, *, by: int = 0, now: int = 0, key: str = "") -> Erased:
    """Forgets a person's name and settings and sends all they own to the mint (RULES 5).

    Their id stays, as erased: bookings keep adding up, whoever is barred stays so, and who comes
    back has no name and gets no gift. Raises `Refusal` while they sit in a game.
    """
    person, db = find(people, name), people.db
    user_id = person.user_id
    if game := _sits_in(db, user_id):
        raise Refusal("operator.still_playing", name=person.name, game=game)
    held = people.ledger.balances("wallet", str(user_id))
    postings: dict[Account, int] = {}
    for currency, units in held.items():
        postings[wallet(user_id, currency)] = -units
        postings[mint(currency)] = units
    if postings:
        key = f"erase:{user_id}:{key or secrets.token_hex(8)}"
        people.ledger.book(key, "erase", postings, at=_at(now), memo=_memo("", by))
    _forget(people, user_id, _at(now))
    return Erased(user_id, held)


def _sits_in(db: Database, user_id: int) -> str | None:
    """An open game that may still pay or return something to a person."""
    in_lobby = (GameRow.status == "lobby") & (SeatRow.left_at == 0)
    in_game = (GameRow.status == "running") & (SeatRow.seat >= 0)
    query = SeatRow.select(GameRow.id).join(GameRow, on=GameRow.id == SeatRow.game_id)
    game: str | None = query.where(
        SeatRow.user_id == user_id,
        SeatRow.ended_at == 0,
        in_lobby | in_game,
        GameRow.topic != DAILY_TOPIC,
    ).scalar(db)
    return game


def _forget(people: People, user_id: int, now: int) -> None:
    db, person = people.db, people.known(user_id)
    assert person
    OldBoards(db).forget(user_id, (person.name, person.username))
    people.forget(user_id, now)
    Attempts(db).forget(user_id)
    for kind, game in registry().items():
        for best in game.lists:
            board = best.key(kind)
            if best.signed:
                TopLists(db).sign(board, str(user_id), clean_name("", user_id))
            if best.bonus:  # which goes to somebody who is there
                TopLists(db).discount(board, str(user_id))


# -- games ------------------------------------------------------------------------------------


def cancel(hall: Hall, game_id: str, reason: str, *, by: int = 0, now: int = 0) -> Cancelled:
    """Ends an open game, and every stake returns (RULES 5).

    What the escrow of a finished one still holds goes back to those who sat in it, whole units
    evenly and the rest to the Robin Hood fund. Raises `Refusal` where there is nothing to give
    back, or no such game, `economy.ledger.Overdrawn` where the escrow has less than the stakes.
    """
    table, at, memo = hall.store.find(game_id), _at(now), _memo(reason, by)
    if table is None:
        raise Refusal("refused.no_game")
    if table.open:
        with undoable(hall.store.db):
            Upkeep(hall).void(game_id, "operator", at, memo)
        hall.store.due.set("game", game_id, at)  # a bot that runs sees by it that its board is old
        staked = table.people if table.stake else ()
        return Cancelled(game_id, {s.user_id: table.stake for s in staked}, table.robin)
    held = hall.ledger.balance(escrow(game_id))
    if not held:
        raise Refusal("operator.nothing_held", game=game_id)
    sat = hall.store.seats.of(game_id, lobby=not table.part)
    share = held // len(sat) if sat else 0
    returned = {sitting.user_id: share for sitting in sat if share}
    rest = held - share * len(returned)
    postings = {escrow(game_id): -held, fund(): rest}
    postings |= {wallet(user_id): share for user_id in returned}
    key = f"cancel:{game_id}:{secrets.token_hex(8)}"
    hall.ledger.book(key, "refund", postings, at=at, memo=memo)
    return Cancelled(game_id, returned, rest)


# -- the whole bot ----------------------------------------------------------------------------


def drain(store: Store, on: bool) -> int:
    """Opens no new games from now on, in any process, or again; answers how many are open."""
    facts.note(store.db, facts.DRAINING, "1" if on else "")
    return len(store.open_games())


def supply(store: Store, settings: Settings, now: int, *, days: int = 7) -> Supply:
    """What is in circulation, as `economy.supply.supply`, by the operator's calendar."""
    return report(store.db, now, settings.zone, days=days, richest=settings.richest)


def _at(now: int) -> int:
    return now or int(time.time())


def _memo(reason: str, by: int) -> str:
    return f"{reason} (by {by})".strip() if by else reason


def _coins(units: int) -> object:
    return amount(units, COINS)
