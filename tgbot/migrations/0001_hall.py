"""People, chats, games, moves, due dates."""

from peewee import (
    AutoField,
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

    class Person(Base):
        user_id = BigIntegerField(primary_key=True)
        name = TextField()
        username = TextField(default="")
        language = TextField(default="")
        reachable = IntegerField(default=0)
        listed = IntegerField(default=1)
        since = IntegerField()

        class Meta:
            table_name = "people"

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

    class Seat(Base):
        id = AutoField()
        game_id = TextField()
        user_id = BigIntegerField(index=True)
        seat = IntegerField(default=-1)
        token = TextField(default="")
        joined_at = IntegerField()
        left_at = IntegerField(default=0)
        place = IntegerField(default=0)
        coins = BigIntegerField(default=0)
        points = BigIntegerField(default=0)

        class Meta:
            table_name = "seats"
            indexes = ((("game_id", "seat"), False),)

    class Move(Base):
        game_id = TextField()
        n = IntegerField()
        seat = IntegerField()
        move = TextField()
        dice = TextField(default="")
        at = IntegerField()

        class Meta:
            table_name = "moves"
            primary_key = CompositeKey("game_id", "n")

    class Selection(Base):
        game_id = TextField()
        seat = IntegerField()
        rev = IntegerField()
        selection = TextField()

        class Meta:
            table_name = "selections"
            primary_key = CompositeKey("game_id", "seat")

    class Vote(Base):
        game_id = TextField()
        sitting = IntegerField()

        class Meta:
            table_name = "votes"
            primary_key = CompositeKey("game_id", "sitting")

    class Wish(Base):
        user_id = BigIntegerField(primary_key=True)
        kind = TextField()
        ref = TextField()
        at = IntegerField()

        class Meta:
            table_name = "wishes"

    class Due(Base):
        kind = TextField()
        ref = TextField()
        at = IntegerField(index=True)

        class Meta:
            table_name = "due"
            primary_key = CompositeKey("kind", "ref")

    class Update(Base):
        update_id = BigIntegerField(primary_key=True)
        at = IntegerField(index=True)

        class Meta:
            table_name = "updates"

    db.create_tables((Person, Chat, Game, Showing, Seat, Move, Selection, Vote, Wish, Due, Update))
    db.execute_sql(
        "CREATE UNIQUE INDEX games_one_a_topic ON games (chat_id, topic) "
        "WHERE status IN ('lobby', 'running')"
    )
