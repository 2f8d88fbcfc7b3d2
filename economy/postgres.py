"""PostgreSQL as a Peewee database, whose compiled statements are run without psycopg's cursors.

Such a statement is prepared once a connection and then handed to libpq as it is, which takes a
third of the processor time; while it is under way other threads go on.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from peewee import __exception_wrapper__ as as_peewees  # type: ignore[attr-defined]
from playhouse.pool import PooledPostgresqlDatabase
from psycopg import adapt
from psycopg.abc import Transformer
from psycopg.adapt import PyFormat
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName, error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult
from psycopg.types.numeric import Int8BinaryDumper

from economy.trust import Unsaved

Row = tuple[Any, ...]

_STALE = (InvalidSqlStatementName, FeatureNotSupported)
"""What a prepared statement fails of that a pooler discarded, or whose table was changed since: the
next try prepares it anew."""


class Server(PooledPostgresqlDatabase):  # type: ignore[misc]
    """A PostgreSQL; each thread has a connection of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._here = threading.local()
        self._sessions: WeakKeyDictionary[Any, _Session] = WeakKeyDictionary()
        super().__init__(*args, prefer_psycopg3=True, **kwargs)

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Any:
        """As Peewee's."""
        self._send_all()
        cursor = super().execute_sql(sql, params)
        self._count(sql, cursor.rowcount)
        return cursor

    def execute_compiled(self, text: str, values: Sequence[object]) -> Rows:
        """As `execute_sql`, for a statement that is run again and again: see `slotted`."""
        with as_peewees:
            rows = self._session().run(text, values)
        self._count(text, rows.rowcount)
        return rows

    def execute_many(self, text: str, rows: Iterable[Sequence[object]]) -> int:
        """The same for each of `rows`, whose values it takes, all of them in one round trip;
        answers how many rows that wrote."""
        with as_peewees:
            written = self._session().run_many(text, rows)
        self._count(text, written)
        return written

    def put_off(self, text: str, values: Sequence[object], rows: int | None) -> None:
        """Runs a statement together with the next one that is not put off, or before the commit.

        Raises `Unsaved` then where it fails, or writes another number of rows than `rows`.
        """
        self._session().put_off(text, values, rows)
        self._here.written = self.written + 1

    def ask(self, text: str, values: Sequence[object]) -> None:
        """Runs a statement together with the next one; `execute_compiled` will take its answer,
        unless something is written before."""
        self._session().ask(text, values)

    def commit(self) -> Any:
        """As Peewee's."""
        try:
            self._send_all()
        except Unsaved:
            self.rollback()  # which Peewee leaves out for what is no Exception
            raise
        return super().commit()

    def rollback(self) -> Any:
        """As Peewee's."""
        if session := self._sessions.get(self.connection()):
            session.waiting.clear()
            session.asked.clear()
        return super().rollback()

    def _send_all(self) -> None:
        session = self._sessions.get(self.connection())
        if session:
            session.asked.clear()
            if session.waiting:
                with as_peewees:
                    session.send_all()

    def _session(self) -> _Session:
        connection = self.connection()
        session = self._sessions.get(connection)
        if session is None:
            session = self._sessions[connection] = _Session(connection)
        return session

    def _count(self, sql: str, rows: int) -> None:
        if rows > 0 and not sql.startswith("SELECT"):
            self._session().asked.clear()
            self._here.written = self.written + rows

    @property
    def written(self) -> int:
        """How many rows this thread has written."""
        return getattr(self._here, "written", 0)

    @property
    def sound(self) -> bool:
        """Whether this thread's transaction takes another statement."""
        status = self.connection().pgconn.transaction_status
        return bool(status == TransactionStatus.INTRANS)


class Rows:
    """What a statement answered, to be fetched before the next one is run on this thread."""

    __slots__ = ("_result", "_transformer", "rowcount")

    def __init__(self, result: PGresult, transformer: Transformer) -> None:
        self._result = result
        self._transformer = transformer
        self.rowcount = result.command_tuples or 0

    def fetchall(self) -> list[Row]:
        """Every row."""
        self._transformer.set_pgresult(self._result)
        return self._transformer.load_rows(0, self._result.ntuples, tuple)

    def fetchone(self) -> Row | None:
        """The first row; None where there is none."""
        if not self._result.ntuples:
            return None
        self._transformer.set_pgresult(self._result)
        return self._transformer.load_row(0, tuple)


def slotted(text: str) -> str:
    """A statement whose slots `%s` are numbered."""
    first, *parts = text.split("%s")
    return first + "".join(f"${n}{part}" for n, part in enumerate(parts, 1))


_FINE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
_Asked = tuple[str, Any]
"""A statement and its values."""
_Wanted = int | _Asked | None
"""Of what was put off: how many rows it is to write, or what was asked ahead."""
_Dumped = tuple[bytes, Any, Any, Format]
"""A prepared statement's name, its values, their formats, and that of the answer."""


