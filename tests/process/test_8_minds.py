"""RULES 8 from the command line: the tables of the minds, and what moves are worth."""

from __future__ import annotations

import asyncio
import fcntl
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sized
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from games import registry
from games.checking import folded
from games.fairness import Stream
from games.mind import NotReady, mind_of, policies
from games.mind import Table as Numbers
from games.proof import read, write
from tests.games.proofs import Sealed, document
from tests.games.table import Table
from tests.games.ways import steps
from tests.process.typed import Run
from tgbot.config import Settings
from tgbot.hall import minds

Save = Callable[[object], str]
NAME = minds.file_of(minds.tables()[0], Path()).name


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Writes a document; answers its path."""

    def write(it: object) -> str:
        path = tmp_path / "proof.json"
        path.write_text(json.dumps(it), "utf-8")
        return str(path)

    return write


def cut(kind: str, moves: int) -> dict[str, Any]:
    """A proof of which only the first moves are left."""
    it = document(kind)
    return {**it, "moves": it["moves"][:moves]}


@pytest.mark.parametrize("kind", sorted(registry()))
@pytest.mark.parametrize("sealed", [True, False])
def test_8_values_tells_the_worth_of_every_move_where_a_file_ends(
    dicehall: Run, save: Save, kind: str, sealed: bool
) -> None:
    it = cut(kind, 20 if kind != "fifty" else 6)
    mind, rules = mind_of(registry()[kind]), registry()[kind].rules
    state = folded(read(json.dumps(it)))
    if not sealed:
        del it["seal"], it["secret"]

    said = dicehall("values", save(it), "--json").document

    assert {*said} == {"unit", "seat", "values"}
    assert said["unit"] == mind.UNIT
    assert said["values"] == mind.values(state, said["seat"])
    assert tuple(said["values"]) == rules.legal(state, said["seat"])
    assert all(not rules.legal(state, seat) for seat in range(said["seat"]))


@pytest.mark.parametrize("kind", sorted(registry()))
def test_8_values_of_a_game_that_is_over_are_none(dicehall: Run, save: Save, kind: str) -> None:
    said = dicehall("values", save(document(kind)), "--json").document

    assert said == {"unit": mind_of(registry()[kind]).UNIT, "seat": None, "values": {}}


def test_8_values_of_another_seat_are_told_where_several_may_move(
    dicehall: Run, save: Save
) -> None:
    path = save(cut("fifty", 1))

    last = dicehall("values", path, "--seat", "3", "--json").document

    assert last["seat"] == 3
    assert len(last["values"]) == 287
    dicehall("values", path, "--seat", "7").refused("--seat")


@pytest.mark.parametrize(
    ("harm", "word"),
    [
        (lambda it: {**it, "kind": "chess"}, "chess"),
        (lambda it: {**it, "version": 99}, "99"),
        (lambda it: {**it, "moves": it["moves"][1:]}, "move"),
        (lambda it: {**it, "secret": "x"}, "secret"),
        (lambda it: [], "proof"),
    ],
)
def test_8_what_is_no_proof_is_refused_in_one_line(
    dicehall: Run, save: Save, harm: Callable[[Any], object], word: str
) -> None:
    dicehall("values", save(harm(document("zilch")))).refused(word)


def test_8_a_file_that_is_not_there_is_told(dicehall: Run, tmp_path: Path) -> None:
    dicehall("values", str(tmp_path / "none.json")).refused("FILE")


@pytest.mark.parametrize("kind", sorted(registry()))
def test_8_analyse_tells_what_dice_and_choices_did_to_everybody(
    dicehall: Run, save: Save, kind: str
) -> None:
    it = document(kind)

    said = dicehall("analyse", save(it), "--json").document

    left = {move["seat"] for move in it["moves"] if move["move"] == "leave"}
    assert {*range(len(it["players"]))} - left >= {player["seat"] for player in said["players"]}
    assert said["players"]
    for player in said["players"]:
        total = player["start"] + player["dice"] - player["choices"]
        assert total == pytest.approx(player["result"], abs=1e-9)
        assert player["name"] == it["players"][player["seat"]]["name"]
        assert len(player["worst"]) <= 3
    assert dicehall("analyse", save(it)).status == 0


def test_8_analyse_needs_the_whole_game(dicehall: Run, save: Save) -> None:
    dicehall("analyse", save(cut("zilch", 9))).refused("FILE", "not over")


def test_8_verify_tells_whether_james_played_as_he_does(dicehall: Run, save: Save) -> None:
    table = Sealed("zilch", 2, "verify", guests=(1,))
    james, other = (policies(registry()["zilch"])[name] for name in ("james", "random"))
    for _ in steps(table, lambda at, draw: _one_is_james(at, draw, james, other), "verify"):
        pass
    it = json.loads(write(table.proof))

    right = dicehall("verify", save(it), "--json").document
    wrong = dicehall("verify", save({**it, "james": [0]}), "--json")

    assert right["ok"]
    assert (right["james"], right["unlike_james"]) == ([1], [])
    assert wrong.status == 1
    assert not json.loads(wrong.out)["ok"]


def _one_is_james(at: Table, draw: Stream, james: Any, other: Any) -> tuple[int, str]:
    seat = at.state.turn
    return seat, (james if seat == 1 else other)(at.state, seat, draw)


# -- the tables -----------------------------------------------------------------------------------


def test_8_solve_tells_what_the_empty_sheet_is_worth_and_leaves_what_is_right(
    dicehall: Run, tables: Path
) -> None:
    before = (tables / NAME).stat().st_mtime_ns

    said = dicehall("solve", "--json").document

    assert said["yahtzee_start"] == pytest.approx(316.2849, abs=2e-4)
    assert 5_753_856 <= said["bytes"] < 5_760_000
    assert said["seconds"] >= 0
    assert (tables / NAME).stat().st_mtime_ns == before


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Numbers:
    """A table that is quickly worked out, and the only one."""
    import numpy as np

    solved = []

    def solve() -> Any:
        solved.append(1)
        return np.arange(6, dtype=np.float32).reshape(2, 3)

    table = Numbers("yahtzee", 7, (2, 3), solve, lambda numbers: None)
    table.solved = solved
    monkeypatch.setattr(minds, "tables", lambda: (table,))
    monkeypatch.setattr(minds, "needed", lambda: (table.name,))
    return table


def test_8_a_table_is_made_once_and_read_in_place(small: Any, tmp_path: Path) -> None:
    made = [minds.make(small, tmp_path / "deep" / "minds") for _ in range(2)]

    assert small.solved == [1]
    assert made[0].file.name == "yahtzee-7.npy"
    assert small.numbers.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert small.numbers.filename
    assert {path.name for path in made[0].file.parent.iterdir()} == {".lock", "yahtzee-7.npy"}


@pytest.mark.parametrize("harm", ["cut", "changed", "empty", "missing"])
def test_8_a_table_that_is_not_whole_is_made_again(small: Any, tmp_path: Path, harm: str) -> None:
    path = minds.make(small, tmp_path).file
    raw = path.read_bytes()
    path.unlink()
    if harm != "missing":
        cut = {"cut": raw[:-40], "changed": raw[:140] + b"\1" + raw[141:], "empty": b""}
        path.write_bytes(cut[harm])

    assert minds.lend(tmp_path) == (small.name,)
    minds.make(small, tmp_path)

    assert path.read_bytes() == raw
    assert minds.lend(tmp_path) == ()
    assert small.solved == [1, 1]


def test_8_a_table_is_opened_when_its_mind_is_first_asked(
    small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minds.make(small, tmp_path)
    asked = Numbers("yahtzee", 7, (2, 3), small.solve, lambda numbers: None)
    monkeypatch.setattr(minds, "tables", lambda: (asked,))

    assert minds.lend(tmp_path) == ()
    assert not asked.ready
    assert asked.numbers.tolist() == small.numbers.tolist()


def test_8_a_table_that_does_not_fit_is_made_again_at_the_next_start(
    small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minds.make(small, tmp_path)
    other = Numbers("yahtzee", 7, (3, 3), small.solve, lambda numbers: None)
    monkeypatch.setattr(minds, "tables", lambda: (other,))

    assert minds.lend(tmp_path) == ()
    with pytest.raises(NotReady):
        assert other.numbers is None
    assert minds.lend(tmp_path) == (other.name,)


def test_8_a_bot_has_no_need_of_numpy_before_a_mind_is_asked(tables: Path) -> None:
    code = """
