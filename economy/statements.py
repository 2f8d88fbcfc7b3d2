"""Peewee queries compiled once, for the paths where building one anew each time would cost most.

A function says what the query is, with a keyword argument for each value that changes from run to
run; it is called once for each kind of database, with slots instead of values:

    @statement(row=int)
    def _balance(*, kind: str, ref: str) -> Query:
        return AccountRow.select(AccountRow.balance).where(
            AccountRow.kind == kind, AccountRow.ref == ref
        )

    _balance.one(db, kind="wallet", ref="11")

Where a row is written as a whole, `statement(slots=COLUMNS)` names the slots of a function that
takes them as `**columns`, so that no column is written down twice. Many rows at once are handed
over as tuples: `_add.many(db, [(5, "11"), (7, "12")])`.

What is not a slot becomes part of the text, so that partial indexes are found and nothing but the
slots is handed over. A slot holds one value: a list of unknown length (`IN`), or a `WHERE` that
depends on the case, is no compiled statement; write two of them, or build the query where it is run
(`query.execute(db)`), as is done wherever speed does not matter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from operator import itemgetter
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

from peewee import Context, Database, Insert, Query, Select, Value, ValueLiterals

from economy.database import File, is_sqlite
from economy.postgres import Server, slotted
from economy.trust import trusts

__all__ = ["Query", "Slot", "Statement", "registered", "statement"]

P = ParamSpec("P")
T = TypeVar("T")
Lock = Literal["wait", "skip"]
Picker = Callable[[Any], tuple[object, ...]]
_Compiled = tuple[str, Picker, Picker | None]
"""The SQL, what picks its values by name, and what puts those of a row in order where they are not.
"""

_registered: list[Statement[..., Any]] = []


class Slot(Value):
    """The place of a value in a query; `name` is that of the value."""

    def __init__(self, name: str) -> None:
        super().__init__(name, converter=False, unpack=False)

    def __sql__(self, ctx: Context) -> Any:
        """The mark of a parameter, also where other values are written out."""
        with ctx(value_literals=False):
            return ctx.value(self.value, converter=False)


class Statement(Generic[P, T]):
    """A query with named slots, compiled when it is first run on a kind of database.

    Made by `statement`. Every method runs inside the caller's transaction, takes the values by
    name, and raises Peewee's errors; a value that is missing raises KeyError.
    """

    def __init__(
        self,
        build: Callable[P, Query],
        row: Callable[..., T] | None,
        lock: Lock | None,
        slots: Sequence[str] | None,
        numbered: bool,
    ) -> None:
        self.name = f"{build.__module__}.{build.__qualname__}"
        self.__doc__ = build.__doc__
        self._build: Callable[..., Query] = build
        self._slots = tuple(slots or _keywords(build, self.name))
        self._row = row
        self._lock = lock
        self._numbered = numbered
        self._compiled: dict[type[Database], _Compiled] = {}

    def all(self, db: Database, *_: P.args, **values: P.kwargs) -> list[T]:
        """Runs it and answers every row."""
        rows: list[Any] = self._cursor(db, values).fetchall()
        return rows if self._row is None else [self._row(*row) for row in rows]

    def one(self, db: Database, *_: P.args, **values: P.kwargs) -> T | None:
        """Runs it and answers the first row; None where there is none."""
        cursor = self._cursor(db, values)
        if self._numbered and is_sqlite(db):
            number: T | None = cursor.lastrowid if cursor.rowcount else None
            return number
        row: Any = cursor.fetchone()
        return row if row is None or self._row is None else self._row(*row)

    def run(self, db: Database, *_: P.args, **values: P.kwargs) -> int:
        """Runs it and answers how many rows it wrote."""
        return int(self._cursor(db, values).rowcount)

    def later(self, db: Database, *_: P.args, **values: P.kwargs) -> None:
        """As `run`, where nobody asks how many rows it wrote: it may wait for the next statement
        that somebody does ask, or for the commit (see `trust`)."""
        self._put_off(db, None, values)

    def likely(self, db: Database, rows: int, *_: P.args, **values: P.kwargs) -> int:
        """As `run`, where that is almost always so many `rows`: it may wait as in `later`, and if
        it wrote others the transaction is done again."""
        return self._put_off(db, rows, values)

    def ahead(self, db: Database, *_: P.args, **values: P.kwargs) -> None:
        """Asks what `one` or `all` will want to know, so that several answers come together; what
        is written meanwhile has them asked anew."""
        if isinstance(db, Server) and trusts():
            text, picked, *_more = self._compiled.get(db.__class__) or self._compile(db)
            db.ask(text, picked(values))

    def _put_off(self, db: Database, rows: int | None, values: Any) -> int:
        if not (isinstance(db, Server) and trusts()):
            return int(self._cursor(db, values).rowcount)
        text, picked, _ = self._compiled.get(db.__class__) or self._compile(db)
        db.put_off(text, picked(values), rows)
        return rows or 0

    def many(self, db: Database, rows: Collection[tuple[object, ...]]) -> int:
        """Runs it for each of `rows`, whose values stand in the order in which the function names
        its slots; answers how many rows that wrote.
        """
        if not rows:
            return 0
        text, _, picked = self._compiled.get(db.__class__) or self._compile(db)
        assert isinstance(db, File | Server), "no other one is ever connected to"
        return db.execute_many(text, [picked(row) for row in rows] if picked else rows)

    def compiled(self, db: Database) -> tuple[str, list[str]]:
        """The SQL for this kind of database, and the names of its slots in their order."""
        query = self._build(**{name: Slot(name) for name in self._slots})
        if self._numbered:
            assert isinstance(query, Insert), f"{self.name} adds no row"
            if not is_sqlite(db):
                query = query.returning(query.table._meta.primary_key)
        if self._lock and not is_sqlite(db):
            assert isinstance(query, Select), f"{self.name} reads no rows that could be locked"
            query = query.for_update(skip_locked=self._lock == "skip")
        text, slots = db.get_sql_context().parse(ValueLiterals(query))
        if not is_sqlite(db) and text.count("%") != len(slots):
            raise ValueError(f"{self.name}: a percent sign in a constant; make it a slot")
        return text, slots

    # -- inside -------------------------------------------------------------------------------

    def _cursor(self, db: Any, values: Any) -> Any:
        text, picked, _ = self._compiled.get(db.__class__) or self._compile(db)
        return db.execute_compiled(text, picked(values))

    def _compile(self, db: Database) -> _Compiled:
        text, slots = self.compiled(db)
        places = [self._slots.index(name) for name in slots]
        in_order = places == [*range(len(self._slots))]
        made = self._compiled[db.__class__] = (
            slotted(text) if isinstance(db, Server) else text,
            _picker(slots),
            None if in_order else _picker(places),
        )
        return made


@overload
def statement(build: Callable[P, Query], /) -> Statement[P, tuple[Any, ...]]: ...
@overload
def statement(
    *, lock: Lock | None = None
) -> Callable[[Callable[P, Query]], Statement[P, tuple[Any, ...]]]: ...
@overload
def statement(
    *, slots: Sequence[str]
) -> Callable[[Callable[P, Query]], Statement[P, tuple[Any, ...]]]: ...
@overload
def statement(*, numbered: Literal[True]) -> Callable[[Callable[P, Query]], Statement[P, int]]: ...
@overload
def statement(
    *, row: Callable[..., T], lock: Lock | None = None
) -> Callable[[Callable[P, Query]], Statement[P, T]]: ...
def statement(
    build: Callable[..., Query] | None = None,
    /,
    *,
    row: Callable[..., Any] | None = None,
    lock: Lock | None = None,
    slots: Sequence[str] | None = None,
    numbered: bool = False,
) -> Any:
    """Makes a compiled statement of a function from named slots to a query.

    `row` makes what is answered of a row's columns (`int`, a dataclass); without it rows are
    tuples. `lock` keeps the rows read from others until the transaction ends, where the database
    locks rows and not the whole: `wait` for those that others hold, or `skip` them. `slots` are the
    names of the slots of a function that takes any. `numbered` is an insert whose `one` answers the
    new row's number; SQLite knows it without RETURNING, which takes as long as the insert.
    """

    def made(build: Callable[..., Query]) -> Statement[..., Any]:
        new = Statement(build, int if numbered else row, lock, slots, numbered)
        _registered.append(new)
        return new

    return made(build) if build else made


def registered() -> tuple[Statement[..., Any], ...]:
    """Every statement of the modules imported so far."""
    return tuple(_registered)


def _keywords(build: Callable[..., Query], name: str) -> list[str]:
    arguments = inspect.signature(build).parameters
    if any(it.kind is not it.KEYWORD_ONLY for it in arguments.values()):
        raise TypeError(f"{name}: slots are keyword-only arguments")
    return list(arguments)


def _picker(slots: Sequence[str] | Sequence[int]) -> Picker:
    """Takes the values of `slots` out of those given by name, or by place."""
    if len(slots) > 1:
        return itemgetter(*slots)
    return lambda values: tuple(values[slot] for slot in slots)
