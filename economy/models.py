"""The ledger's tables (RULES 5).

Every query is written on these models, where it is used: built and run where it is cold, compiled
once where it is hot (`statements.py`). Only field types that survive in SQLite's STRICT tables are
used.
"""

from __future__ import annotations

from peewee import (
    AutoField,
    BigIntegerField,
    Check,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

CAP = 10**15
"""No amount and no balance is larger; far below 64 bits, so sums stay exact."""


class Base(Model):
    """Strict tables; bound to a database by each query."""

    class Meta:
        legacy_table_names = False
        strict_tables = True


class AccountRow(Base):
    """A place money can be: `kind` and `ref` name it, `currency` is `coins` or a game's kind."""

    id = AutoField()
    kind = TextField()
    ref = TextField(default="")
    currency = TextField()
    balance = BigIntegerField(default=0)

    class Meta:
        table_name = "accounts"
        indexes = ((("kind", "ref", "currency"), True),)
        constraints = (
            Check("kind IN ('wallet', 'escrow', 'jackpot', 'fund', 'mint')"),
            Check("kind = 'mint' OR balance >= 0"),
            Check(f"balance BETWEEN -{CAP} AND {CAP}"),
        )


class BookingRow(Base):
    """One event: its idempotency key, why it happened, when (unix seconds), and who asked."""

    id = AutoField()
    key = TextField(unique=True)
    reason = TextField()
    at = BigIntegerField(index=True)
    memo = TextField(default="")

    class Meta:
        table_name = "bookings"


class PostingRow(Base):
    """What one booking does to one account."""

    id = AutoField()
    booking = ForeignKeyField(BookingRow, backref="postings")
    account = ForeignKeyField(AccountRow, backref="postings")
    amount = BigIntegerField(
        constraints=[Check(f"amount <> 0 AND amount BETWEEN -{CAP} AND {CAP}")]
    )

    class Meta:
        table_name = "postings"


class BestRow(Base):
    """A result in the best list `list_key` (`fifty.points`): `value` by person `ref` in group
    `chat`, at `at`, in game `source`.

    `counted` is 0 for one that is shown in its own group only and can win no bonus (RULES 1.7).
    """

    id = AutoField()
    list_key = TextField(column_name="board")
    ref = TextField()
    chat = TextField(column_name="place")
    source = TextField()
    value = BigIntegerField()
    note = TextField(default="")
    at = BigIntegerField()
    counted = IntegerField(default=1)

    class Meta:
        table_name = "bests"
        indexes = ((("list_key", "at"), False),)


_best_first = (BestRow.value.desc(), BestRow.at, BestRow.id)
for _name, _of in (
    ("value", (BestRow.list_key, BestRow.counted)),
    ("place", (BestRow.chat, BestRow.list_key)),
    ("ref", (BestRow.list_key, BestRow.ref, BestRow.counted)),
):
    BestRow.add_index(*_of, *_best_first, name=f"bests_{_name}", safe=False)


class BonusRow(Base):
    """A period of a best list whose leader got their bonus; see `best_lists.Bonus`."""

    list_key = TextField(column_name="board")
    period = TextField()
    day = TextField()
    ends = BigIntegerField()
    ref = TextField()
    value = BigIntegerField()
    coins = BigIntegerField()

    class Meta:
        table_name = "bonuses"
        primary_key = CompositeKey("list_key", "period", "day")


class RobinPlanRow(Base):
    """The schedule of Robin Hood's rounds, in its only row."""

    id = IntegerField(primary_key=True)
    rounds = IntegerField()
    coins = BigIntegerField()
    first_hour = IntegerField()
    last_hour = IntegerField()
    paused = IntegerField(default=0)

    class Meta:
        table_name = "robin_plan"


class RobinRoundRow(Base):
    """A round of Robin Hood; see `robin_hood.Round`. `ordered` is 1 for one ordered by hand."""

    id = AutoField()
    status = TextField(index=True)
    coins = BigIntegerField()
    planned_at = BigIntegerField(index=True)
    due_at = BigIntegerField(index=True)
    place = TextField(default="")
    game = TextField(default="")
    tried = TextField(default="")
    given = BigIntegerField(default=0)
    ordered = IntegerField(default=0)

    class Meta:
        table_name = "robin_rounds"


MODELS = (AccountRow, BookingRow, PostingRow, BestRow, BonusRow, RobinPlanRow, RobinRoundRow)
REFUSED = {
    "bookings": ("UPDATE", "DELETE", "TRUNCATE"),
    "postings": ("UPDATE", "DELETE", "TRUNCATE"),
    "accounts": ("DELETE", "TRUNCATE"),
}
"""What triggers refuse of each table; SQLite knows no TRUNCATE."""
