"""Everybody's board of a running game: what the game shows, with pot and late players."""

from __future__ import annotations

from economy.ledger import COINS
from games.game import Board, Name, Sides, Text, text
from tgbot import press
from tgbot.done import Key, Row, key
from tgbot.hall import hints
from tgbot.hall.table import Table
from tgbot.outbound.layouts.common import Layout, charms, feats, hints_had, money, player, seal
from tgbot.people.amounts import amount

MOST_NAMED = 3
"""Of more people who could win the jackpot only the number is told."""
ROOM_FOR_HINTS = 1
"""A row of so many buttons has room for another one on a phone, whatever they say."""


def running(table: Table) -> Layout:
    """What the game itself shows, the pot, and the keys of late players and of races."""
    board, phase = _view(table), table.phase()
    waits = table.awaits_james and {*phase.actors} <= {*table.guests}
    rows: tuple[Row, ...] = () if waits else game_keys(table, board, phase.rev)
    late: list[Text] = []
    if table.alone and not table.n:
        rows = (charms(table), *rows)
    if table.admits:
        came = tuple(player(table, s.seat) for s in table.sittings if s.late and not s.left_at)
        rows = (*rows, _joining(table, came=bool(came)))
        late = [text("lobby.came_later", names=came)] if came else []
    if table.game.own:
        rows = (*rows, (Key(text("own.play"), url=f"play_{table.id}"),))
    robin = [text("robin.here", robin=amount(table.robin, COINS))] if table.robin else []
    pot = [text("board.pot", pot=amount(table.pot, COINS))] if table.stake else []
    fallen = feats(table) if table.phase().scene - table.result.get("scene", -1) <= 1 else []
    stakes = [*pot, *_jackpot(table)]
    won = [text("just", it=Sides(tuple(stakes)))] if stakes else []
    return [*fallen, *board.lines, *hints_had(table), *won, *late, *robin, *seal(table)], rows


def _joining(table: Table, *, came: bool) -> Row:
    """The one row there is room for: joining, with the charms once somebody came."""
    if came:
        short = text("lobby.late_short")
        if table.stake:
            short = text("lobby.late_short_stake", n=table.stake)
        return (key(short, table.id, "join"), *charms(table))
    join = text("lobby.late_stake", n=table.stake) if table.stake else text("lobby.late")
    return (key(join, table.id, "join"),)


def _jackpot(table: Table) -> list[Text]:
    """The jackpot, while somebody can still win it: who has how much of what it takes."""
    if table.game.chase is None or not table.winnable or not table.for_jackpot:
        return []
    held = table.game.chase(table.state)
    if not held:
        return []
    jackpot = {"jackpot": money(table, table.winnable)}
    if not any(held.values()):
        return [text("board.jackpot", **jackpot)]
    most = max(held.values())
    near = tuple(text("name", name=Name(seat)) for seat, n in held.items() if n == most)
    if len(near) > MOST_NAMED:
        near = (text("board.near", n=len(near)),)
    return [text("board.jackpot_near", names=near, number=most, **jackpot)]


def _view(table: Table) -> Board:
    actors = table.phase().actors
    selection = table.selections.get(actors[0], "") if len(actors) == 1 else ""
    board: Board = table.game.view.board(table.state, selection)
    return board


def game_keys(table: Table, board: Board, rev: int) -> tuple[Row, ...]:
    """The buttons a game asks for, each for phase `rev`, and in the last row that of a hint."""
    rows = tuple(
        tuple(Key(b.label, press.encode(table.id, b.code, rev), b.style) for b in row)
        for row in board.buttons
    )
    if not rows or not hints.offered(table):
        return rows
    *others, last = rows
    if len(last) > ROOM_FOR_HINTS:
        others, last = [*rows], ()
    return (*others, (*last, key(text("hint.button"), table.id, "hint", rev=rev)))
