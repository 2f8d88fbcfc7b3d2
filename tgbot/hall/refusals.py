"""What several use cases refuse alike, and what they need to be told before they can decide."""

from __future__ import annotations

from economy.ledger import COINS
from games.game import Refusal, text
from tgbot.hall.table import Sitting, Table
from tgbot.people.amounts import amount
from tgbot.people.people import Person


class AdminsOnly(Exception):
    """The use case needs to know whether the person is an admin of the chat: ask and try again."""


class Poor(Refusal):
    """Somebody cannot pay the stake; `open` says so without telling what they have."""

    def __init__(self, stake: int, held: int, kind: str) -> None:
        coins = {"stake": amount(stake, COINS), "held": amount(held, COINS)}
        super().__init__("refused.poor", alert=True, **coins, missing=amount(stake - held, COINS))
        self.open = text("refused.poor_open", stake=coins["stake"])
        self.kind = kind
        """The game that could be played for free."""


def unless_barred(person: Person) -> None:
    """Raises `Refusal` for somebody whom the operators have barred."""
    if person.barred:
        raise Refusal("refused.barred", alert=True)


def player(table: Table, person: Person) -> Sitting:
    """Who somebody is in a running game. Raises `Refusal` where they do not play, or not now."""
    if table.status == "lobby":
        raise Refusal("refused.not_started")
    if table.status != "running":
        raise Refusal("refused.over")
    sitting = table.sitting(person.user_id)
    if sitting is None:
        raise Refusal("refused.not_playing")
    return sitting
