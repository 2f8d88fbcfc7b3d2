"""Best lists, which 0001 lacked at first.

0001 was changed after it had landed. A database made by its first form gets here what the last one
added; any other stays as it is.
"""

from peewee import BigIntegerField, IntegerField, Model, SqliteDatabase, TextField


def up(migrator, db):
    class Best(Model):
        board = TextField()
        ref = TextField()
        place = TextField()
        source = TextField()
        value = BigIntegerField()
        note = TextField(default="")
        at = IntegerField()
        counted = IntegerField(default=1)

        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)
            table_name = "bests"
            indexes = ((("board", "at"), False),)

    if not db.table_exists("bests"):
        db.create_tables([Best])
