"""Which lobbies are pinned, and where the bot may pin (-1: nobody has told yet)."""

from peewee import BigIntegerField, CompositeKey, Model, SqliteDatabase, TextField


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE chats ADD COLUMN pins INTEGER NOT NULL DEFAULT -1")

    class Pin(Model):
        chat_id = BigIntegerField()
        message_id = BigIntegerField()
        game_id = TextField(default="")

        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)
            table_name = "pins"
            primary_key = CompositeKey("chat_id", "message_id")

    db.create_tables([Pin])
