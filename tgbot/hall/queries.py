"""The queries of a press on the hall's tables, compiled once (`economy/statements.py`).

Each serves the method of `rows.Store` that has its name, and is explained there.
"""

from __future__ import annotations

from peewee import Query, fn

from economy.statements import statement
from tgbot.hall.table import Showing, Sitting
from tgbot.models import (
    BEHIND,
    OPEN,
    GameRow,
    MoveRow,
    PersonRow,
    SeatRow,
    SelectionRow,
    ShowingRow,
    VoteRow,
)
from tgbot.people.names import reads

GAME = (
    GameRow.id,
    GameRow.kind,
    GameRow.version,
    GameRow.chat_id,
    GameRow.topic,
    GameRow.status,
    GameRow.stake,
    GameRow.robin,
    GameRow.options,
    GameRow.opener,
    GameRow.secret,
    GameRow.nonce,
    GameRow.seal,
    GameRow.part,
    GameRow.opened_at,
    GameRow.over_at,
    GameRow.stamp,
    GameRow.result,
)
"""The columns of `table.Table`."""


# -- games -------------------------------------------------------------------------------------


@statement
def insert_game(
    *,
    game_id: str,
    kind: str,
    version: int,
    chat_id: int,
    topic: int,
    status: str,
    stake: int,
    robin: int,
    options: str,
    opener: int,
    secret: bytes,
    nonce: bytes,
    seal: str,
    part: bytes,
    opened_at: int,
    over_at: int,
    stamp: int,
    result: str,
) -> Query:
    return GameRow.insert(
        id=game_id,
        kind=kind,
        version=version,
        chat_id=chat_id,
        topic=topic,
        status=status,
        stake=stake,
        robin=robin,
        options=options,
        opener=opener,
        secret=secret,
        nonce=nonce,
        seal=seal,
        part=part,
        opened_at=opened_at,
        over_at=over_at,
        stamp=stamp,
        result=result,
    )


@statement
def update_game(
    *,
    game_id: str,
    status: str,
    robin: int,
    secret: bytes,
    part: bytes,
    over_at: int,
    stamp: int,
    result: str,
) -> Query:
    return GameRow.update(
        status=status,
        robin=robin,
        secret=secret,
        part=part,
        over_at=over_at,
        stamp=stamp,
        result=result,
    ).where(GameRow.id == game_id)


@statement
def end_seats(*, game_id: str, at: int) -> Query:
    return SeatRow.update(ended_at=at).where(SeatRow.game_id == game_id)


@statement
def restamp(*, game_id: str, stamp: int) -> Query:
    return GameRow.update(stamp=stamp).where(GameRow.id == game_id)


@statement(row=int, lock="wait")
def stamp(*, game_id: str) -> Query:
    return GameRow.select(GameRow.stamp).where(GameRow.id == game_id)


@statement
def game(*, game_id: str) -> Query:
    return GameRow.select(*GAME).where(GameRow.id == game_id)


@statement(row=str)
def running(*, chat_id: int, topic: int) -> Query:
    return GameRow.select(GameRow.id).where(
        GameRow.chat_id == chat_id, GameRow.topic == topic, OPEN
    )


@statement(row=str)
def last_finished(*, chat_id: int, topic: int) -> Query:
    return (
        GameRow.select(GameRow.id)
        .where(GameRow.chat_id == chat_id, GameRow.topic == topic, GameRow.over_at > 0)
        .order_by(GameRow.over_at.desc(), GameRow.opened_at.desc())
        .limit(1)
    )


# -- boards ------------------------------------------------------------------------------------


@statement
def insert_showing(
    *,
    game_id: str,
    seat: int,
    chat_id: int,
    topic: int,
    revision: int,
    painted: int,
    scene: int,
    message_id: int,
    began_at: int,
    shown: int,
    due_at: int,
    hidden_at: int,
) -> Query:
    return ShowingRow.insert(
        game_id=game_id,
        seat=seat,
        chat_id=chat_id,
        topic=topic,
        revision=revision,
        painted=painted,
        scene=scene,
        message_id=message_id,
        began_at=began_at,
        shown=shown,
        due_at=due_at,
        hidden_at=hidden_at,
    )


