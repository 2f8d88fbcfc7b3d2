"""Who sits in a lobby can say that they would start."""


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE seats ADD COLUMN ready INTEGER NOT NULL DEFAULT 0")
