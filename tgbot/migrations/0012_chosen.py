"""Which settings the admins of a chat have chosen."""


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE chats ADD COLUMN chosen TEXT NOT NULL DEFAULT ''")
