"""Several processes that serve one bot."""

from peewee import BigIntegerField, IntegerField, Model, SqliteDatabase, TextField


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Worker(Base):
        name = TextField(primary_key=True)
        until = IntegerField()

        class Meta:
            table_name = "workers"

    class Painter(Base):
        chat_id = BigIntegerField(primary_key=True)
        worker = TextField()
        until = IntegerField()

        class Meta:
            table_name = "painters"

    db.create_tables([Worker, Painter])
