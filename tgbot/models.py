"""The hall's tables: people, chats, games, moves and due dates, beside the ledger's.

Times are unix seconds, 0 where something has not happened.
"""

from __future__ import annotations

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    Check,
    CompositeKey,
    IntegerField,
    TextField,
    ValueLiterals,
    fn,
)

from economy.models import Base


class PersonRow(Base):
    """Somebody who pressed or wrote; `language` is the one they chose, `spoken` that of their app.

    `reachable` is 1 while the bot may write to them, `listed` while lists elsewhere name them.
    `barred` says why they may not play; `erased_at` is when their name was erased for good.
    """

    user_id = BigIntegerField(primary_key=True)
    name = TextField()
    username = TextField(default="")
    language = TextField(default="")
    reachable = IntegerField(default=0)
    listed = IntegerField(default=1)
    since = BigIntegerField()
    barred = TextField(default="")
    erased_at = BigIntegerField(default=0)
    spoken = TextField(default="")

    class Meta:
        table_name = "people"


class ChatRow(Base):
    """A group and its settings. `topics` are the threads games may open in; empty: any.

    `free_since` is when its stake became 0 last; `games` are the kinds it allows (empty: all),
    `pace` its time to play in percent (0: the operator's); `barred` keeps Robin Hood out; `chosen`
    names the settings that admins have set under this id. `pins` is 1 where the bot may pin
    messages, -1 where nobody has told. `more` are the settings without a column, as JSON.
    """

    chat_id = BigIntegerField(primary_key=True)
    title = TextField(default="")
    language = TextField(default="")
    stake = IntegerField(default=0, constraints=[Check("stake BETWEEN 0 AND 101")])
    openers = TextField(default="anyone", constraints=[Check("openers IN ('anyone', 'admins')")])
    topics = TextField(default="")
    gone_at = BigIntegerField(default=0)
    free_until = BigIntegerField(default=0)
    free_since = BigIntegerField(default=0)
    games = TextField(default="")
    pace = IntegerField(default=0)
    barred = IntegerField(default=0)
    moved_to = BigIntegerField(default=0)
    last_game_at = BigIntegerField(default=0)
    chosen = TextField(default="")
    pins = IntegerField(default=-1)
    more = TextField(default="")

    class Meta:
        table_name = "chats"


class GameRow(Base):
    """A game from its lobby on; this row holds the rules' version and all options (RULES 0).

    `stamp` counts its changes, so that a picture of it can be known to be the newest. The `secret`
    is empty until the game is over: until then it is made of the dice key and the `nonce`, and
    `seal` is what people were shown (RULES 7). A game without nonce is of the earlier scheme.
    `james` is 1 where James plays along, 2 where one person practises with him (RULES 8).
    """

    id = TextField(primary_key=True)
    kind = TextField()
    version = IntegerField()
    chat_id = BigIntegerField()
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
    nonce = BlobField(default=b"")
    seal = TextField(default="")
    part = BlobField(default=b"")
    opened_at = BigIntegerField()
    over_at = BigIntegerField(default=0)
    stamp = IntegerField(default=1)
    result = TextField(default="")
    james = IntegerField(default=0)

    class Meta:
        table_name = "games"


class ShowingRow(Base):
    """A board of a game: the one everybody sees (`seat` -1), or one seat's in its private chat.

    `revision` counts what could be seen to change, `painted` is the revision its message shows. The
    phase's time runs until `due_at`; `shown` is 1 once its board was delivered. `hidden_at` is
    since when it could not be shown, 0 while it can.
    """

    game_id = TextField()
    seat = IntegerField()
    chat_id = BigIntegerField()
    topic = BigIntegerField(default=0)
    revision = IntegerField(default=1, column_name="board")
    painted = IntegerField(default=0)
    scene = IntegerField(default=-1)
    message_id = BigIntegerField(default=0)
    began_at = BigIntegerField(default=0)
    shown = IntegerField(default=0)
    due_at = BigIntegerField(default=0)
    hidden_at = BigIntegerField(default=0)

    class Meta:
        table_name = "showings"
        primary_key = CompositeKey("game_id", "seat")


class OldBoardRow(Base):
    """A board of the past that has a keyboard to lose; it is left saying `body` (empty: as it is).

    Gone once that is done.
    """

    chat_id = BigIntegerField()
    message_id = BigIntegerField()
    body = TextField(default="")

    class Meta:
        table_name = "leftovers"
        primary_key = CompositeKey("chat_id", "message_id")


class PinRow(Base):
    """A message that may be pinned: the lobby's of a game, or (empty) one to be unpinned."""

    chat_id = BigIntegerField()
    message_id = BigIntegerField()
    game_id = TextField(default="")

    class Meta:
        table_name = "pins"
        primary_key = CompositeKey("chat_id", "message_id")


