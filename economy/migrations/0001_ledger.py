"""Accounts, bookings, postings and best lists."""

from peewee import (
    BigIntegerField,
    Check,
    ForeignKeyField,
    IntegerField,
    Model,
    SqliteDatabase,
    TextField,
)

CAP = 10**15


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Account(Base):
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

    class Booking(Base):
        key = TextField(unique=True)
        reason = TextField()
        at = IntegerField()
        memo = TextField(default="")

        class Meta:
            table_name = "bookings"

    class Posting(Base):
        booking = ForeignKeyField(Booking, backref="postings")
        account = ForeignKeyField(Account, backref="postings")
        amount = BigIntegerField(
            constraints=[Check(f"amount <> 0 AND amount BETWEEN -{CAP} AND {CAP}")]
        )

        class Meta:
            table_name = "postings"

    class Best(Base):
        board = TextField()
        ref = TextField()
        place = TextField()
        source = TextField()
        value = BigIntegerField()
        note = TextField(default="")
        at = IntegerField()
        counted = IntegerField(default=1)

        class Meta:
            table_name = "bests"
            indexes = ((("board", "at"), False),)

    db.create_tables([Account, Booking, Posting, Best])
