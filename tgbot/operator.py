"""What an operator does to the economy; every action is a booking that names who and why."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass

from economy.ledger import mint, wallet
from games.game import Refusal
from tgbot.people import People, Person


@dataclass(frozen=True, slots=True)
class Granted:
    """What came of a grant; `new` is False where its key was used for the same before."""

    person: Person
    balance: int
    key: str
    new: bool


def grant(people: People, name: str, amount: int, reason: str, key: str = "") -> Granted:
    """Mints `amount` coins for the person of that user id or @username.

    Raises `Refusal` for somebody the bot never met, `economy.ledger.KeyConflict` for a key that
    was used for something else.
    """
    by_id = re.fullmatch(r"[0-9]{1,18}", name, re.ASCII)
    person = people.known(int(name)) if by_id else people.find(name)
    if person is None:
        raise Refusal("refused.unknown_person")
    key = key or secrets.token_hex(8)
    account = wallet(person.user_id)
    postings = {mint(): -amount, account: amount}
    now = int(time.time())
    new = people.ledger.book(f"grant:{key}", "grant", postings, at=now, memo=reason)
    return Granted(person, people.ledger.balance(account), key, new)
