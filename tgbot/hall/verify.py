"""Recomputing every die of a game from its revealed secret (see `games.fairness`)."""

from __future__ import annotations

from dataclasses import dataclass

from games.dice import cast
from games.fairness import Stream, earlier_seal
from games.game import Refusal, Text, text
from tgbot.hall.rows import Store
from tgbot.hall.table import Table, first_state, values


@dataclass(frozen=True)
class Verification:
    """What recomputing a game brought; `wrong` are the numbers of moves whose dice differ.

    `long` and `short` say it in words, whole and within an alert.
    """

    throws: int
    wrong: tuple[int, ...]
    sealed: str
    secret: str
    part: str
    long: Text
    short: Text


def verification(store: Store, table: Table) -> Verification:
    """Recomputes the dice of a game; one that is still open shows only its seal."""
    sealed = earlier_seal(table.secret, table.id, table.version)
    if table.open:
        body = text("verify.open", game=table.id, seal=sealed)
        return Verification(0, (), sealed, "", "", body, text("verify.open_short", seal=sealed))
    throws, wrong = _recomputed(store, table)
    key = "verify.wrong" if wrong else "verify.right"
    if wrong and table.version != table.game.rules.VERSION:
        key = "verify.old"
    long = text(
        key, game=table.id, n=throws, seal=sealed, secret=table.secret.hex(), part=table.part.hex()
    )
    short = text(f"{key}_short", game=table.id, n=throws)
    return Verification(throws, wrong, sealed, table.secret.hex(), table.part.hex(), long, short)


def _recomputed(store: Store, table: Table) -> tuple[int, tuple[int, ...]]:
    moves = store.moves(table.id)
    if not moves:
        return 0, ()
    rules = table.game.rules
    state = first_state(table, moves)
    throws, wrong = 0, []
    for n, (seat, move, recorded) in enumerate(moves):
        try:
            throw = rules.throw(state, seat, move)
            throws += bool(throw.sides)
            if cast(throw, Stream(table.secret, table.part, n)) != values(recorded):
                wrong.append(n)
            state = rules.play(state, seat, move, values(recorded))
        except (Refusal, ValueError):
            wrong.append(n)
            break
    return throws, tuple(wrong)
