"""Old boards that still have a keyboard to lose, and a quick way from a message to its board."""

from peewee import BigIntegerField, CompositeKey, Model, SqliteDatabase, TextField


def up(migrator, db):
    class Leftover(Model):
        chat_id = BigIntegerField()
        message_id = BigIntegerField()
        body = TextField(default="")

        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)
            table_name = "leftovers"
            primary_key = CompositeKey("chat_id", "message_id")

    db.create_tables([Leftover])
    db.execute_sql("CREATE INDEX showings_message ON showings (chat_id, message_id)")
