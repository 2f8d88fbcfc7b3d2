"""Fair dice: checking a game, from its proof file or from the database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from games.checking import check, replay
from games.game import Refusal, Text, text
from games.proof import Proof, read
from tgbot.cli.common import Json, Wrong, app, opened, tell, tell_rows
from tgbot.config import Settings
from tgbot.words import all_words

MOST_SHOWN_SIDES, BAR = 20, 30


@app.command(epilog="Example: dicehall verify dicehall-k3fa9c1e.json")
def verify(
    proof: Annotated[
        str,
        typer.Argument(
            metavar="FILE|GAME",
            help="A proof file (- reads one from the input), or the id of a game in the database.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Recompute seal, charms and every die of a game, and play it again by its rules.

    A proof file needs no database and no settings. Exit status 1 if anything is
    wrong.
    """
    if proof == "-" or Path(proof).is_file():
        document = _of_file(proof)
    elif Path(proof).suffix or Path(proof).name != proof:
        raise Wrong(f"there is no file {proof}")
    else:
        document = _of_database(proof)
    shown = {name: value for name, value in document.items() if value != ""}
    tell(document, as_json, lambda console: _show(console, shown))
    raise typer.Exit(0 if document["ok"] else 1)


def _show(console: Console, document: dict[str, Any]) -> None:
    problems = document.pop("problems")
    tell_rows(console, "Verify", document)
    for problem in problems:
        console.print(problem, style="bold red", markup=False, highlight=False)
    if document["ok"]:
        console.print("[bold green]All is right.[/] Compare the seal with the one in the chat.")


def _of_file(name: str) -> dict[str, Any]:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Wrong(f"{name}: cannot be read ({error.strerror})") from None
    try:
        proof = read(raw)
    except Refusal as refusal:
        return {"ok": False, "problems": [_said(refusal.text)]}
    found = check(proof)
    james, strayed = _james(proof, right=found.right)
    problems = [*map(_said, found.problems), *strayed]
    return {
        "game": proof.game,
        "kind": proof.kind,
        "version": proof.version,
        "ok": not problems,
        "moves": len(proof.moves),
        "throws": found.throws,
        "wrong": list(found.wrong),
        "sealed": found.sealed,
        "played": found.played,
        "ended": proof.ended,
        "seal": proof.seal,
        "secret": proof.secret,
        "players_part": proof.part.hex(),
        **james,
        "problems": problems,
    }


def _james(proof: Proof, *, right: bool) -> tuple[dict[str, Any], list[str]]:
    """James's seats, and the moves there that he would not have made (RULES 8); and what is to be
    said of these. Where he did not play nothing; of a proof that is not `right` only the seats."""
    if not proof.james:
        return {}, []
    game, strayed = proof.rules, tuple[int, ...]()
    if right and game and game.mind:
        from games.analysis import unlike_james
        from tgbot.cli.minds import ready

        ready(game)
        strayed = unlike_james(game, replay(proof), proof.james)
    said = _said(text("proof.james", moves=strayed[:10], n=len(strayed)))
    return {"james": [*proof.james], "unlike_james": [*strayed]}, [said] if strayed else []


def _of_database(game: str) -> dict[str, Any]:
    from tgbot.hall.verify import verification

    with opened(read_only=True) as (hall, _):
        table = hall.store.find(game.lower())
        if table is None:
            raise Wrong(f"there is no game {game!r}")
        if table.open:
            raise Wrong(f"game {game} is still running; its secret is shown when it is over")
        found = verification(hall.store, hall.sealing, table)
    if table.daily and found.ok and not found.file:
        raise Wrong(f"game {game} is a daily; its secret is shown when its day is over")
    # The proof of a game that is not right may be none that can be read.
    james, strayed = _james(read(found.file), right=True) if found.ok and found.file else ({}, [])
    return {
        "game": table.id,
        "kind": table.kind,
        "version": table.version,
        "ok": found.ok and not strayed,
        "throws": found.throws,
        "wrong": list(found.wrong),
        "ended": table.status,
        "seal": found.sealed,
        "secret": found.secret,
        "players_part": found.part,
        **james,
        "problems": strayed if found.ok else [_said(found.short)],
    }


def _said(text: Text) -> str:
    return all_words(Settings.model_construct()).plain(text, "en")


@app.command(epilog="Example: dicehall fair --json")
def fair(as_json: Json = False) -> None:
    """Tell how often every face of every die fell in all finished games, and how games ended."""
    from tgbot.hall.fair import fair as counted

    with opened(read_only=True) as (hall, _):
        document = counted(hall.store.db).document()
    tell(document, as_json, lambda console: _show_fair(console, document))


def _show_fair(console: Console, document: dict[str, Any]) -> None:
    games = document["games"]
    why = {f"called off: {why}": n for why, n in games["why"].items()}
    ended = {"finished": games["finished"], "stopped": games["stopped"]}
    tell_rows(console, "Games", {**ended, "called off": games["called_off"], **why})
    for die in document["dice"]:
        if die["sides"] > MOST_SHOWN_SIDES:
            continue
        most = max(die["faces"])
        bars = {
            str(face): f"{n}  {'█' * round(BAR * n / most):<{BAR}}"
            for face, n in enumerate(die["faces"], 1)
        }
        chi = f"chi-square {die['chi_square']:.1f}, {die['freedom']} expected"
        tell_rows(console, f"{die['sides']} faces: {die['thrown']} thrown, {chi}", bars)
    console.print("dicehall verify FILE checks the dice of a game from its proof file.")
