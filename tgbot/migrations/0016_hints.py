"""How many hints somebody had in a game."""


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE seats ADD COLUMN hints INTEGER NOT NULL DEFAULT 0")
