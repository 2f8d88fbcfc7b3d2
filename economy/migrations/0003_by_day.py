"""Bookings by time, for what is new and paid out per day."""


def up(migrator, db):
    db.execute_sql('CREATE INDEX "bookings_at" ON "bookings" ("at")')
