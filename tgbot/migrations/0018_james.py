"""Whether James sits at a game's table."""


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE games ADD COLUMN james INTEGER NOT NULL DEFAULT 0")
