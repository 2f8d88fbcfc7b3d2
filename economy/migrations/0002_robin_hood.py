"""Robin Hood's plan and rounds."""

from peewee import AutoField, BigIntegerField, IntegerField, Model, SqliteDatabase, TextField


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class RobinPlan(Base):
        id = IntegerField(primary_key=True)
        rounds = IntegerField()
        coins = BigIntegerField()
        first_hour = IntegerField()
        last_hour = IntegerField()
        paused = IntegerField(default=0)

        class Meta:
            table_name = "robin_plan"

    class RobinRound(Base):
        id = AutoField()
        status = TextField(index=True)
        coins = BigIntegerField()
        planned_at = IntegerField(index=True)
        due_at = IntegerField(index=True)
        place = TextField(default="")
        game = TextField(default="")
        tried = TextField(default="")
        given = BigIntegerField(default=0)
        ordered = IntegerField(default=0)

        class Meta:
            table_name = "robin_rounds"

    db.create_tables([RobinPlan, RobinRound])
