"""Proof files (RULES 7): everything about one game, so that anyone can check it.

    {"format": "dicehall proof 1", "game": "…", "kind": "fifty", "version": 2,
     "seal": "hex", "secret": "hex", "players": [{"seat": 0, "name": "Anna", "charm": 3}],
     "moves": [{"n": 0, "seat": -1, "move": "deal", "sides": [666], "open": false, "dice": [12]}]}

`players` are the seats of the start in order, `dice` every value thrown in order. `read` takes what
anybody may have written and raises a `Refusal` that says what is wrong with it; `checking.py`
recomputes seal, players' part and every die, and plays the game again by its rules. Names are what
the file says: only who was there knows whether they are right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from games import registry
from games.daily import is_daily
from games.fairness import CHARMS, players_part
from games.game import HOUSE, Game, Refusal

FORMAT = "dicehall proof 1"
LARGEST = 8 * 1024 * 1024
"""Bytes of a file that is read at all; the longest games need less than one megabyte."""
LONGEST_NAME, LONGEST_MOVE, LONGEST_ID = 256, 64, 64
LARGEST_NUMBER = 2**32
MOST_PLAYERS = 20
ENDS = ("over", "stopped", "off", "void")

_HEX = re.compile(r"[0-9a-f]{64}")
_DIGITS = 15
"""JSON numbers of more digits are none of ours, and some take long to read."""


class Player(NamedTuple):
    """Who sat where, with which charm."""

    seat: int
    name: str
    charm: int


class Moved(NamedTuple):
    """Move `n` and the dice it took: their faces, whether they were open, and every value."""

    n: int
    seat: int
    move: str
    sides: tuple[int, ...]
    open: bool
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof file.

    `later` are who joined while the game ran; `ended` is how it ended, if said; `james` are the
    seats that he had (RULES 8).
    """

    game: str
    kind: str
    version: int
    seal: str
    secret: str
    players: tuple[Player, ...]
    moves: tuple[Moved, ...]
    later: tuple[Player, ...] = ()
    ended: str = ""
    james: tuple[int, ...] = ()

    @property
    def part(self) -> bytes:
        """The players' part, from the charms of the start."""
        return players_part(player.charm for player in self.players)

    @property
    def is_daily(self) -> bool:
        """Whether it is somebody's attempt at a daily (RULES 9)."""
        return is_daily(self.game) and registry()[self.kind].daily is not None

    @property
    def rules(self) -> Game[Any] | None:
        """The game by whose rules it can be played again; None for another version of them."""
        game = registry()[self.kind]
        return game if self.version == game.rules.VERSION else None


# -- writing ----------------------------------------------------------------------------------


def write(proof: Proof) -> str:
    """The proof file as JSON, a player and a move a line."""
    head = {
        "format": FORMAT,
        "game": proof.game,
        "kind": proof.kind,
        "version": proof.version,
        "seal": proof.seal,
        "secret": proof.secret,
    }
    parts = [f"{_json(name)}: {_json(value)}" for name, value in head.items()]
    parts += [_list("players", proof.players), _list("moves", proof.moves)]
    if proof.later:
        parts.append(_list("later", proof.later))
    if proof.ended:
        parts.append(f'"ended": {_json(proof.ended)}')
    if proof.james:
        parts.append(f'"james": {_json(proof.james)}')
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _list(name: str, rows: Sequence[Player | Moved]) -> str:
    lines = ",\n    ".join(_json(row._asdict()) for row in rows)
    return f'"{name}": [\n    {lines}\n  ]' if rows else f'"{name}": []'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# -- reading ----------------------------------------------------------------------------------


