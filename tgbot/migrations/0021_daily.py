"""The days of the daily, everybody's attempts at them, and the groups these people were seen in."""

from peewee import (
    BigIntegerField,
    BlobField,
    CompositeKey,
    IntegerField,
    Model,
    SqliteDatabase,
    TextField,
)

INDEXES = (
    'CREATE INDEX "attempts_total" ON "attempts" ("day", "done", "total")',
    'CREATE INDEX "attempts_loss" ON "attempts" ("day", "loss")',
    'CREATE INDEX "attempts_bell" ON "attempts" ("day", "bell")',
)


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Day(Base):
        day = TextField(primary_key=True)
        kind = TextField()
        version = IntegerField()
        nonce = BlobField()
        seal = TextField()
        sealed_at = BigIntegerField()
        secret = BlobField(default=b"")
        best = IntegerField(default=-1)

        class Meta:
            table_name = "days"

    class Attempt(Base):
        day = TextField()
        user_id = BigIntegerField()
        game_id = TextField()
        done = IntegerField(default=0)
        total = IntegerField(default=0)
        levels = TextField(default="")
        streak = IntegerField(default=0)
        loss = BigIntegerField(default=-1)
        bell = IntegerField(default=0)

        class Meta:
            table_name = "attempts"
            primary_key = CompositeKey("day", "user_id")

    class Peer(Base):
        chat_id = BigIntegerField()
        user_id = BigIntegerField(index=True)

        class Meta:
            table_name = "peers"
            primary_key = CompositeKey("chat_id", "user_id")

    db.create_tables([Day, Attempt, Peer])
    for index in INDEXES:
        db.execute_sql(index)