@statement
def update_showing(
    *,
    game_id: str,
    seat: int,
    chat_id: int,
    topic: int,
    revision: int,
    painted: int,
    scene: int,
    message_id: int,
    began_at: int,
    shown: int,
    due_at: int,
    hidden_at: int,
) -> Query:
    return ShowingRow.update(
        chat_id=chat_id,
        topic=topic,
        revision=revision,
        painted=painted,
        scene=scene,
        message_id=message_id,
        began_at=began_at,
        shown=shown,
        due_at=due_at,
        hidden_at=hidden_at,
    ).where(ShowingRow.game_id == game_id, ShowingRow.seat == seat)


@statement(row=Showing)
def showings(*, game_id: str) -> Query:
    return (
        ShowingRow.select(
            ShowingRow.seat,
            ShowingRow.chat_id,
            ShowingRow.topic,
            ShowingRow.revision,
            ShowingRow.painted,
            ShowingRow.scene,
            ShowingRow.message_id,
            ShowingRow.began_at,
            ShowingRow.shown,
            ShowingRow.due_at,
            ShowingRow.hidden_at,
        )
        .where(ShowingRow.game_id == game_id)
        .order_by(ShowingRow.seat)
    )


@statement(row=int)
def board_messages(*, chat_id: int, first: int, last: int) -> Query:
    return ShowingRow.select(ShowingRow.message_id).where(
        ShowingRow.chat_id == chat_id, ShowingRow.message_id.between(first, last)
    )


@statement
def boards_behind(*, chat_id: int) -> Query:
    return ShowingRow.select(ShowingRow.game_id, ShowingRow.seat).where(
        ShowingRow.chat_id == chat_id, BEHIND
    )


@statement
def private_games(*, user_id: int) -> Query:
    its_board = (ShowingRow.game_id == SeatRow.game_id) & (ShowingRow.seat == SeatRow.seat)
    return (
        SeatRow.select(ShowingRow.game_id, ShowingRow.seat, ShowingRow.message_id)
        .join(ShowingRow, on=its_board)
        .join(GameRow, on=GameRow.id == ShowingRow.game_id)
        .where(
            SeatRow.user_id == user_id,
            SeatRow.ended_at == 0,
            SeatRow.seat >= 0,
            ShowingRow.chat_id == user_id,
            GameRow.status == "running",
        )
        .order_by(ShowingRow.message_id.desc(), GameRow.opened_at.desc())
    )


# -- seats and moves ---------------------------------------------------------------------------


@statement(row=int)
def add_seat(*, game_id: str, user_id: int, charm: int, late: int, joined_at: int) -> Query:
    new = SeatRow.insert(
        game_id=game_id, user_id=user_id, charm=charm, late=late, joined_at=joined_at
    )
    return new.returning(SeatRow.id)


def _sittings(game_id: str) -> Query:
    return (
        SeatRow.select(
            SeatRow.id,
            SeatRow.user_id,
            PersonRow.name,
            SeatRow.seat,
            SeatRow.left_at,
            SeatRow.place,
            SeatRow.coins,
            SeatRow.points,
            reads(),
            SeatRow.charm,
            SeatRow.late,
            PersonRow.username,
            SeatRow.ready,
        )
        .join(PersonRow, on=PersonRow.user_id == SeatRow.user_id)
        .where(SeatRow.game_id == game_id)
        .order_by(SeatRow.seat, SeatRow.id)
    )


@statement(row=Sitting)
def in_lobby(*, game_id: str) -> Query:
    return _sittings(game_id).where(SeatRow.left_at == 0)


@statement(row=Sitting)
def seated(*, game_id: str) -> Query:
    return _sittings(game_id).where(SeatRow.seat >= 0)


@statement(row=int)
def joinings(*, game_id: str, user_id: int) -> Query:
    return SeatRow.select(fn.COUNT(SeatRow.id)).where(
        SeatRow.game_id == game_id, SeatRow.user_id == user_id
    )


@statement
def ready(*, row: int) -> Query:
    return SeatRow.update(ready=1).where(SeatRow.id == row)


