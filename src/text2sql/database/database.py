"""A database that is read: run, stream, explain, introspect, under limits and with a way to stop.

What a person has confirmed may be written, over a connection of its own: `rehearse` and `commit`.
"""

from types import TracebackType
from typing import Self

from text2sql.config import Settings
from text2sql.database.cancellation import Cancellation
from text2sql.database.dialects import BY_NAME
from text2sql.database.engine import Engine
from text2sql.database.pool import Pool
from text2sql.database.request import Request, Room
from text2sql.database.stream import Stream
from text2sql.database.writing import Writer
from text2sql.errors import Forbidden, PermissionDenied
from text2sql.types import Catalogue, CheckedSql, CheckedWrite, Limits, Plan, QueryResult, Table


class Database:
    """Safe to share between threads; each request has a connection of its own while it runs."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._pool = Pool(
            engine.connect,
            size=settings.pool_size,
            overflow=settings.pool_overflow,
            wait=settings.pool_wait,
            recycle=settings.pool_recycle,
        )
        self._room = Room(engine, self._pool)
        self._writer = Writer(self._room, settings.time_limit)

    @property
    def dialect(self) -> str:
        return self._engine.dialect

    @property
    def open_count(self) -> int:
        """Connections: idle, lent or being opened."""
        return self._pool.open_count

    @property
    def opened(self) -> int:
        """Connections that were ever opened: what a run cost the server."""
        return self._pool.opened

    @property
    def settings(self) -> Settings:
        return self._settings

    def run(
        self, query: CheckedSql, limits: Limits | None = None, cancel: Cancellation | None = None
    ) -> QueryResult:
        with self.stream(query, limits, cancel) as stream:
            rows = tuple(row for batch in stream for row in batch)
            return QueryResult(stream.columns, rows, stream.truncated, stream.cut_cells, stream.seconds)

    def stream(
        self, query: CheckedSql, limits: Limits | None = None, cancel: Cancellation | None = None
    ) -> Stream:
        """Begin the query; the rows are drawn while the stream is read. Use it in a `with` statement."""
        sql = _text_of(query, self.dialect)
        limits = limits or self._settings.limits
        return Stream(Request(self._room, sql, limits.seconds, cancel), sql, limits)

    def explain(self, query: CheckedSql, cancel: Cancellation | None = None) -> Plan:
        sql = _text_of(query, self.dialect)
        request = Request(self._room, sql, self._settings.time_limit, cancel)
        try:
            return request.start(lambda session: session.explain(sql))
        finally:
            request.finish()

    def catalogue(self, samples: int = 3, cancel: Cancellation | None = None) -> Catalogue:
        request = Request(self._room, "", self._settings.time_limit, cancel)
        try:
            return request.start(lambda session: session.catalogue(samples))
        finally:
            request.finish()

    def rehearse(self, write: CheckedWrite, cancel: Cancellation | None = None) -> int:
        """How many rows a write would touch: it is run in a transaction and always rolled back."""
        return self._writer.rehearse(_meant_for(write, self.dialect), cancel or Cancellation())

    def commit(self, write: CheckedWrite, cancel: Cancellation | None = None) -> int:
        """Make a change that a person has confirmed, once for its key; how many rows it touched."""
        return self._writer.commit(_meant_for(write, self.dialect), cancel or Cancellation())

    def ping(self) -> None:
        """Raises unless the database answers."""
        self._try(BY_NAME[self.dialect].probe)

    def refuses_writes(self, table: Table) -> bool:
        """Whether the engine itself stops a write, tried with one that would change nothing."""
        named = BY_NAME[self.dialect].quoted(table.name, table.schema)
        try:
            self._try(f"DELETE FROM {named} WHERE 1 = 0")
        except (Forbidden, PermissionDenied):
            return True
        return False

    def _try(self, sql: str) -> None:
        """Our own words, never anybody else's: they have not been through the guard."""
        with Stream(Request(self._room, sql, self._settings.time_limit), sql, Limits(rows=1)) as stream:
            for _ in stream:
                pass

    def close(self) -> None:
        self._pool.close()
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _text_of(query: CheckedSql, dialect: str) -> str:
    """A type hint does not stop a string; this does."""
    if not isinstance(query, CheckedSql):
        raise TypeError(f"a query must be a CheckedSql, not {type(query).__name__}: pass it to the guard")
    if query.dialect != dialect:
        raise TypeError(f"a query checked for {query.dialect} cannot run on {dialect}")
    return query.sql


def _meant_for(write: CheckedWrite, dialect: str) -> CheckedWrite:
    if not isinstance(write, CheckedWrite):
        raise TypeError(f"a write must be a CheckedWrite, not {type(write).__name__}: pass it to the guard")
    if write.dialect != dialect:
        raise TypeError(f"a write checked for {write.dialect} cannot run on {dialect}")
    return write
