"""What all dice did: running counts of faces and of how games ended (RULES 7).

They grow in the transaction that ends a game and nothing takes anything out of them; so `/fair` is
a matter of a few rows, however many games there were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from peewee import EXCLUDED, Database

from economy.statements import Query, statement
from tgbot.hall.store import Store
from tgbot.hall.table import Table, values
from tgbot.models import EndRow, FaceRow


@dataclass(frozen=True, slots=True)
class Die:
    """A kind of die: how often each face from 1 on fell in all finished games."""

    sides: int
    faces: tuple[int, ...]

    @property
    def thrown(self) -> int:
        """How often it was thrown."""
        return sum(self.faces)

    @property
    def chi_square(self) -> float:
        """How far the faces are from falling equally often; about `sides` - 1 for a fair die."""
        expected = self.thrown / self.sides
        return sum((face - expected) ** 2 / expected for face in self.faces) if expected else 0.0


@dataclass(frozen=True, slots=True)
class End:
    """How many games of a kind ended so: `ended` is their status, `why` what called them off."""

    kind: str
    ended: str
    why: str
    games: int


@dataclass(frozen=True, slots=True)
class Fair:
    """Everything that was counted: dice by their faces, ends by kind."""

    dice: tuple[Die, ...]
    ends: tuple[End, ...]

    def ended(self, *statuses: str) -> int:
        """How many games ended with one of these statuses."""
        return sum(end.games for end in self.ends if end.ended in statuses)

    def document(self) -> dict[str, Any]:
        """What `dicehall fair --json` prints."""
        reasons: Counter[str] = Counter()
        for end in self.ends:
            if end.ended in ("off", "void"):
                reasons[end.why or "players"] += end.games
        return {
            "games": {
                "finished": self.ended("over"),
                "stopped": self.ended("stopped"),
                "called_off": self.ended("off", "void"),
                "why": dict(sorted(reasons.items())),
            },
            "dice": [
                {
                    "sides": die.sides,
                    "thrown": die.thrown,
                    "faces": list(die.faces),
                    "chi_square": round(die.chi_square, 3),
                    "freedom": die.sides - 1,
                }
                for die in self.dice
            ],
        }


def counted(store: Store, table: Table, ended: str, why: str) -> None:
    """Counts a game that ends in this transaction."""
    _count_end.run(store.db, kind=table.kind, ended=ended, why=why)
    if ended != "over" or table.daily:
        return  # the dice of a daily are everybody's, and would be counted again and again
    fallen = Counter(faces(store.moves.thrown(table.id)))
    # Sorted, so that two games that end at once wait for each other only in one way.
    _count_faces.many(store.db, [(*die, n) for die, n in sorted(fallen.items())])


def faces(thrown: Iterable[tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """Every die that was thrown, as its faces and the one that fell; see `MoveRows.thrown`."""
    for throw, dice in thrown:
        fallen = iter(values(dice))
        openly = throw.endswith("!")
        for sides in values(throw.removesuffix("!")):
            for face in fallen:
                yield sides, face
                if not openly or face < sides:
                    break


def fair(db: Database) -> Fair:
    """What was counted until now."""
    found: dict[int, Counter[int]] = {}
    query = FaceRow.select(FaceRow.sides, FaceRow.face, FaceRow.n)
    for sides, face, n in query.tuples().execute(db):
        found.setdefault(sides, Counter())[face] = n
    dice = (
        Die(sides, tuple(found[sides][face] for face in range(1, sides + 1)))
        for sides in sorted(found)
    )
    ends = EndRow.select(EndRow.kind, EndRow.ended, EndRow.why, EndRow.n)
    order = (EndRow.kind, EndRow.ended, EndRow.why)
    return Fair(tuple(dice), tuple(End(*row) for row in ends.order_by(*order).tuples().execute(db)))


# -- statements ---------------------------------------------------------------------------------


@statement
def _count_end(*, kind: str, ended: str, why: str) -> Query:
    return EndRow.insert(kind=kind, ended=ended, why=why, n=1).on_conflict(
        conflict_target=[EndRow.kind, EndRow.ended, EndRow.why],
        update={EndRow.n: EndRow.n + EXCLUDED.n},
    )


@statement
def _count_faces(*, sides: int, face: int, n: int) -> Query:
    return FaceRow.insert(sides=sides, face=face, n=n).on_conflict(
        conflict_target=[FaceRow.sides, FaceRow.face], update={FaceRow.n: FaceRow.n + EXCLUDED.n}
    )
