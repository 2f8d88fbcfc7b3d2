"""Fair dice, recomputed from the words of `games/fairness.py` with hashlib and hmac alone.

`recompute` is what somebody would write who wants to verify a game; it shares nothing with the bot.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from games.fairness import Stream, players_part, seal, secret_of

KEY = bytes(range(100, 132))
SECRET = secret_of(KEY, "k3x9", b"nonce")
CHARMS = [3, 0, 6]
PART = players_part(CHARMS)

KNOWN_SEAL = "13995b1a12c78b2a601a098618d91cd3fa7329bf9108b68a5cf7f6254aed030a"
KNOWN_D6 = [6, 3, 1, 1, 4, 3, 5, 2, 5, 3, 4, 3, 3, 6, 6, 4, 2, 4, 3, 1]
KNOWN_MIXED = [1, 7, 9, 9, 13, 1, 261, 534]


def recompute(secret: bytes, charms: list[int], move: int, dice: list[int]) -> list[int]:
    """The values of `dice` in move number `move`, as documented."""
    lines = ["dicehall charms"] + [f"{seat} {charm}" for seat, charm in enumerate(charms)]
    part = hashlib.sha256("\n".join(lines).encode("utf-8")).digest()
    numbers: list[int] = []
    for block in range(1000):
        message = part + move.to_bytes(4, "big") + block.to_bytes(4, "big")
        digest = hmac.new(secret, message, hashlib.sha256).digest()
        numbers += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
    values = []
    for faces in dice:
        largest_multiple = 2**32 - 2**32 % faces
        number = numbers.pop(0)
        while number >= largest_multiple:
            number = numbers.pop(0)
        values.append(number % faces + 1)
    return values


# -- what is promised ---------------------------------------------------------------------------


def test_the_seal_is_sha256_of_the_secret_and_the_game() -> None:
    by_hand = hashlib.sha256(SECRET + b"k3x9:fifty:1").hexdigest()

    assert seal(SECRET, "k3x9", "fifty", 1) == by_hand


def test_the_secret_is_hmac_sha256_of_game_and_nonce_under_the_key() -> None:
    by_hand = hmac.new(KEY, b"dicehall secretk3x9nonce", hashlib.sha256).digest()

    assert by_hand == SECRET
    assert secret_of(KEY[::-1], "k3x9", b"nonce") != SECRET


def test_the_seal_is_bound_to_secret_game_and_rules() -> None:
    seals = {
        seal(secret, game, kind, version)
        for secret in (SECRET, SECRET[::-1])
        for game in ("k3x9", "k3x8")
        for kind in ("fifty", "zilch")
        for version in (1, 2)
    }

    assert len(seals) == 16


def test_the_players_part_is_sha256_of_the_charms_of_the_start() -> None:
    by_hand = hashlib.sha256(b"dicehall charms\n0 3\n1 0\n2 6").digest()

    assert by_hand == PART
    assert players_part([]) == hashlib.sha256(b"dicehall charms").digest()
    assert players_part(CHARMS[::-1]) != PART
    assert players_part(CHARMS[:2]) != PART


@pytest.mark.parametrize("move", [0, 1, 255, 256, 70000])
def test_every_die_can_be_recomputed(move: int) -> None:
    dice = [6, 6, 20, 4, 666, 36, 2, 1000, 3, 12] * 20
    stream = Stream(SECRET, PART, move)

    assert [stream(faces) for faces in dice] == recompute(SECRET, CHARMS, move, dice)


def test_dice_whose_faces_pass_over_many_numbers_can_be_recomputed_too() -> None:
    dice = [2**31 + 1, 3 * 2**30, 2**32 - 1, 2**32] * 50
    stream = Stream(SECRET, PART, 7)

    assert [stream(faces) for faces in dice] == recompute(SECRET, CHARMS, 7, dice)


def test_secret_players_and_move_all_steer_the_dice() -> None:
    def hundred(stream: Stream) -> tuple[int, ...]:
        return tuple(stream(6) for _ in range(100))

    streams = {
        hundred(Stream(secret, part, move))
        for secret in (SECRET, SECRET[::-1])
        for part in (PART, players_part([]))
        for move in (0, 1, 2, 256, 2**31)
    }

    assert len(streams) == 2 * 2 * 5


def test_the_same_secret_players_and_move_give_the_same_dice() -> None:
    one, other = Stream(SECRET, PART, 3), Stream(SECRET, PART, 3)

    assert [one(6) for _ in range(100)] == [other(6) for _ in range(100)]


# -- known answers, so that no dice of a recorded game ever change ------------------------------


def test_a_known_seal() -> None:
    assert seal(SECRET, "k3x9", "fifty", 1) == KNOWN_SEAL


def test_known_dice() -> None:
    stream = Stream(SECRET, PART, 1)

    assert [stream(6) for _ in range(20)] == KNOWN_D6
    assert [stream(faces) for faces in (4, 8, 10, 12, 20, 36, 666, 1000)] == KNOWN_MIXED


# -- no value is likelier than another ----------------------------------------------------------


class Fed(Stream):
    """A stream that reads the given 32-bit numbers instead of the HMAC's."""

    def __init__(self, numbers: list[int]) -> None:
        super().__init__(SECRET, PART, 0)
        self._numbers = iter(numbers)


@pytest.mark.parametrize("faces", [3, 6, 7, 10, 12, 20, 666, 1000, 2**31 + 1])
def test_numbers_from_the_largest_multiple_on_are_passed_over(faces: int) -> None:
    whole = 2**32 // faces

    last_used, first_passed = whole * faces - 1, whole * faces
    values = Fed([0, last_used, first_passed, 2**32 - 1, 1, faces - 1])

    # each face has exactly `whole` of the numbers below the multiple: no bias at all
    assert [values(faces) for _ in range(4)] == [1, faces, 2, faces]


@pytest.mark.parametrize("faces", [2, 4, 2**32])
def test_where_the_faces_divide_all_numbers_none_is_passed_over(faces: int) -> None:
    values = Fed([2**32 - 1, 0])

    assert [values(faces), values(faces)] == [faces, 1]


@pytest.mark.parametrize("faces", [2, 4, 6, 10, 12, 20, 36])
def test_twenty_thousand_dice_are_spread_as_chance_would(faces: int) -> None:
    thrown = 20_000
    counts = Counter(
        value
        for move in range(thrown // 100)
        for value in map(Stream(SECRET, PART, move), [faces] * 100)
    )

    expected = thrown / faces
    chi_square = sum((counts[face] - expected) ** 2 / expected for face in range(1, faces + 1))
    freedom = faces - 1
    assert {*counts} == {*range(1, faces + 1)}
    # four standard deviations of chi square: mean `freedom`, variance twice that
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5