class SeatRow(Base):
    """One joining of one person: `seat` is -1 until the lobby closes.

    `charm` is what they add to the dice, unless they came `late`, into a running game; `ready` is 1
    once they pressed Start, `ended_at` is when their game ended, however it did; `hints` are those
    they had (RULES 8). Rows are never deleted, so their ids key the bookings of their stakes.
    """

    id = AutoField()
    game_id = TextField()
    user_id = BigIntegerField()
    seat = IntegerField(default=-1)
    charm = IntegerField(default=0)
    late = IntegerField(default=0)
    ready = IntegerField(default=0)
    joined_at = BigIntegerField()
    left_at = BigIntegerField(default=0)
    place = IntegerField(default=0)
    coins = BigIntegerField(default=0)
    points = BigIntegerField(default=0)
    ended_at = BigIntegerField(default=0)
    hints = IntegerField(default=0)

    class Meta:
        table_name = "seats"
        indexes = ((("game_id", "seat"), False),)


class MoveRow(Base):
    """Move `n` of a game, with the dice it took (`4,2,6`).

    `asked` are the faces of the dice it asked for (`6,6,6`, and `4,20!` where they were open), as
    its proof tells them also when the rules have changed.
    """

    game_id = TextField()
    n = IntegerField()
    seat = IntegerField()
    move = TextField()
    dice = TextField(default="")
    asked = TextField(default="")
    at = BigIntegerField()

    class Meta:
        table_name = "moves"
        primary_key = CompositeKey("game_id", "n")


class SelectionRow(Base):
    """What a person has picked but not yet played, within phase `rev`."""

    game_id = TextField()
    seat = IntegerField()
    rev = IntegerField()
    selection = TextField()

    class Meta:
        table_name = "selections"
        primary_key = CompositeKey("game_id", "seat")


class VoteRow(Base):
    """An agreement to stop a game, by the joining it comes from."""

    game_id = TextField()
    sitting = IntegerField()

    class Meta:
        table_name = "votes"
        primary_key = CompositeKey("game_id", "sitting")


class AwaitedRow(Base):
    """An answer the bot waits for in somebody's private chat: of what `kind`, for what `ref`."""

    user_id = BigIntegerField(primary_key=True)
    kind = TextField()
    ref = TextField()
    at = BigIntegerField()

    class Meta:
        table_name = "wishes"


class WorkerRow(Base):
    """A process that serves the bot, and until when it is known to live."""

    name = TextField(primary_key=True)
    until = BigIntegerField()

    class Meta:
        table_name = "workers"


class ClaimRow(Base):
    """The worker that paints a chat, and until when."""

    chat_id = BigIntegerField(primary_key=True)
    worker = TextField()
    until = BigIntegerField()

    class Meta:
        table_name = "painters"


class NoticeRow(Base):
    """Something a person is still to be told: a `games.game.Text` as JSON. Gone once told."""

    id = AutoField()
    user_id = BigIntegerField(index=True)
    body = TextField()
    at = BigIntegerField()

    class Meta:
        table_name = "notices"


class BellRow(Base):
    """Somebody who is told when a game opens in a chat: once, or `always`."""

    chat_id = BigIntegerField()
    user_id = BigIntegerField()
    always = IntegerField(default=0)

    class Meta:
        table_name = "bells"
        primary_key = CompositeKey("chat_id", "user_id")


class TallyRow(Base):
    """What somebody has done so far, counted as games end: `name` in games of a `kind`.

    A badge is a tally too: when it was earned. `people.tallies`, which alone writes here, knows the
    names. `kind` is empty for what counts in all games: how often they came in ahead of whom.
    """

    user_id = BigIntegerField()
    kind = TextField()
    name = TextField()
    value = BigIntegerField(default=0)

    class Meta:
        table_name = "tallies"
        primary_key = CompositeKey("user_id", "kind", "name")


class DayRow(Base):
    """A day of the daily (`2026-12-01`), sealed as a game of that `kind` is (RULES 9).

    The `secret` is empty until the day is over. `best` is what James made of its dice, -1 where
    nobody has asked him yet.
    """

    day = TextField(primary_key=True)
    kind = TextField()
    version = IntegerField()
    nonce = BlobField()
    seal = TextField()
    sealed_at = BigIntegerField()
    secret = BlobField(default=b"")
    best = IntegerField(default=-1)

    class Meta:
        table_name = "days"


