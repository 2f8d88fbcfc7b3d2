"""Times in 64 bits: on PostgreSQL they were 32, which end in 2038."""

from peewee import SqliteDatabase

TIMES = {
    "people": ("since", "erased_at"),
    "chats": ("gone_at", "free_until", "free_since", "last_game_at"),
    "games": ("opened_at", "over_at"),
    "showings": ("began_at", "due_at"),
    "seats": ("joined_at", "left_at"),
    "moves": ("at",),
    "wishes": ("at",),
    "notices": ("at",),
    "due": ("at",),
    "updates": ("at",),
    "workers": ("until",),
    "painters": ("until",),
}


def up(migrator, db):
    if isinstance(db, SqliteDatabase):
        return  # whose integers have 64 bits
    for table, columns in TIMES.items():
        wider = ", ".join(f'ALTER COLUMN "{column}" TYPE BIGINT' for column in columns)
        db.execute_sql(f'ALTER TABLE "{table}" {wider}')
