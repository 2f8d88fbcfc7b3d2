"""When somebody's game ended stands with their seat, and indexes: nothing is gone through whole."""

from peewee import SqliteDatabase

INDEXES = (
    'DROP INDEX "seats_user_id"',
    'CREATE INDEX "seats_user_ended" ON "seats" ("user_id", "ended_at")',
    'DROP INDEX "games_chat_id"',
    'CREATE INDEX "games_ended" ON "games" ("chat_id", "topic", "over_at", "opened_at")',
    'CREATE INDEX "games_free" ON "games" ("over_at") WHERE status = \'over\' AND stake = 0',
    'CREATE INDEX "showings_behind" ON "showings" ("chat_id") WHERE painted < board',
    'CREATE INDEX "people_name" ON "people" ("name")',
)


def up(migrator, db):
    whole = "INTEGER" if isinstance(db, SqliteDatabase) else "BIGINT"
    db.execute_sql(f'ALTER TABLE "seats" ADD COLUMN "ended_at" {whole} NOT NULL DEFAULT 0')
    db.execute_sql(
        "UPDATE seats SET ended_at = (SELECT over_at FROM games WHERE games.id = seats.game_id) "
        "WHERE EXISTS (SELECT 1 FROM games WHERE games.id = seats.game_id AND over_at > 0)"
    )
    for change in INDEXES:
        db.execute_sql(change)
