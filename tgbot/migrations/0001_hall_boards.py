"""Boards of their own, wishes, and Robin Hood's columns, which 0001 lacked at first.

0001 was changed twice after it had landed. A database made by one of its first two forms gets here
what the later ones added, with all its rows; any other stays as it is.
"""

from peewee import (
    BigIntegerField,
    BlobField,
    Check,
    CompositeKey,
    IntegerField,
    Model,
    SqliteDatabase,
    TextField,
)


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Chat(Base):
        chat_id = BigIntegerField(primary_key=True)
        title = TextField(default="")
        language = TextField(default="")
        stake = IntegerField(default=0, constraints=[Check("stake BETWEEN 0 AND 101")])
        openers = TextField(
            default="anyone", constraints=[Check("openers IN ('anyone', 'admins')")]
        )
        topics = TextField(default="")
        gone_at = IntegerField(default=0)
        free_until = IntegerField(default=0)
        free_since = IntegerField(default=0)
        barred = IntegerField(default=0)
        moved_to = BigIntegerField(default=0)
        last_game_at = IntegerField(default=0)

        class Meta:
            table_name = "chats"

    class Game(Base):
        id = TextField(primary_key=True)
        kind = TextField()
        version = IntegerField()
        chat_id = BigIntegerField(index=True)
        topic = BigIntegerField(default=0)
        status = TextField(
            default="lobby",
            constraints=[Check("status IN ('lobby', 'running', 'over', 'off', 'stopped', 'void')")],
        )
        stake = IntegerField(default=0)
        options = TextField(default="{}")
        robin = BigIntegerField(default=0)
        opener = BigIntegerField()
        secret = BlobField()
        part = BlobField(default=b"")
        opened_at = IntegerField()
        over_at = IntegerField(default=0)
        stamp = IntegerField(default=1)
        result = TextField(default="")

        class Meta:
            table_name = "games"

    class Showing(Base):
        game_id = TextField()
        seat = IntegerField()
        chat_id = BigIntegerField()
        topic = BigIntegerField(default=0)
        board = IntegerField(default=1)
        painted = IntegerField(default=0)
        scene = IntegerField(default=-1)
        message_id = BigIntegerField(default=0)
        began_at = IntegerField(default=0)
        shown = IntegerField(default=0)
        due_at = IntegerField(default=0)

        class Meta:
            table_name = "showings"
            primary_key = CompositeKey("game_id", "seat")

    class Wish(Base):
        user_id = BigIntegerField(primary_key=True)
        kind = TextField()
        ref = TextField()
        at = IntegerField()

        class Meta:
            table_name = "wishes"

    def columns(table):
        return [column.name for column in db.get_columns(table)]

    def renew(model, **added):
        """Makes a table anew as `model` has it: its rows, and what is `added` to each."""
        table = model._meta.table_name
        kept = [name for name in model._meta.columns if name not in added]
        db.execute_sql(f"ALTER TABLE {table} RENAME TO {table}_before")
        for index in db.get_indexes(f"{table}_before"):
            if not index.name.startswith("sqlite_"):
                db.execute_sql(f'DROP INDEX "{index.name}"')
        db.create_tables([model])
        into = ", ".join([*kept, *added])
        what = ", ".join([*kept, *added.values()])
        db.execute_sql(f"INSERT INTO {table} ({into}) SELECT {what} FROM {table}_before")
        db.execute_sql(f"DROP TABLE {table}_before")

    if not db.table_exists("wishes"):
        db.create_tables([Wish])
    if not db.table_exists("showings"):
        db.create_tables([Showing])
        db.execute_sql(
            "INSERT INTO showings (game_id, seat, chat_id, topic, board, painted, scene, "
            "message_id, began_at, shown, due_at) SELECT id, -1, chat_id, topic, board, painted, "
            "scene, message_id, began_at, shown, due_at FROM games"
        )
    if "robin" not in (there := columns("games")):
        renew(Game, robin="0", **({} if "stamp" in there else {"stamp": "1"}))
        db.execute_sql(
            "CREATE UNIQUE INDEX games_one_a_topic ON games (chat_id, topic) "
            "WHERE status IN ('lobby', 'running')"
        )
    if "barred" not in columns("chats"):
        renew(Chat, free_since="0", barred="0")
