"""Times in 64 bits: on PostgreSQL they were 32, which end in 2038."""

from peewee import SqliteDatabase

TIMES = {
    "bookings": ("at",),
    "bests": ("at",),
    "bonuses": ("ends",),
    "robin_rounds": ("planned_at", "due_at"),
}


def up(migrator, db):
    if isinstance(db, SqliteDatabase):
        return  # whose integers have 64 bits
    for table, columns in TIMES.items():
        wider = ", ".join(f'ALTER COLUMN "{column}" TYPE BIGINT' for column in columns)
        db.execute_sql(f'ALTER TABLE "{table}" {wider}')