class _Session:
    """A connection and the statements that are prepared on it."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        # Else a number's type goes by its size, and a statement is prepared for each.
        connection.adapters.register_dumper(int, Int8BinaryDumper)
        self._server = connection.pgconn
        # Not of the connection itself, which would be kept for ever by what is kept for it.
        self._transformer: Transformer = adapt.Transformer(connection.adapters)
        self.waiting: list[tuple[_Dumped, _Wanted]] = []
        """What was put off, and what is wanted of it."""
        self.asked: dict[_Asked, PGresult | None] = {}
        """What was asked ahead, and the answers that have come."""
        self._names: dict[tuple[str, tuple[int, ...] | None], bytes] = {}
        self._mark = os.urandom(6).hex()
        self._prepared = count()

    def put_off(self, text: str, values: Sequence[object], rows: int | None) -> None:
        """See `Server.put_off`."""
        self.asked.clear()
        self.waiting.append((self._dumped(text, values), rows))

    def ask(self, text: str, values: Sequence[object]) -> None:
        """See `Server.ask`."""
        self.asked[text, values] = None
        self.waiting.append((self._dumped(text, values), (text, values)))

    def run(self, text: str, values: Sequence[object]) -> Rows:
        """Raises psycopg's errors."""
        if (text, values) in self.asked:
            if self.waiting:
                self.send_all()
            result = self.asked.pop((text, values))
            assert result, "it was sent"
        elif self.waiting:
            [result] = self.send_all(self._dumped(text, values))
        else:
            result = self._checked(self._server.exec_prepared(*self._dumped(text, values)))
        return Rows(result, self._transformer)

    def run_many(self, text: str, rows: Iterable[Sequence[object]]) -> int:
        """The same for each of `rows`; answers how many rows all of them wrote."""
        results = self.send_all(*[self._dumped(text, values) for values in rows])
        return sum(result.command_tuples or 0 for result in results)

    def send_all(self, *more: _Dumped) -> list[PGresult]:
        """What was put off, and `more`, in one round trip; answers the results of these."""
        put_off, self.waiting = self.waiting, []
        self._server.enter_pipeline_mode()
        try:
            for dumped in (*(each for each, _ in put_off), *more):
                self._server.send_query_prepared(*dumped)
            self._server.pipeline_sync()
            results = [*self._answers()]
            self._server.exit_pipeline_mode()
        except BaseException:
            self._server.finish()  # nothing else could be asked behind half a pipeline
            raise
        for result, (_, wanted) in zip(results, put_off, strict=False):
            try:
                self._checked(result)
            except psycopg.Error as error:
                raise Unsaved from error
            if wanted in self.asked:
                self.asked[wanted] = result
            elif isinstance(wanted, int) and wanted != result.command_tuples:
                raise Unsaved
        return [self._checked(result) for result in results[len(put_off) :]]

    def _answers(self) -> Iterator[PGresult]:
        """Those to all that was sent, up to the sync: nothing stands behind each."""
        while True:
            while self._server.is_busy():
                self._wait()
            result = self._server.get_result()
            if result and result.status == ExecStatus.PIPELINE_SYNC:
                return
            if result:
                yield result
            elif self._server.status == ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is lost")

    def _wait(self) -> None:
        """Waits for the server's next word; within libpq that would hold up all other threads."""
        unsent = self._server.flush()
        poll = select.poll()
        poll.register(self._server.socket, select.POLLIN | (select.POLLOUT if unsent else 0))
        poll.poll()
        self._server.consume_input()

    def _dumped(self, text: str, values: Sequence[object]) -> _Dumped:
        dumped = self._transformer.dump_sequence(values, [PyFormat.AUTO] * len(values))
        types = self._transformer.types
        name = self._names.get((text, types)) or self._prepare(text, types)
        return name, dumped, self._transformer.formats, Format.BINARY

    def _prepare(self, text: str, types: tuple[int, ...] | None) -> bytes:
        # No other session's: behind a pooler that shares connections it would be another statement.
        name = f"{self._mark}-{next(self._prepared)}".encode()
        self._checked(self._server.prepare(name, text.encode(), types))
        self._names[text, types] = name
        return name

    def _checked(self, result: PGresult) -> PGresult:
        if result.status in _FINE:
            return result
        error = error_from_result(result)
        # What libpq says by itself has no code: it could not write, and knows of no end yet.
        if self._server.status == ConnStatus.BAD or not error.sqlstate:
            raise psycopg.OperationalError(result.get_error_message())
        if isinstance(error, _STALE):
            self._names.clear()
            raise psycopg.OperationalError(str(error)) from error
        raise error
