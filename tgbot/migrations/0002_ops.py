"""Who is barred or erased, and what the operator switched."""

from peewee import Model, SqliteDatabase, TextField


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Fact(Base):
        name = TextField(primary_key=True)
        value = TextField()

        class Meta:
            table_name = "facts"

    db.create_tables([Fact])
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE people ADD COLUMN barred TEXT NOT NULL DEFAULT ''")
    db.execute_sql("ALTER TABLE people ADD COLUMN erased_at INTEGER NOT NULL DEFAULT 0")
