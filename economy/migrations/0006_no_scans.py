"""Best lists by value, by group and by person: no list is gone through whole any more."""


def up(migrator, db):
    for name, columns in (
        ("value", '"board", "counted", "value" DESC, "at", "id"'),
        ("place", '"place", "board", "value" DESC, "at", "id"'),
        ("ref", '"board", "ref", "counted", "value" DESC, "at", "id"'),
    ):
        db.execute_sql(f'CREATE INDEX "bests_{name}" ON "bests" ({columns})')
