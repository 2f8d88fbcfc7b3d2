"""The indexes of Robin Hood's rounds by status and by time due, which 0002 lacked at first."""


def up(migrator, db):
    for column in ("status", "due_at"):
        name = f"robin_rounds_{column}"
        db.execute_sql(f'CREATE INDEX IF NOT EXISTS "{name}" ON "robin_rounds" ("{column}")')
