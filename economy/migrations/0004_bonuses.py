"""Which periods of best lists have got their bonus."""

from peewee import BigIntegerField, CompositeKey, IntegerField, Model, SqliteDatabase, TextField


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Bonus(Base):
        board = TextField()
        period = TextField()
        day = TextField()
        ends = IntegerField()
        ref = TextField()
        value = BigIntegerField()
        coins = BigIntegerField()

        class Meta:
            table_name = "bonuses"
            primary_key = CompositeKey("board", "period", "day")

    db.create_tables([Bonus])
