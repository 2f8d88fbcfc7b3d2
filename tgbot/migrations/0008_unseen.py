"""Since when a board could not be shown."""

from peewee import SqliteDatabase


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    kind = "INTEGER" if isinstance(db, SqliteDatabase) else "BIGINT"
    db.execute_sql(f"ALTER TABLE showings ADD COLUMN hidden_at {kind} NOT NULL DEFAULT 0")
