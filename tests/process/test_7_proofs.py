"""RULES 7 on the command line: proof files are written, checked, and forged ones found out."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.games.test_proof import by_hand
from tests.process.typed import Run

KINDS = ("fifty", "yahtzee", "zilch", "farkle20")


@pytest.mark.parametrize("kind", KINDS)
def test_7_simulate_writes_the_proof_of_every_game(
    dicehall: Run, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "new" / "proofs"

    said = dicehall(
        "simulate", kind, "--games", "3", "--seed", "7", "--proofs", str(folder), "--json"
    )

    assert said.status == 0
    files = sorted(folder.iterdir())
    assert len(files) == 3
    charms = {p["charm"] for file in files for p in json.loads(file.read_text())["players"]}
    assert len(charms) > 1
    for file in files:
        verified = dicehall("verify", str(file), "--json")
        assert (verified.status, verified.document["ok"]) == (0, True)
        assert verified.document["throws"] > 3
        assert by_hand(file.read_text())


def test_7_a_proof_is_verified_without_a_database_or_a_token(
    dicehall: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dicehall("simulate", "zilch", "--games", "1", "--proofs", str(tmp_path))
    (file,) = tmp_path.glob("*.json")

    said = dicehall("verify", str(file), DATABASE="nonsense", BOT_TOKEN="nonsense")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    piped = dicehall("verify", "-", "--json")

    assert said.status == 0
    assert "All is right" in said.out
    assert piped.document["ok"] is True
    assert not (tmp_path / "dicehall.db").exists()


def test_7_what_is_forged_gets_a_sentence_and_exit_status_1(dicehall: Run, tmp_path: Path) -> None:
    dicehall("simulate", "yahtzee", "--games", "1", "--proofs", str(tmp_path))
    (file,) = tmp_path.glob("*.json")
    whole = file.read_text()
    it = json.loads(whole)
    it["moves"][0]["dice"][0] = it["moves"][0]["dice"][0] % 6 + 1
    forged = {
        "cut off": whole[: len(whole) // 2],
        "dice are not what": json.dumps(it),
        "seal doesn’t fit": json.dumps(json.loads(whole) | {"version": 99}),
        "isn’t JSON": "rubbish " * 2**16,
        "nested too deeply": "[" * 2**19,
    }

    for sentence, text in forged.items():
        file.write_text(text)
        said = dicehall("verify", str(file), "--json")
        told = json.loads(said.out)
        assert (said.status, told["ok"], said.err) == (1, False, "")
        assert any(sentence in problem for problem in told["problems"]), told
        plain = dicehall("verify", str(file))
        assert plain.status == 1
        assert sentence in " ".join(plain.out.split())


def test_7_a_file_that_is_not_there_is_told_from_a_game(dicehall: Run, played: str) -> None:
    dicehall("verify", "proof.json").refused("there is no file proof.json")
    dicehall("verify", "./abcdefgh").refused("there is no file")
    dicehall("verify", "abcdefgh").refused("there is no game")
