"""PostgreSQL refuses to truncate what is booked: after every migration its triggers stand."""


def up(migrator, db):
    """Changes nothing itself; see `economy.db.protect`."""