class AttemptRow(Base):
    """Somebody's attempt at a day: a game, `done` once it takes no more moves.

    Then `total` is what was reached, `levels` how well each turn went (`3322110…`), `streak` the
    days in a row until then. `loss` is what choices cost against James, in thousandths of a point,
    -1 until he was asked and -2 for one that was not played to its end. `bell` is 1 for who wants
    to be told how the day ended.
    """

    day = TextField()
    user_id = BigIntegerField()
    game_id = TextField()
    done = IntegerField(default=0)
    total = IntegerField(default=0)
    levels = TextField(default="")
    streak = IntegerField(default=0)
    loss = BigIntegerField(default=-1)
    bell = IntegerField(default=0)

    class Meta:
        table_name = "attempts"
        primary_key = CompositeKey("day", "user_id")


class PeerRow(Base):
    """A group somebody who plays the daily was seen in; `gone` is 1 once they have left it."""

    chat_id = BigIntegerField()
    user_id = BigIntegerField(index=True)
    gone = IntegerField(default=0)

    class Meta:
        table_name = "peers"
        primary_key = CompositeKey("chat_id", "user_id")


class DueRow(Base):
    """Something that must happen at a time: of what `kind`, for what `ref`."""

    kind = TextField()
    ref = TextField()
    at = BigIntegerField(index=True)

    class Meta:
        table_name = "due"
        primary_key = CompositeKey("kind", "ref")


class FactRow(Base):
    """Something about the whole bot: what the operator switched on, who made these tables."""

    name = TextField(primary_key=True)
    value = TextField()

    class Meta:
        table_name = "facts"


class UpdateRow(Base):
    """An update that was applied, so that one delivered twice is applied once."""

    update_id = BigIntegerField(primary_key=True)
    at = BigIntegerField(index=True)

    class Meta:
        table_name = "updates"


class FinishedRow(Base):
    """A finished game, numbered in the order in which the nightly audit saw them end."""

    id = AutoField()
    game_id = TextField(unique=True)

    class Meta:
        table_name = "finished"


class NightRow(Base):
    """A digest of the past: of all up to booking `bookings` and finished game `games`.

    See `operator.digest`, which alone writes here.
    """

    id = AutoField()
    at = BigIntegerField()
    bookings = BigIntegerField()
    games = BigIntegerField()
    digest = TextField()

    class Meta:
        table_name = "nights"


class FaceRow(Base):
    """How often a `face` of the dice with so many `sides` fell in all finished games."""

    sides = BigIntegerField()
    face = BigIntegerField()
    n = BigIntegerField()

    class Meta:
        table_name = "faces"
        primary_key = CompositeKey("sides", "face")


class EndRow(Base):
    """How many games of a `kind` `ended` with this status, and `why` they were called off."""

    kind = TextField()
    ended = TextField()
    why = TextField(default="")
    n = BigIntegerField()

    class Meta:
        table_name = "ends"
        primary_key = CompositeKey("kind", "ended", "why")


MODELS = (
    PersonRow,
    ChatRow,
    GameRow,
    ShowingRow,
    OldBoardRow,
    PinRow,
    SeatRow,
    MoveRow,
    SelectionRow,
    VoteRow,
    AwaitedRow,
    NoticeRow,
    WorkerRow,
    ClaimRow,
    BellRow,
    TallyRow,
    DayRow,
    AttemptRow,
    PeerRow,
    DueRow,
    FactRow,
    UpdateRow,
    FinishedRow,
    NightRow,
    FaceRow,
    EndRow,
)


def _index(name: str, *columns: object, where: object = None, unique: bool = False) -> None:
    """An index that the migrations made: what it begins with says of which table."""
    model = next(it for it in MODELS if it._meta.table_name == name.partition("_")[0])
    model.add_index(*columns, name=name, where=where, unique=unique, safe=False)


OPEN = GameRow.status << ValueLiterals(("lobby", "running"))
BEHIND = ShowingRow.painted < ShowingRow.revision
_FREE = (GameRow.status == "over") & (GameRow.stake == 0)
_index("games_one_a_topic", GameRow.chat_id, GameRow.topic, where=OPEN, unique=True)
_index("games_ended", GameRow.chat_id, GameRow.topic, GameRow.over_at, GameRow.opened_at)
_index("games_free", GameRow.over_at, where=_FREE)
_index("showings_message", ShowingRow.chat_id, ShowingRow.message_id)
_index("showings_behind", ShowingRow.chat_id, where=BEHIND)
_index("seats_user_ended", SeatRow.user_id, SeatRow.ended_at)
_index("attempts_total", AttemptRow.day, AttemptRow.done, AttemptRow.total)
_index("attempts_loss", AttemptRow.day, AttemptRow.loss)
_index("attempts_bell", AttemptRow.day, AttemptRow.bell)
_index("people_username", fn.LOWER(PersonRow.username))
_index("people_name", PersonRow.name)
_index("bells_user", BellRow.user_id)
