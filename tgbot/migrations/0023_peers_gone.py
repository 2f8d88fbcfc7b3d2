"""Who was seen in a group and has left it stands in its ranking no more."""


def up(migrator, db):
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE peers ADD COLUMN gone INTEGER NOT NULL DEFAULT 0")
