"""What a game that is over proves about its dice: the proof file, and what checking it brought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from games.checking import check
from games.dice import cast
from games.fairness import Stream
from games.game import HOUSE, Lines, Refusal, Text, text
from games.proof import Moved, Player, Proof, write
from tgbot.config import WrongSetting
from tgbot.hall.daily.days import Day, find_day
from tgbot.hall.sealing import Sealing
from tgbot.hall.store import Store
from tgbot.hall.table import Recorded, Sitting, Table, first_state, values


@dataclass(frozen=True)
class Verification:
    """What recomputing a game brought; `wrong` are the numbers of moves whose dice differ.

    `ok` says that nothing is wrong. `file` is the proof file, empty where there can be none: of an
    open game, and of one of the earlier scheme. `long` and `short` say it in words, whole and
    within an alert.
    """

    ok: bool
    throws: int
    wrong: tuple[int, ...]
    sealed: str
    secret: str
    part: str
    long: Text
    short: Text
    file: str = ""


def verification(store: Store, sealing: Sealing, table: Table) -> Verification:
    """Recomputes the dice of a game; one that is still open shows only its seal."""
    day = _day_of(store, table)
    if table.open or (day and not day.over):  # a daily's dice are theirs, too, who still play it
        key = "verify.daily" if table.daily else "verify.open"
        body = text(key, game=table.id, seal=table.sealed)
        short = text(f"{key}_short", seal=table.sealed)
        return Verification(True, 0, (), table.sealed, "", "", body, short)
    if table.earlier:
        return _earlier(store, table)
    try:
        secret = day.secret if day else sealing.secret(table)
    except WrongSetting:
        secret = None
    if secret is None:
        said = {"game": table.id, "seal": table.sealed}
        body, short = text("verify.lost", **said), text("verify.lost_short", game=table.id)
        return Verification(False, 0, (), table.sealed, "", "", body, short)
    proof = proof_of(store, table, secret)
    found = check(proof)
    thrown = sum(moved.seat != HOUSE and bool(moved.sides) for moved in proof.moves)
    if found.problems:
        key = "verify.wrong"
    elif not found.played:
        key = "verify.old"
    else:
        key = "verify.right" if thrown else "verify.unthrown"
    told = {"game": table.id, "n": thrown}
    whole: dict[str, Any] = {"seal": proof.seal, "secret": proof.secret, "part": proof.part.hex()}
    if found.problems:
        whole["problems"] = Lines(found.problems[:3])
    long, short = text(key, **told, **whole), text(f"{key}_short", **told)
    for seat in table.guests:
        n = sum(moved.seat == seat for moved in proof.moves)
        long = text("verify.james", it=long, n=n, seat=seat) if n else long
    return Verification(
        found.right,
        found.throws,
        found.wrong,
        proof.seal,
        proof.secret,
        proof.part.hex(),
        long,
        short,
        write(proof),
    )


def _day_of(store: Store, table: Table) -> Day | None:
    """The day that a daily is an attempt at, unless that was sealed anew since (RULES 9)."""
    day = find_day(store.db, table.daily) if table.daily else None
    return day if day and day.nonce == table.nonce else None


def proof_of(store: Store, table: Table, secret: bytes) -> Proof:
    """The proof of a game that is over, with its `secret`."""
    started = [sitting for sitting in table.sittings if sitting.seat >= 0]
    return Proof(
        table.sealed_as,
        table.kind,
        table.version,
        table.sealed,
        secret.hex(),
        tuple(_player(sitting) for sitting in started if not sitting.late),
        _moves(store, table),
        tuple(_player(sitting) for sitting in started if sitting.late),
        table.status,
        table.guests,
    )


def _player(sitting: Sitting) -> Player:
    return Player(sitting.seat, sitting.name, sitting.charm)


def _moves(store: Store, table: Table) -> tuple[Moved, ...]:
    moves = store.moves.of(table.id)
    recorded = zip(_numbers(table, moves), moves, store.moves.thrown(table.id), strict=True)
    return tuple(
        Moved(n, seat, move, values(asked.removesuffix("!")), asked.endswith("!"), values(dice))
        for n, (seat, move, dice), (asked, _) in recorded
    )


def _numbers(table: Table, moves: Sequence[Recorded]) -> Iterator[int]:
    """The number of every move: its place, in a daily where in the game it was made."""
    daily = table.game.daily if table.daily else None
    if daily is None:
        yield from range(len(moves))
        return
    state = first_state(table, moves)
    for seat, move, dice in moves:
        yield daily.number(state, move)
        state = table.game.rules.play(state, seat, move, values(dice))


def _earlier(store: Store, table: Table) -> Verification:
    """A game from before there were charms: its dice can be recomputed, but not by its players."""
    throws, wrong = _recomputed(store, table)
    key = "verify.earlier_wrong" if wrong else "verify.earlier"
    told = {"game": table.id, "n": throws}
    secret, part = table.secret.hex(), table.part.hex()
    long = text(key, **told, seal=table.sealed, secret=secret, part=part)
    short = text(f"{key}_short", **told)
    return Verification(not wrong, throws, wrong, table.sealed, secret, part, long, short)


def _recomputed(store: Store, table: Table) -> tuple[int, tuple[int, ...]]:
    """How many throws of people there were, and the numbers of moves that took other dice."""
    moves = store.moves.of(table.id)
    if not moves or table.version != table.game.rules.VERSION:
        return 0, ()
    rules, throws, wrong = table.game.rules, 0, list[int]()
    state = first_state(table, moves)
    for n, (seat, move, recorded) in enumerate(moves):
        try:
            throw = rules.throw(state, seat, move)
            throws += seat != HOUSE and bool(throw.sides)
            if cast(throw, Stream(table.secret, table.part, n)) != values(recorded):
                wrong.append(n)
            state = rules.play(state, seat, move, values(recorded))
        except (Refusal, ValueError):
            wrong.append(n)
            break
    return throws, tuple(wrong)