def read(raw: bytes | str, *, sealed: bool = True) -> Proof:
    """The proof that a file holds, also one with fewer moves than were played.

    Without `sealed` its seal and secret may be missing; then they are empty. Raises `Refusal` for
    anything that is none.
    """
    if len(raw) > LARGEST:
        raise Refusal("proof.too_large", most=LARGEST // 1024**2)
    try:
        said = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
        said.encode("utf-8")
    except UnicodeError:
        raise Refusal("proof.no_text") from None
    it = _Object(_parsed(said.removeprefix("\ufeff")), "")
    if it.values.get("format") != FORMAT:
        raise Refusal("proof.format", format=FORMAT)
    kind = it.string("kind", 32)
    if kind not in registry():
        raise Refusal("proof.kind", kind=shown(kind))
    ended = it.string("ended", 16) if "ended" in it.values else ""
    if ended and ended not in ENDS:
        it.wrong("ended")
    return Proof(
        it.string("game", LONGEST_ID),
        kind,
        it.number("version", 0),
        it.hexadecimal("seal") if sealed or "seal" in it.values else "",
        it.hexadecimal("secret") if sealed or "secret" in it.values else "",
        tuple(_player(row, seat) for seat, row in enumerate(it.rows("players", MOST_PLAYERS))),
        tuple(_moved(row) for row in it.rows("moves")),
        tuple(_player(row) for row in it.rows("later", MOST_PLAYERS))
        if "later" in it.values
        else (),
        ended,
        it.numbers("james", 0) if "james" in it.values else (),
    )


def _parsed(said: str) -> dict[str, Any]:
    try:
        found = json.loads(
            said,
            object_pairs_hook=_once,
            parse_int=_whole,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except RecursionError:
        raise Refusal("proof.deep") from None
    except json.JSONDecodeError as error:
        whole = said.strip()
        if whole.startswith("{") and not whole.endswith("}"):
            raise Refusal("proof.cut", n=len(said)) from None
        raise Refusal("proof.no_json", line=error.lineno, column=error.colno) from None
    if not isinstance(found, dict):
        raise Refusal("proof.format", format=FORMAT)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Refusal("proof.twice", name=shown(name))
        found[name] = value
    return found


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        _no_number(digits)
    return int(digits)


def _no_number(digits: str) -> None:
    raise Refusal("proof.number", number=shown(digits))


def shown(said: str) -> str:
    """What somebody wrote, short and without anything that could upset a screen."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in said[:41])
    return clean if len(said) <= 40 else clean[:40] + "…"


class _Object:
    """A JSON object that is to have keys of certain kinds; `where` it lies in the file."""

    def __init__(self, values: object, where: str) -> None:
        if not isinstance(values, dict):
            raise Refusal("proof.wrong", where=where)
        self.values, self.where = values, where

    def wrong(self, key: str) -> None:
        """Raises the `Refusal` for a value that cannot be."""
        raise Refusal("proof.wrong", where=f"{self.where}{key}")

    def string(self, key: str, longest: int) -> str:
        value = self._get(key, str)
        if len(value) > longest or any("\ud800" <= letter <= "\udfff" for letter in value):
            self.wrong(key)
        return str(value)

    def hexadecimal(self, key: str) -> str:
        value = self.string(key, 64)
        if not _HEX.fullmatch(value):
            self.wrong(key)
        return value

    def number(self, key: str, least: int, most: int = LARGEST_NUMBER) -> int:
        value = self._get(key, int)
        if not least <= value <= most:
            self.wrong(key)
        return int(value)

    def numbers(self, key: str, least: int) -> tuple[int, ...]:
        values = self._get(key, list)
        if not all(type(value) is int and least <= value <= LARGEST_NUMBER for value in values):
            self.wrong(key)
        return tuple(values)

    def flag(self, key: str) -> bool:
        return bool(self._get(key, bool))

    def rows(self, key: str, most: int = 0) -> Iterator[_Object]:
        values = self._get(key, list)
        if most and len(values) > most:
            self.wrong(key)
        return (_Object(value, f"{self.where}{key}[{n}].") for n, value in enumerate(values))

    def _get(self, key: str, kind: type) -> Any:
        if key not in self.values:
            raise Refusal("proof.missing", where=f"{self.where}{key}")
        value = self.values[key]
        if type(value) is not kind:  # true is no number
            self.wrong(key)
        return value


def _player(row: _Object, seat: int | None = None) -> Player:
    found = Player(
        row.number("seat", 0),
        row.string("name", LONGEST_NAME),
        row.number("charm", 0, len(CHARMS) - 1),
    )
    if seat is not None and found.seat != seat:
        row.wrong("seat")
    return found


def _moved(row: _Object) -> Moved:
    return Moved(
        row.number("n", 0, LARGEST_NUMBER - 1),
        row.number("seat", HOUSE),
        row.string("move", LONGEST_MOVE),
        row.numbers("sides", 2),  # an open die of one face would be thrown for ever
        row.flag("open"),
        row.numbers("dice", 1),
    )


# -- checking ---------------------------------------------------------------------------------
