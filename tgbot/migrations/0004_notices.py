"""What people are still to be told, and in which language."""

from peewee import AutoField, BigIntegerField, IntegerField, Model, SqliteDatabase, TextField


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Notice(Base):
        id = AutoField()
        user_id = BigIntegerField(index=True)
        body = TextField()
        at = IntegerField()

        class Meta:
            table_name = "notices"

    db.create_tables([Notice])
    # The migrator would rebuild the table, and lose STRICT.
    db.execute_sql("ALTER TABLE people ADD COLUMN spoken TEXT NOT NULL DEFAULT ''")
    db.execute_sql("CREATE INDEX people_username ON people (lower(username))")
