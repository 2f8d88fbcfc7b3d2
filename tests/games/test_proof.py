"""RULES 7: a proof file holds a game so that anyone can check it, and no forged one passes."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest

from games import registry
from games.checking import check, folded
from games.game import Refusal
from games.proof import read, write
from tests.games.proofs import SIZES, document, proof_of

KINDS = sorted(SIZES)
Forge = Callable[[dict[str, Any]], object]


def key_of(raw: bytes | str) -> str:
    """The first thing that is wrong with a file; empty if nothing is."""
    try:
        problems = check(read(raw)).problems
    except Refusal as refusal:
        return refusal.text.key
    return problems[0].key if problems else ""


def thrown(it: dict[str, Any]) -> dict[str, Any]:
    """A move in the middle of a game that took dice."""
    moves = [move for move in it["moves"] if move["dice"]]
    found: dict[str, Any] = moves[len(moves) // 2]
    return found


# -- right ones -----------------------------------------------------------------------------------


def by_hand(raw: str) -> bool:
    """Checks a proof as its reader would who knows only RULES 7 and the standard library."""
    it = json.loads(raw)
    secret = bytes.fromhex(it["secret"])
    sealed = f"{it['game']}:{it['kind']}:{it['version']}".encode()
    lines = ["dicehall charms"] + [f"{p['seat']} {p['charm']}" for p in it["players"]]
    part = hashlib.sha256("\n".join(lines).encode()).digest()
    right = hashlib.sha256(secret + sealed).hexdigest() == it["seal"]
    for move in it["moves"]:
        head, numbers, dice = part + move["n"].to_bytes(4, "big"), [], []
        for k in range(100):
            block = hmac.new(secret, head + k.to_bytes(4, "big"), hashlib.sha256).digest()
            numbers += [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
        for sides in move["sides"]:
            while True:
                number = numbers.pop(0)
                if number < 2**32 // sides * sides:
                    dice.append(number % sides + 1)
                    if not move["open"] or dice[-1] < sides:
                        break
        right = right and dice == move["dice"]
    return right


@pytest.mark.parametrize("kind", KINDS)
def test_a_proof_is_right_by_the_rulebook_alone_and_by_the_bot(kind: str) -> None:
    for seed in range(3):
        raw = write(proof_of(kind, seed))
        found = check(read(raw))

        assert by_hand(raw)
        assert found.right
        assert found.played
        assert found.outcome
        assert read(raw) == proof_of(kind, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_proof_cut_short_between_two_moves_folds_to_the_state_there(kind: str) -> None:
    it = document(kind)
    it["moves"] = it["moves"][: len(it["moves"]) // 2]
    it["ended"] = "stopped"

    proof = read(json.dumps(it))
    state = folded(proof)

    assert check(proof).right
    assert registry()[kind].rules.outcome(state) is None


def test_a_game_called_off_in_its_lobby_has_a_proof_without_players() -> None:
    it = document("fifty") | {"players": [], "moves": [], "ended": "off"}

    assert key_of(json.dumps(it)) == ""


def test_further_keys_and_a_byte_order_mark_do_not_matter() -> None:
    it = document("zilch") | {"chat": {"title": "Round"}}

    assert key_of(b"\xef\xbb\xbf" + json.dumps(it).encode()) == ""


# -- forged ones ----------------------------------------------------------------------------------


def _renumbered(it: dict[str, Any]) -> None:
    it["moves"].remove(thrown(it))
    for n, move in enumerate(it["moves"]):
        move["n"] = n


def _other_die(it: dict[str, Any]) -> None:
    dice = thrown(it)["dice"]
    dice[0] = dice[0] % 4 + 1


def _other_charm(it: dict[str, Any]) -> None:
    it["players"][0]["charm"] = (it["players"][0]["charm"] + 1) % 7


FORGED: dict[str, tuple[Forge, str]] = {
    "a changed die": (_other_die, "proof.dice"),
    "a die more": (lambda it: thrown(it)["dice"].append(1), "proof.dice"),
    "other faces": (lambda it: thrown(it)["sides"].__setitem__(0, 7), "proof.dice"),
    "a changed charm": (_other_charm, "proof.dice"),
    "a player less": (lambda it: it["players"].pop(), "proof.dice"),
    "a move left out": (lambda it: it["moves"].remove(thrown(it)), "proof.gap"),
    "a move left out and hidden": (_renumbered, "proof.dice"),
    "the last move left out": (lambda it: it["moves"].pop(), "proof.unfinished"),
    "a move twice": (lambda it: it["moves"].insert(3, it["moves"][3]), "proof.gap"),
    "two moves swapped": (lambda it: it["moves"].insert(1, it["moves"].pop()), "proof.gap"),
    "another version": (lambda it: it.update(version=it["version"] + 1), "proof.seal"),
    "another game": (lambda it: it.update(game="aaaaaaaa"), "proof.seal"),
    "another secret": (lambda it: it.update(secret="0" * 64), "proof.seal"),
    "another seal": (lambda it: it.update(seal="0" * 64), "proof.seal"),
    "somebody else's move": (lambda it: it["moves"][-1].update(seat=19), "proof.wrong"),
    "a move nobody can make": (lambda it: thrown(it).update(move="win"), "proof.illegal"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_proof_is_found_out(kind: str, forged: str) -> None:
    forge, expected = FORGED[forged]
    it = document(kind)
    forge(it)

    assert key_of(json.dumps(it)) == expected


def test_another_kind_is_found_out() -> None:
    assert key_of(json.dumps(document("zilch") | {"kind": "farkle20"})) == "proof.seal"


def test_dice_that_are_the_streams_but_not_those_the_rules_ask_for_are_found_out() -> None:
    # Who has the secret can say that a player threw fewer dice: the stream alone would agree.
    it = document("yahtzee")
    move = next(move for move in it["moves"] if move["move"] == "roll")
    move.update(sides=move["sides"][:4], dice=move["dice"][:4])

    assert key_of(json.dumps(it)) == "proof.asked"


# -- rubbish --------------------------------------------------------------------------------------

WHOLE = write(proof_of("zilch"))
LONG = "1" * 100
RUBBISH = {
    "nothing": (b"", "proof.no_json"),
    "a cut file": (WHOLE[: len(WHOLE) // 2], "proof.cut"),
    "cut by one byte": (WHOLE.rstrip()[:-1], "proof.cut"),
    "half a megabyte of letters": (b"dice" * 2**17, "proof.no_json"),
    "half a megabyte of bytes": (bytes(range(256)) * 2**11, "proof.no_text"),
    "half a megabyte of brackets": (b"[" * 2**19, "proof.deep"),
    "half a megabyte of objects": (b'{"a":' * 100_000, "proof.deep"),
    "half a megabyte of digits": (b"9" * 2**19, "proof.number"),
    "ten megabytes": (b" " * 10 * 2**20, "proof.too_large"),
    "a number of a hundred digits": (WHOLE.replace('"n": 1,', f'"n": {LONG},'), "proof.number"),
    "a fraction": (WHOLE.replace('"n": 1,', '"n": 1.0,'), "proof.number"),
    "no number": (WHOLE.replace('"n": 1,', '"n": NaN,'), "proof.number"),
    "true for one": (WHOLE.replace('"n": 1,', '"n": true,'), "proof.wrong"),
    "a string for one": (WHOLE.replace('"n": 1,', '"n": "1",'), "proof.wrong"),
    "a number too large": (WHOLE.replace('"n": 1,', '"n": 4294967296,'), "proof.wrong"),
    "a die of one face": (WHOLE.replace('"sides": [6', '"sides": [1', 1), "proof.wrong"),
    "a key twice": (WHOLE.replace('"n": 1,', '"n": 1, "n": 1,'), "proof.twice"),
    "half a name": (WHOLE.replace('"name": "A"', r'"name": "\ud83d"'), "proof.wrong"),
    "a key missing": (WHOLE.replace('"seal"', '"sael"'), "proof.missing"),
    "no list": (json.dumps(document("zilch") | {"moves": {}}), "proof.wrong"),
    "no object": (json.dumps(document("zilch") | {"moves": [1]}), "proof.wrong"),
    "a list": ("[1, 2]", "proof.format"),
    "another format": (WHOLE.replace("proof 1", "proof 2"), "proof.format"),
    "an unknown game": (WHOLE.replace('"zilch"', '"chess"'), "proof.kind"),
    "capital letters": (WHOLE.replace('"secret": "', '"secret": "A'), "proof.wrong"),
}  # fmt: skip


@pytest.mark.parametrize("rubbish", RUBBISH)
def test_rubbish_is_told_what_is_wrong_with_it(rubbish: str) -> None:
    raw, expected = RUBBISH[rubbish]

    assert key_of(raw) == expected


def test_rules_of_another_version_leave_seal_and_dice_to_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = write(proof_of("zilch"))
    monkeypatch.setattr("games.zilch.rules.VERSION", 99)

    found = check(read(raw))

    assert found.right
    assert not found.played
