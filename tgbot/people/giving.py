"""/give: Knuddels from one person to another, with the brakes of RULES 5 against farming."""

from __future__ import annotations

from dataclasses import dataclass

from peewee import Database, fn

from economy.best_lists import bounds
from economy.ledger import COINS, wallet
from economy.models import AccountRow, BookingRow, PostingRow
from games.game import Refusal, Text, text
from tgbot.done import Done
from tgbot.models import GameRow, SeatRow
from tgbot.people.amounts import amount, read_amount
from tgbot.people.names import clean_name
from tgbot.people.notices import NameOf
from tgbot.people.people import GIVEN, People, Person, Who

DAY_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Gift:
    """Who gives how much to whom; `key` is what the booking is known by (`give:700000123`)."""

    giver: Person
    taker: Person
    coins: int
    key: str


class Giving:
    """Reads, checks and books a gift. Runs inside the caller's transaction."""

    def __init__(self, people: People) -> None:
        self.people = people
        self.db = people.db
        self.ledger = people.ledger
        self.settings = people.settings

    def read(self, giver: Person, chat_id: int, words: str, about: Who | None, key: str) -> Gift:
        """`5 @name`, or `5` said `about` somebody. Raises `Refusal` for anything unclear."""
        typed, _, name = " ".join(words.split()).partition(" ")
        coins = read_amount(typed)
        if coins is None:
            raise Refusal("give.amount")
        if about is None and not name:
            raise Refusal("give.whom", n=coins)
        taker = (
            self.people.known(about.user_id) if about else self._named(giver, chat_id, name, coins)
        )
        if taker is None:
            raise Refusal("give.unknown", name=clean_name(about.name if about else name, 0))
        if taker.user_id == giver.user_id:
            raise Refusal("give.self")
        return Gift(giver, taker, coins, key)

    def give(self, gift: Gift, now: int, *, private: bool) -> Done:
        """Books the gift and tells the taker; who gave reads it in the toast.

        Only in `private` are they told what they have. Raises `Refusal`.
        """
        giver, taker, coins = gift.giver, gift.taker, gift.coins
        if giver.barred:
            raise Refusal("refused.barred", alert=True)
        self._may_give(giver, now)
        self._check(giver, coins, now, private=private)
        self.ledger.book(
            gift.key,
            GIVEN,
            {wallet(giver.user_id): -coins, wallet(taker.user_id): coins},
            at=now,
            memo=f"{giver.user_id}>{taker.user_id}",
        )
        # Once more with both wallets in hand: two gifts at a time must not pass what one may not.
        self._check(giver, 0, now, private=private)
        got = text("give.got", name=NameOf(giver.user_id), coins=amount(coins, COINS))
        self.people.notices.add(taker.user_id, got, now)
        return Done(
            toast=self._done(gift, private=private), say=self.people.notices.message(taker.user_id)
        )

    def given(self, giver: Person, now: int) -> int:
        """How much somebody has given away on this day of the operator's calendar."""
        start, end = bounds("day", now, self.settings.zone)
        given = fn.COALESCE(fn.SUM(PostingRow.amount), 0).cast("BIGINT")
        query = (
            PostingRow.select(given)
            .join(AccountRow)
            .switch(PostingRow)
            .join(BookingRow)
            .where(
                AccountRow.kind == "wallet",
                AccountRow.ref == str(giver.user_id),
                AccountRow.currency == COINS,
                PostingRow.amount < 0,
                BookingRow.reason == GIVEN,
                BookingRow.at >= start,
                BookingRow.at < end,
            )
        )
        return -int(query.scalar(self.db))

    # -- inside -------------------------------------------------------------------------------

    def _named(self, giver: Person, chat_id: int, name: str, coins: int) -> Person | None:
        """Whoever has that @username. Raises `Refusal` for a name, which is anybody's."""
        found = self.people.seen_from(giver, chat_id, name)
        if found and not name.startswith("@"):
            tags = [f"@{person.username}" for person in found if person.username]
            key = "give.which" if tags else "give.name"
            raise Refusal(key, name=clean_name(name, 0), n=coins, choices=", ".join(tags))
        if not found and name.startswith("@") and name.lower().endswith("bot"):
            raise Refusal("give.bot")
        return found[0] if found else None

    def _may_give(self, giver: Person, now: int) -> None:
        days = self.settings.give_after_days
        if not days:
            return
        first = first_finished(self.db, giver.user_id)
        if first is None:
            raise Refusal("give.no_game", n=days)
        if now < first + days * DAY_S:
            raise Refusal("give.too_new", n=-(-(first + days * DAY_S - now) // DAY_S))

    def _check(self, giver: Person, coins: int, now: int, *, private: bool) -> None:
        """Raises `Refusal` if after `coins` more the giver has given, or kept, what may not be."""
        left = self.settings.give_most - self.given(giver, now)
        if coins > left:
            raise Refusal("give.day", most=self.settings.give_most, n=max(left, 0))
        spare = self.ledger.balance(wallet(giver.user_id)) - self.settings.welcome_gift
        if coins > spare:
            if not private:
                raise Refusal("give.too_much", gift=amount(self.settings.welcome_gift, COINS))
            raise Refusal(
                "give.spare",
                gift=amount(self.settings.welcome_gift, COINS),
                spare=amount(max(spare, 0), COINS),
            )

    def _done(self, gift: Gift, *, private: bool) -> Text:
        shown = amount(gift.coins, COINS)
        if not private:
            return text("give.public", giver=gift.giver.name, taker=gift.taker.name, coins=shown)
        left = amount(self.ledger.balance(wallet(gift.giver.user_id)), COINS)
        return text("give.done", taker=gift.taker.name, coins=shown, left=left)


def first_finished(db: Database, user_id: int) -> int | None:
    """When somebody's first game ended that they played to its end; None before it did."""
    over = SeatRow.select(SeatRow.ended_at).join(GameRow, on=GameRow.id == SeatRow.game_id)
    over = over.where(
        SeatRow.user_id == user_id,
        SeatRow.ended_at > 0,
        SeatRow.seat >= 0,
        SeatRow.left_at == 0,
        GameRow.status == "over",
    )
    first: int | None = over.order_by(SeatRow.ended_at).limit(1).scalar(db)
    return first
