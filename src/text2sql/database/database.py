"""Synchronous access to one database: run, stream, explain and introspect, with limits and cancellation.

Writes that a user has confirmed use a connection of their own: `rehearse` and `commit`.
"""

from typing import Self

from text2sql.config import Settings
from text2sql.database.cancellation import Cancellation
from text2sql.database.dialects import BY_NAME
from text2sql.database.engine import Engine
from text2sql.database.pool import Pool
from text2sql.database.request import DatabaseResources, Request
from text2sql.database.stream import Stream
from text2sql.database.writes import Writer
from text2sql.errors import Forbidden, PermissionDenied
from text2sql.types import Catalog, CheckedSql, CheckedWrite, Limits, Plan, Policy, QueryResult, Table


class Database:
    """Safe to share between threads; each request has its own connection while it runs."""

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
        self._resources = DatabaseResources(engine, self._pool)
        self._writer = Writer(self._resources, settings.time_limit)

    @property
    def dialect(self) -> str:
        return self._engine.dialect

    @property
    def open_count(self) -> int:
        """Number of connections: idle, in use or being opened."""
        return self._pool.open_count

    @property
    def opened(self) -> int:
        """Number of connections opened so far."""
        return self._pool.opened

    @property
    def settings(self) -> Settings:
        return self._settings

    def run(
        self,
        query: CheckedSql,
        limits: Limits | None = None,
        cancel: Cancellation | None = None,
        readable: Policy | None = None,
    ) -> QueryResult:
        """Run a query. With `readable`, an engine without accounts itself refuses to read anything else."""
        with self.stream(query, limits, cancel, readable) as stream:
            rows = tuple(row for batch in stream for row in batch)
            return QueryResult(stream.columns, rows, stream.truncated, stream.cut_cells, stream.seconds)

    def stream(
        self,
        query: CheckedSql,
        limits: Limits | None = None,
        cancel: Cancellation | None = None,
        readable: Policy | None = None,
    ) -> Stream:
        """Start the query; rows are fetched while the stream is read. Use it in a `with` statement."""
        sql = _require_checked_query(query, self.dialect)
        limits = limits or self._settings.limits
        return Stream(Request(self._resources, sql, limits.seconds, cancel, readable), sql, limits)

    def explain(
        self, query: CheckedSql, cancel: Cancellation | None = None, readable: Policy | None = None
    ) -> Plan:
        sql = _require_checked_query(query, self.dialect)
        request = Request(self._resources, sql, self._settings.time_limit, cancel, readable)
        try:
            return request.start(lambda session: session.explain(sql))
        finally:
            request.finish()

    def catalog(self, samples: int = 3, cancel: Cancellation | None = None) -> Catalog:
        request = Request(self._resources, "", self._settings.time_limit, cancel)
        try:
            return request.start(lambda session: session.catalog(samples))
        finally:
            request.finish()

    def rehearse(self, write: CheckedWrite, cancel: Cancellation | None = None) -> int:
        """Return how many rows a write would change: it runs in a transaction that is always rolled back."""
        return self._writer.rehearse(_require_checked_write(write, self.dialect), cancel or Cancellation())

    def commit(self, write: CheckedWrite, cancel: Cancellation | None = None) -> int:
        """Apply a write that a user has confirmed, at most once per key. Return how many rows changed."""
        return self._writer.commit(_require_checked_write(write, self.dialect), cancel or Cancellation())

    def ping(self) -> None:
        """Raises unless the database answers."""
        self._run_internal(BY_NAME[self.dialect].probe)

    def rejects_writes(self, table: Table) -> bool:
        """Whether the engine itself rejects a write, tested with a DELETE that matches no row."""
        table_name = BY_NAME[self.dialect].quoted(table.name, table.schema)
        try:
            self._run_internal(f"DELETE FROM {table_name} WHERE 1 = 0")
        except (Forbidden, PermissionDenied):
            return True
        return False

    def _run_internal(self, sql: str) -> None:
        """Run a statement of this module: it has not been checked by the guard."""
        with Stream(Request(self._resources, sql, self._settings.time_limit), sql, Limits(rows=1)) as stream:
            for _ in stream:
                pass

    def close(self) -> None:
        self._pool.close()
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _require_checked_query(query: CheckedSql, dialect: str) -> str:
    """Return the SQL of a checked query. Type hints do not stop a caller from passing a string; this does."""
    if not isinstance(query, CheckedSql):
        raise TypeError(f"a query must be a CheckedSql, not {type(query).__name__}: pass it to the guard")
    if query.dialect != dialect:
        raise TypeError(f"a query checked for {query.dialect} cannot run on {dialect}")
    return query.sql


def _require_checked_write(write: CheckedWrite, dialect: str) -> CheckedWrite:
    if not isinstance(write, CheckedWrite):
        raise TypeError(f"a write must be a CheckedWrite, not {type(write).__name__}: pass it to the guard")
    if write.dialect != dialect:
        raise TypeError(f"a write checked for {write.dialect} cannot run on {dialect}")
    return write
