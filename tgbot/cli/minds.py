"""What minds know: their tables, and what every move of a game is worth."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from games import registry
from games.checking import first_state, folded
from games.game import Game, Setup
from games.mind import Table, mind_of
from games.proof import LARGEST, read
from tgbot.cli.common import Json, Wrong, app, load_settings, number, tell, tell_rows

GENTLY = 19
"""The niceness of a process that gives way to all others."""


@app.command(epilog="Example: dicehall solve --json")
def solve(
    again: Annotated[bool, typer.Option("--again", help="Also what is there already.")] = False,
    gently: Annotated[bool, typer.Option("--gently", help="At the lowest priority.")] = False,
    folder: Annotated[
        Path | None, typer.Option(help="Where to keep it, else where MIND_FOLDER says.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Work out the tables that James needs, and keep them beside the database.

    Takes half a minute the first time; what is there already and right stays.
    """
    from tgbot.hall import minds

    kept_in = folder or load_settings().minds
    if gently:
        with contextlib.suppress(OSError):  # a sandbox may not let it
            os.nice(GENTLY)
    document: dict[str, Any] = {"seconds": 0.0, "cpu_seconds": 0.0, "bytes": 0}
    for table in minds.tables():
        setting = "--folder" if folder else "MIND_FOLDER"
        made = _make(table, kept_in, setting, again=again)
        document["seconds"] += made.seconds
        document["cpu_seconds"] += made.cpu_seconds
        document["bytes"] += made.size
        document[f"{table.kind}_start"] = _start(registry()[table.kind])
    document["folder"] = str(kept_in)
    tell(document, as_json, lambda console: tell_rows(console, "Solved", document))


@app.command(epilog="Example: dicehall values proof.json --json")
def values(
    file: Annotated[Path, typer.Argument(help="A proof file; - reads it from standard input.")],
    seat: Annotated[int | None, number("Whose moves, where several may move.")] = None,
    as_json: Json = False,
) -> None:
    """What every legal move is worth where a proof file ends.

    The file may lack moves from its end, and its seal and secret.
    """
    proof = read(_raw(file), sealed=False)
    game = _minded(proof.kind)
    mind = mind_of(game)
    state = folded(proof)
    whose = _seat(game, state, seat)
    ready(game)
    worths = {} if whose is None else mind.values(state, whose)
    document = {"unit": mind.UNIT, "seat": whose, "values": worths}
    rows = {move: f"{worth:.6g}" for move, worth in worths.items()}
    title = f"Seat {whose}, in {mind.UNIT}"
    if not worths:
        title = "Nobody can move" if whose is None else f"Seat {whose} cannot move now"
    tell(document, as_json, lambda console: tell_rows(console, title, rows))


@app.command(epilog="Example: dicehall analyse proof.json --json")
def analyse(
    file: Annotated[Path, typer.Argument(help="A proof file; - reads it from standard input.")],
    as_json: Json = False,
) -> None:
    """What the dice and their choices did to the players of a finished game.

    Start + dice - choices = result, in points or shares of the pot; and the worst
    decisions.
    """
    from games.analysis import analyse as reckon
    from games.analysis import mark, net_luck

    proof = read(_raw(file), sealed=False)
    game = _minded(proof.kind)
    state = folded(proof)
    if game.rules.outcome(state) is None:
        raise Wrong("FILE: the game is not over where it ends")
    ready(game)
    moves = [(moved.seat, moved.move, moved.dice) for moved in proof.moves]
    sheets = reckon(game, first_state(proof), moves)
    names = {player.seat: player.name for player in (*proof.players, *proof.later)}
    document = {
        "unit": mind_of(game).UNIT,
        "players": [
            {
                "seat": sheet.seat,
                "name": names.get(sheet.seat, ""),
                "start": sheet.start,
                "dice": sheet.dice,
                "choices": sheet.choices,
                "result": sheet.result,
                "net_luck": net_luck(sheets, sheet.seat),
                "decisions": len(sheet.decisions),
                "like_james": sheet.like_james,
                "worst": [
                    {
                        "n": decision.n,
                        "move": decision.move,
                        "better": decision.better,
                        "loss": decision.loss,
                        "mark": mark(decision.loss, sheet.unit),
                    }
                    for decision in sheet.worst
                ],
                "path": [list(step) for step in sheet.path],
            }
            for sheet in sheets
        ],
    }
    tell(document, as_json, lambda console: _show(console, document))


def _show(console: Console, document: dict[str, Any]) -> None:
    """A table a player."""

    def shown(worth: float) -> str:
        return f"{worth:.1f}" if document["unit"] == "points" else f"{worth:.1%}"

    for player in document["players"]:
        rows = {name: shown(player[name]) for name in ("start", "dice", "choices", "result")}
        rows["net luck"] = shown(player["net_luck"])
        rows["like James"] = f"{player['like_james']} of {player['decisions']}"
        for bad in player["worst"]:
            better = f"{bad['move']}, better {bad['better']}"
            rows[f"move {bad['n']} {bad['mark']}"] = f"{better}: -{shown(bad['loss'])}"
        tell_rows(console, player["name"] or f"Seat {player['seat']}", rows)


def _minded(kind: str) -> Game[Any]:
    """A game that has a mind. Raises `Wrong`."""
    game = registry()[kind]
    if not game.mind:
        raise Wrong(f"FILE: {kind} has no mind")
    return game


def ready(game: Game[Any]) -> None:
    """Makes sure that the mind of a game can be asked; what it needs is worked out now if it is
    missing. Raises `Wrong` where it cannot be kept."""
    table = mind_of(game).TABLE
    if table is None or table.ready:
        return
    folder = load_settings().minds
    from tgbot.hall.minds import file_of

    if not file_of(table, folder).exists():
        print(f"dicehall: working out {table.name}, once; half a minute …", file=sys.stderr)
    _make(table, folder, "MIND_FOLDER")


def _make(table: Table, folder: Path, setting: str, *, again: bool = False) -> Any:
    from tgbot.hall import minds

    try:
        return minds.make(table, folder, again=again)
    except OSError as error:
        raise Wrong(f"{setting}: {folder} cannot be written ({error.strerror})") from None


def _start(game: Game[Any]) -> float:
    """What a game is worth to its first player before their first move."""
    state = game.rules.start(Setup(game.seats[0]))
    return max(mind_of(game).values(state, 0).values())


def _raw(file: Path) -> bytes:
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read(LARGEST + 1)
        with file.open("rb") as opened:
            return opened.read(LARGEST + 1)
    except OSError as error:
        raise Wrong(f"FILE: {file} cannot be read ({error.strerror})") from None


def _seat(game: Game[Any], state: Any, wanted: int | None) -> int | None:
    """The seat to move: the one that is wanted, else the first that can."""
    seated = game.rules.seated(state)
    if wanted is not None:
        if wanted not in seated:
            who = ", ".join(map(str, seated)) or "nobody"
            raise Wrong(f"--seat: still in the game: {who}")
        return wanted
    return next((seat for seat in seated if game.rules.legal(state, seat)), None)
