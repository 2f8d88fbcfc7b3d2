"""Secrets of open games lie nowhere: a nonce instead, the seal as it was shown, and charms."""

from peewee import SqliteDatabase


def up(migrator, db):
    kind, nothing = ("BLOB", "x''") if isinstance(db, SqliteDatabase) else ("BYTEA", "''")
    # The migrator would rebuild the tables, and lose STRICT.
    for change in (
        f"games ADD COLUMN nonce {kind} NOT NULL DEFAULT {nothing}",
        "games ADD COLUMN seal TEXT NOT NULL DEFAULT ''",
        "seats ADD COLUMN charm INTEGER NOT NULL DEFAULT 0",
        "seats ADD COLUMN late INTEGER NOT NULL DEFAULT 0",
        "seats DROP COLUMN token",
        "moves ADD COLUMN asked TEXT NOT NULL DEFAULT ''",
    ):
        db.execute_sql(f"ALTER TABLE {change}")
