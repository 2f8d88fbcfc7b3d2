"""Digests of the past, and the finished games in the order in which they were seen to end."""

from peewee import BigIntegerField, Model, SqliteDatabase, TextField


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Finished(Base):
        game_id = TextField(unique=True)

        class Meta:
            table_name = "finished"

    class Night(Base):
        at = BigIntegerField()
        bookings = BigIntegerField()
        games = BigIntegerField()
        digest = TextField()

        class Meta:
            table_name = "nights"

    db.create_tables([Finished, Night])
