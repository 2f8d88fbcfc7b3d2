"""What an operator does to people: coins, corrections, barring, erasing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from economy.database import emptied_log
from economy.ledger import KeyConflict, Overdrawn
from games.game import Refusal
from tgbot.cli.common import AMOUNTS, Json, Wrong, app, opened, read_amount, read_reason, tell
from tgbot.cli.common import tell_rows as rows
from tgbot.hall.hall import Hall
from tgbot.operator import actions
from tgbot.people.people import People

PersonName = Annotated[str, typer.Argument(help="A Telegram user id or @username.")]
Amount = Annotated[str, typer.Argument(help="How many coins, in plain digits.")]
Reason = Annotated[str, typer.Option(help="Why; it stays with the booking.")]
Key = Annotated[str, typer.Option(help="Said twice, it is booked once.")]


@contextmanager
def _people(person: str, key: str = "") -> Iterator[People]:
    """The people of the database, in one transaction; what can be wrong with a person is told."""
    with _hall(person, key) as (_, people):
        yield people


@contextmanager
def _hall(person: str, key: str = "") -> Iterator[tuple[Hall, People]]:
    """As `_people`, with the games they may sit in."""
    with opened() as (hall, people):
        try:
            yield hall, people
        except Refusal as refusal:
            if refusal.text.key != "refused.unknown_person":
                raise
            raise Wrong(
                f"PERSON: I have not met {person}; a Telegram user id or @username of somebody "
                "who has played or written to the bot"
            ) from None
        except KeyConflict:
            raise Wrong(f"--key: {key} was used for something else; choose another") from None
        except Overdrawn:
            raise Wrong("AMOUNT: nobody can own that much") from None


@app.command(
    epilog="Example: dicehall grant @anna 50 --reason 'won the raffle'", context_settings=AMOUNTS
)
def grant(
    person: PersonName, amount: Amount, reason: Reason, key: Key = "", as_json: Json = False
) -> None:
    """Give somebody new coins; the booking keeps the reason."""
    coins, why = read_amount(amount), read_reason(reason)
    with _people(person, key) as people:
        given = actions.grant(people, person, coins, why, key)
    document = {
        "user": given.person.user_id,
        "name": given.person.name,
        "granted": coins if given.new else 0,
        "balance": given.balance,
        "key": given.key,
    }
    tell(document, as_json, lambda console: rows(console, "Grant", document))


@app.command(
    epilog="Example: dicehall correct @anna 20 --minus --reason 'granted twice'",
    context_settings=AMOUNTS,
)
def correct(
    person: PersonName,
    amount: Amount,
    reason: Reason,
    minus: Annotated[bool, typer.Option("--minus", help="Take them away.")] = False,
    key: Key = "",
    as_json: Json = False,
) -> None:
    """Correct what somebody owns by a new booking; nobody falls below zero."""
    coins, why = read_amount(amount), read_reason(reason)
    with _people(person, key) as people:
        done = actions.correct(people, person, -coins if minus else coins, why, key)
    change = -coins if minus else coins
    document = {
        "user": done.person.user_id,
        "name": done.person.name,
        "corrected": change if done.new else 0,
        "balance": done.balance,
        "key": done.key,
    }
    tell(document, as_json, lambda console: rows(console, "Correction", document))


@app.command(epilog="Example: dicehall bar @anna --reason 'plays with two accounts'")
def bar(
    person: PersonName,
    reason: Annotated[str, typer.Option(help="Why; only operators see it.")],
    as_json: Json = False,
) -> None:
    """Keep somebody from opening, joining and playing; they are out of the games they sit in."""
    why = read_reason(reason)
    with _hall(person) as (hall, people):
        barred = actions.bar(hall, people, person, why)
    document = {"user": barred.user_id, "name": barred.name, "barred": why}
    tell(document, as_json, lambda console: rows(console, "Barred", document))


@app.command(epilog="Example: dicehall unbar @anna")
def unbar(person: PersonName, as_json: Json = False) -> None:
    """Let somebody who was barred play again."""
    with _people(person) as people:
        free = actions.unbar(people, person)
    document = {"user": free.user_id, "name": free.name, "barred": ""}
    tell(document, as_json, lambda console: rows(console, "Not barred any more", document))


@app.command(epilog="Example: dicehall erase @anna")
def erase(person: PersonName, as_json: Json = False) -> None:
    """Forget somebody's name, username and settings; what they own goes to the mint.

    Their bookings stay, under their user id. The welcome gift is never given
    again, and whoever comes back stays without a name. Backups made before still
    have the name.
    """
    with _people(person) as people:
        erased, db = actions.erase(people, person), people.db
    with db.connection_context():
        emptied = emptied_log(db)
    if not emptied:
        raise Wrong("somebody reads the database, and its -wal has the name still; say it again")
    document = {"user": erased.user_id, "returned": dict(erased.returned)}
    shown = {"user": erased.user_id, **erased.returned}
    tell(document, as_json, lambda console: rows(console, "Erased", shown))
