"""One cursor of a DuckDB database, new for every request: what a statement leaves behind dies with it."""

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import duckdb

from text2sql.database.batches import in_batches
from text2sql.database.engine import Answering
from text2sql.database.engines.duckdb.catalogue import read_catalogue
from text2sql.database.engines.duckdb.columns import Read, Reading, reading_of
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import Catalogue, Plan, ResultColumn


class DuckSession:
    def __init__(self, root: duckdb.DuckDBPyConnection) -> None:
        self._root = root
        self._swap = threading.Lock()  # between a new cursor and a cancel from another thread
        self._cursor = root.cursor()

    def begin(self, seconds: float) -> None:
        """Opened read-only for good, and no time limit of its own before DuckDB 2.0: the watchdog's job."""

    def execute(self, sql: str, rows: int) -> Answering:  # noqa: ARG002 it cannot be told
        statement = self._one(sql)
        columns, readings = self._shape(statement)
        text = _wrapped(statement.query, columns, readings)
        result = self._cursor.execute(text or statement)  # streams: rows are made as they are fetched
        readers = [(at, one.read) for at, one in enumerate(readings) if one.read]
        return Answering(columns, self._rows(result, readers))

    def explain(self, sql: str) -> Plan:
        statement = self._one(sql)
        self._cursor.sql(statement)  # binds it as it stands, so that an error tells places in it
        plan = self._cursor.execute(f"EXPLAIN (FORMAT json) {statement.query}").fetchall()[0][1]
        text = self._cursor.execute(f"EXPLAIN {statement.query}").fetchall()[0][1]
        return Plan(text, rows=_estimate(plan))

    def catalogue(self, samples: int) -> Catalogue:
        return read_catalogue(self._cursor, samples)

    def cancel(self) -> None:
        with self._swap, suppress(duckdb.Error):
            self._cursor.interrupt()

    def reset(self) -> None:
        """Temporary tables, variables, macros and the search path belong to the cursor."""
        fresh = self._root.cursor()
        with self._swap:
            old, self._cursor = self._cursor, fresh
        old.close()

    def close(self) -> None:
        with self._swap, suppress(duckdb.Error):
            self._cursor.close()

    def _one(self, sql: str) -> duckdb.Statement:
        """The client runs every statement of a text, so they are counted first; and only a query is taken:
        read-only mode would still let SET, PREPARE, CALL, ATTACH and temporary objects through.
        """
        statements = self._cursor.extract_statements(sql)
        if len(statements) != 1:
            raise SqlSyntaxError("exactly one statement can be executed at a time", code="statements")
        if statements[0].type != duckdb.StatementType.SELECT:
            kind = statements[0].type.name
            raise Forbidden(f"only queries are executed, not {kind}", code="statement_type")
        return statements[0]

    def _shape(self, statement: duckdb.Statement) -> tuple[tuple[ResultColumn, ...], list[Reading]]:
        """Names and types without running anything."""
        try:
            relation = self._cursor.sql(statement)
        except (duckdb.BinderException, duckdb.CatalogException):
            # Binding a relation forgets where in the text the error stands; executing the text does not.
            self._cursor.execute(statement)
            raise
        kinds = relation.types
        columns = tuple(
            ResultColumn(name, str(kind)) for name, kind in zip(relation.columns, kinds, strict=True)
        )
        return columns, [reading_of(kind) for kind in kinds]

    def _rows(
        self, result: duckdb.DuckDBPyConnection, readers: list[tuple[int, Read]]
    ) -> Iterator[list[tuple[Any, ...]]]:
        for batch in in_batches(result.fetchmany):
            yield _read(batch, readers) if readers else batch


def _wrapped(sql: str, columns: tuple[ResultColumn, ...], readings: list[Reading]) -> str:
    """The query with casts around it, or "" where none is needed. DuckDB keeps the order of a sub-query."""
    if all(one.cast == column.type for one, column in zip(readings, columns, strict=True)):
        return ""
    names = [f"c{at}" for at in range(len(columns))]
    casts = ", ".join(
        name if one.cast == column.type else f"CAST({name} AS {one.cast})"
        for name, one, column in zip(names, readings, columns, strict=True)
    )
    return f"SELECT {casts} FROM (\n{sql.rstrip().rstrip(';')}\n) AS q({', '.join(names)})"


def _read(batch: list[tuple[Any, ...]], readers: list[tuple[int, Read]]) -> list[tuple[Any, ...]]:
    columns = list(zip(*batch, strict=True))
    for at, read in readers:
        columns[at] = tuple(value if value is None else read(value) for value in columns[at])
    return list(zip(*columns, strict=True))


def _estimate(plan: str) -> float | None:
    """The rows that the top of the plan expects to give."""
    node = json.loads(plan)
    while node:
        told = node[0].get("extra_info", {}).get("Estimated Cardinality")
        if told is not None:
            return float(told)
        node = node[0].get("children", [])
    return None