@statement
def leave_seat(*, row: int, at: int) -> Query:
    return SeatRow.update(left_at=at).where(SeatRow.id == row)


@statement
def number_seat(*, row: int, seat: int) -> Query:
    return SeatRow.update(seat=seat).where(SeatRow.id == row)


@statement
def set_result(*, row: int, place: int, coins: int, points: int) -> Query:
    return SeatRow.update(place=place, coins=coins, points=points).where(SeatRow.id == row)


@statement
def set_charm(*, row: int, charm: int) -> Query:
    return SeatRow.update(charm=charm).where(SeatRow.id == row)


@statement(row=int)
def staked_games(*, user_id: int, start: int, end: int) -> Query:
    return (
        SeatRow.select(fn.COUNT(SeatRow.id))
        .join(GameRow, on=GameRow.id == SeatRow.game_id)
        .where(
            SeatRow.user_id == user_id,
            SeatRow.ended_at >= start,
            SeatRow.ended_at < end,
            SeatRow.seat >= 0,
            GameRow.status == "over",
            GameRow.stake > 0,
        )
    )


@statement
def moves(*, game_id: str, after: int) -> Query:
    of_game = (MoveRow.game_id == game_id, MoveRow.n >= after)
    return (
        MoveRow.select(MoveRow.seat, MoveRow.move, MoveRow.dice).where(*of_game).order_by(MoveRow.n)
    )


@statement
def add_move(
    *, game_id: str, n: int, seat: int, move: str, asked: str, dice: str, at: int
) -> Query:
    return MoveRow.insert(game_id=game_id, n=n, seat=seat, move=move, asked=asked, dice=dice, at=at)


@statement(row=str)
def asked(*, game_id: str) -> Query:
    return MoveRow.select(MoveRow.asked).where(MoveRow.game_id == game_id).order_by(MoveRow.n)


@statement(row=int)
def has_moved(*, game_id: str, seat: int) -> Query:
    return (
        MoveRow.select(MoveRow.n)
        .where(MoveRow.game_id == game_id, MoveRow.seat == seat, MoveRow.move != "join")
        .limit(1)
    )


@statement(row=int)
def last_move_at(*, game_id: str, seat: int) -> Query:
    return MoveRow.select(fn.COALESCE(fn.MAX(MoveRow.at), 0)).where(
        MoveRow.game_id == game_id, MoveRow.seat == seat, MoveRow.move != "leave"
    )


# -- selections and votes ----------------------------------------------------------------------


@statement(row=str)
def selection(*, game_id: str, seat: int, rev: int) -> Query:
    return SelectionRow.select(SelectionRow.selection).where(
        SelectionRow.game_id == game_id, SelectionRow.seat == seat, SelectionRow.rev == rev
    )


@statement
def selections(*, game_id: str) -> Query:
    columns = (SelectionRow.seat, SelectionRow.rev, SelectionRow.selection)
    return SelectionRow.select(*columns).where(SelectionRow.game_id == game_id)


@statement
def select(*, game_id: str, seat: int, rev: int, selection: str) -> Query:
    return SelectionRow.insert(
        game_id=game_id, seat=seat, rev=rev, selection=selection
    ).on_conflict(
        conflict_target=[SelectionRow.game_id, SelectionRow.seat],
        preserve=[SelectionRow.rev, SelectionRow.selection],
    )


@statement
def unselect(*, game_id: str, seat: int) -> Query:
    return SelectionRow.delete().where(SelectionRow.game_id == game_id, SelectionRow.seat == seat)


@statement
def forget_selections(*, game_id: str) -> Query:
    return SelectionRow.delete().where(SelectionRow.game_id == game_id)


@statement
def forget_votes(*, game_id: str) -> Query:
    return VoteRow.delete().where(VoteRow.game_id == game_id)


@statement
def vote(*, game_id: str, sitting: int) -> Query:
    once = VoteRow.insert(game_id=game_id, sitting=sitting)
    return once.on_conflict("NOTHING", conflict_target=[VoteRow.game_id, VoteRow.sitting])


@statement(row=int)
def votes(*, game_id: str) -> Query:
    return VoteRow.select(VoteRow.sitting).where(VoteRow.game_id == game_id)