import sys
from pathlib import Path
import tgbot.app
from games import registry
from games.mind import ready
from tgbot.hall import minds
assert minds.lend(Path(sys.argv[1])) == ()
assert all(ready(game) for game in registry().values() if game.mind)
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, str(tables)], check=True)


async def told(logs: Sized) -> None:
    """Waits until something is logged."""
    for _ in range(3000):
        if not logs:
            await asyncio.sleep(0.01)
    assert logs


@pytest.mark.real_time
async def test_8_what_is_missing_at_the_start_is_made_by_another_process(
    tables: Path, tmp_path: Path
) -> None:
    # who has the lock makes the table; the other process waits for it and finds it made
    with (tmp_path / ".lock").open("w") as lock, capture_logs() as logs:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = asyncio.create_task(minds.keep_ready(tmp_path))
        await told(logs)
        shutil.copy(tables / NAME, tmp_path)
        fcntl.flock(lock, fcntl.LOCK_UN)
        await ready
        await minds.keep_ready(tmp_path)

    assert [line["event"] for line in logs] == [
        "a mind's table is being made",
        "all minds are ready",
    ]


@pytest.mark.real_time
async def test_8_whoever_stops_the_bot_stops_the_work_on_a_table(tmp_path: Path) -> None:
    with (tmp_path / ".lock").open("w") as lock, capture_logs() as logs:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = asyncio.create_task(minds.keep_ready(tmp_path))
        await told(logs)
        ready.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ready

    assert minds.lend(tmp_path) == minds.needed()


def test_8_the_tables_lie_beside_the_database_or_where_the_setting_says(tmp_path: Path) -> None:
    def kept(**given: Any) -> Path:
        return Settings.model_construct(
            **{"mind_folder": Path("minds"), "database": "sqlite:///dicehall.db", **given}
        ).minds

    assert kept() == Path("minds")
    assert kept(database="sqlite:////var/lib/dicehall/dicehall.db") == Path(
        "/var/lib/dicehall/minds"
    )
    assert kept(database="postgresql://dicehall@localhost/dicehall") == Path("minds")
    assert kept(mind_folder=tmp_path) == tmp_path
