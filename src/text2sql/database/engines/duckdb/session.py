"""One cursor of a DuckDB database, new for every request: what a statement leaves behind ends with the
cursor.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import duckdb

from text2sql.database.engine import RawResult
from text2sql.database.engines.duckdb.catalog import read_catalog
from text2sql.database.engines.duckdb.columns import Conversion, ValueReader, conversion_of
from text2sql.database.engines.duckdb.errors import translate
from text2sql.database.engines.duckdb.restriction import Restriction
from text2sql.database.files import Notes
from text2sql.database.row_batches import fetch_in_batches
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import Catalog, Plan, Policy, ResultColumn

OpenRestricted = Callable[[Policy], tuple[duckdb.DuckDBPyConnection, Restriction]]


class DuckSession:
    """A read-only session."""

    def __init__(
        self, root: duckdb.DuckDBPyConnection, open_restricted: OpenRestricted, notes: Notes
    ) -> None:
        """`notes` are about the file that the database is a copy of."""
        self._root = root
        self._notes = notes
        self._open_restricted = open_restricted
        # The views of the last policy: most requests have the same one.
        self._views: tuple[duckdb.DuckDBPyConnection, Restriction] | None = None
        self._restriction: Restriction | None = None
        self._swap = threading.Lock()  # no cancel from another thread while the cursor is replaced
        self._cursor = root.cursor()

    def begin(self, seconds: float) -> None:
        """The file is opened read-only, and DuckDB before 2.0 has no time limit: the watchdog enforces it."""

    def restrict(self, readable: Policy | None) -> None:
        if readable is None:
            if self._restriction is not None:
                self._restriction = None
                self._use(self._root)
            return
        if self._views is None or self._views[1].readable != readable:
            self._drop_views()
            self._views = self._open_restricted(readable)
        root, self._restriction = self._views
        self._use(root)

    def execute(self, sql: str, rows: int) -> RawResult:  # noqa: ARG002 DuckDB has no such option
        with self._errors_explained(sql):
            statement = self._parse_query(sql)
            columns, conversions = self._describe(statement)
            wrapped = _with_casts(statement.query, columns, conversions)
            result = self._cursor.execute(wrapped or statement)  # streams: rows are made as they are fetched
        readers = [(at, conversion.read) for at, conversion in enumerate(conversions) if conversion.read]
        return RawResult(columns, self._rows(result, readers))

    def explain(self, sql: str) -> Plan:
        with self._errors_explained(sql):
            statement = self._parse_query(sql)
            self._cursor.sql(statement)  # binds the original text, so that error positions refer to it
        plan = self._cursor.execute(f"EXPLAIN (FORMAT json) {statement.query}").fetchall()[0][1]
        text = self._cursor.execute(f"EXPLAIN {statement.query}").fetchall()[0][1]
        return Plan(text, rows=_estimated_rows(plan))

    def catalog(self, samples: int) -> Catalog:
        return read_catalog(self._cursor, samples, self._notes)

    def cancel(self) -> None:
        with self._swap, suppress(duckdb.Error):
            self._cursor.interrupt()

    def reset(self) -> None:
        """Temporary tables, variables, macros and the search path belong to the cursor."""
        self._restriction = None
        self._use(self._root)

    def close(self) -> None:
        with self._swap, suppress(duckdb.Error):
            self._cursor.close()
        self._drop_views()

    def _use(self, root: duckdb.DuckDBPyConnection) -> None:
        fresh = root.cursor()
        with self._swap:
            old, self._cursor = self._cursor, fresh
        old.close()

    def _drop_views(self) -> None:
        if self._views is not None:
            self._views[0].close()
            self._views = None

    @contextmanager
    def _errors_explained(self, sql: str) -> Iterator[None]:
        """Under a policy, report a hidden name as unknown; no message suggests other names."""
        try:
            yield
        except duckdb.Error as error:
            translated = translate(error, sql) if self._restriction is not None else None
            if self._restriction is None or translated is None:
                raise
            raise self._restriction.explain(translated) from error

    def _parse_query(self, sql: str) -> duckdb.Statement:
        """Return the single statement. The client runs every statement of a text, so they are counted first;
        only a query is accepted: read-only mode would still allow SET, PREPARE, CALL, ATTACH and temporary
        objects.
        """
        statements = self._cursor.extract_statements(sql)
        if len(statements) != 1:
            raise SqlSyntaxError("exactly one statement can be executed at a time", code="statements")
        if statements[0].type != duckdb.StatementType.SELECT:
            kind = statements[0].type.name
            raise Forbidden(f"only queries are executed, not {kind}", code="statement_type")
        if self._restriction is not None:
            self._restriction.check(self._cursor, sql)
        return statements[0]

    def _describe(self, statement: duckdb.Statement) -> tuple[tuple[ResultColumn, ...], list[Conversion]]:
        """Return the column names and types without running anything."""
        try:
            relation = self._cursor.sql(statement)
        except (duckdb.BinderException, duckdb.CatalogException):
            # Binding a relation loses the error's position; executing the statement does not.
            self._cursor.execute(statement)
            raise
        kinds = relation.types
        columns = tuple(
            ResultColumn(_readable(name), str(kind))
            for name, kind in zip(relation.columns, kinds, strict=True)
        )
        return columns, [conversion_of(kind) for kind in kinds]

    def _rows(
        self, result: duckdb.DuckDBPyConnection, readers: list[tuple[int, ValueReader]]
    ) -> Iterator[list[tuple[Any, ...]]]:
        for batch in fetch_in_batches(result.fetchmany):
            yield _apply_readers(batch, readers) if readers else batch


def _readable(name: str) -> str:
    """DuckDB calls COUNT(*) without an alias `count_star()`."""
    return "count" if name == "count_star()" else name


def _with_casts(sql: str, columns: tuple[ResultColumn, ...], conversions: list[Conversion]) -> str:
    """Return the query with casts around it, or "" if none is needed. DuckDB keeps the order
    of a sub-query.
    """
    if all(conversion.cast == column.type for conversion, column in zip(conversions, columns, strict=True)):
        return ""
    names = [f"c{at}" for at in range(len(columns))]
    casts = ", ".join(
        name if conversion.cast == column.type else f"CAST({name} AS {conversion.cast})"
        for name, conversion, column in zip(names, conversions, columns, strict=True)
    )
    return f"SELECT {casts} FROM (\n{sql.rstrip().rstrip(';')}\n) AS q({', '.join(names)})"


def _apply_readers(
    batch: list[tuple[Any, ...]], readers: list[tuple[int, ValueReader]]
) -> list[tuple[Any, ...]]:
    columns = list(zip(*batch, strict=True))
    for at, read in readers:
        columns[at] = tuple(value if value is None else read(value) for value in columns[at])
    return list(zip(*columns, strict=True))


def _estimated_rows(plan: str) -> float | None:
    """Return the estimated row count of the plan's top node."""
    node = json.loads(plan)
    while node:
        cardinality = node[0].get("extra_info", {}).get("Estimated Cardinality")
        if cardinality is not None:
            return float(cardinality)
        node = node[0].get("children", [])
    return None
