"""Settings of a chat that need no column of their own, as JSON."""


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE chats ADD COLUMN more TEXT NOT NULL DEFAULT ''")
