"""Whose bells hang where is asked by person too: by /privacy, and when somebody leaves."""


def up(migrator, db):
    db.execute_sql("CREATE INDEX bells_user ON bells (user_id)")
