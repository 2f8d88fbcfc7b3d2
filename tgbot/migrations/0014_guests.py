"""Which games a chat allows and how fast it plays, whom a bell wakes, and what each person did."""

from peewee import BigIntegerField, CompositeKey, IntegerField, Model, SqliteDatabase, TextField


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE chats ADD COLUMN games TEXT NOT NULL DEFAULT ''")
    db.execute_sql("ALTER TABLE chats ADD COLUMN pace INTEGER NOT NULL DEFAULT 0")

    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Bell(Base):
        chat_id = BigIntegerField()
        user_id = BigIntegerField()
        always = IntegerField(default=0)

        class Meta:
            table_name = "bells"
            primary_key = CompositeKey("chat_id", "user_id")

    class Tally(Base):
        user_id = BigIntegerField()
        kind = TextField()
        name = TextField()
        value = BigIntegerField(default=0)

        class Meta:
            table_name = "tallies"
            primary_key = CompositeKey("user_id", "kind", "name")

    db.create_tables([Bell, Tally])
