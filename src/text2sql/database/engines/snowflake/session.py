"""One connection to Snowflake: one query at a time, begun without waiting so that it can be stopped by id."""

from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from typing import Any

from snowflake.connector.constants import FIELD_ID_TO_NAME  # type: ignore[attr-defined]
from snowflake.connector.errors import DatabaseError, OperationalError

from text2sql.database.batches import in_batches
from text2sql.database.engine import Answering
from text2sql.database.engines.beginning import must_begin_like_a_query
from text2sql.database.engines.snowflake import catalogue as introspection
from text2sql.database.values import parse_json
from text2sql.errors import Forbidden
from text2sql.types import Catalogue, Plan, ResultColumn

_DOCUMENTS = ("VARIANT", "OBJECT", "ARRAY", "MAP")  # they arrive as the text of JSON
_NAMES = {"FIXED": "NUMBER", "REAL": "FLOAT", "TEXT": "VARCHAR"}


class SnowflakeSession:
    def __init__(self, connection: Any, schema: str) -> None:
        self._connection = connection
        self._schema = schema
        self._running = ""

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        """The server counts whole seconds; the watchdog is more exact."""
        with self._connection.cursor() as cursor:
            cursor.execute(f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {max(1, ceil(seconds))}")

    def execute(self, sql: str, rows: int) -> Answering:  # noqa: ARG002 result batches end where reading does
        self._one_query(sql)
        cursor = self._connection.cursor()
        self._running = str(cursor.execute_async(sql)["queryId"])
        cursor.get_results_from_sfqid(self._running)
        batches = in_batches(cursor.fetchmany)
        first = next(batches, None)  # the columns are known only after it
        documents = [at for at, one in enumerate(cursor.description) if _kind(one) in _DOCUMENTS]
        columns = tuple(ResultColumn(one.name, _type(one)) for one in cursor.description)
        return Answering(columns, self._rows(cursor, first, batches, documents))

    def explain(self, sql: str) -> Plan:
        self._one_query(sql)
        return Plan("\n".join(str(row[0]) for row in self._all(f"EXPLAIN USING TEXT {sql}")))

    def catalogue(self, samples: int) -> Catalogue:
        return introspection.read(self._all, self._shown, self._schema, samples)

    def cancel(self) -> None:
        if running := self._running:
            with self._connection.cursor() as cursor:
                cursor.abort_query(running)

    def reset(self) -> None:
        self._running = ""
        if self._connection.is_closed():
            raise OperationalError("the connection is closed")

    def close(self) -> None:
        with suppress(Exception):  # whatever the driver raises: the session ends by itself
            self._connection.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _one_query(self, sql: str) -> None:
        """Only what can stand in FROM (…) may run: the server compiles it there and never runs it. There is
        no read-only mode: the role must have no right but to read, and this is the second wall.
        """
        must_begin_like_a_query(sql)
        with self._connection.cursor() as cursor:
            try:
                cursor.describe(f"SELECT COUNT(*) FROM (\n{sql}\n)")
            except DatabaseError:
                cursor.describe(sql)  # a bad query says here what is wrong with it, and where
                raise Forbidden("only a query can be run here", code="statement") from None

    def _all(self, sql: str) -> list[tuple[Any, ...]]:
        """A query of our own, all of its rows at once."""
        with self._connection.cursor() as cursor:
            return [tuple(row) for row in cursor.execute(sql).fetchall()]

    def _shown(self, sql: str) -> list[dict[str, Any]]:
        """What a SHOW command tells: its columns have names, and no promised order."""
        with self._connection.cursor() as cursor:
            rows = cursor.execute(sql).fetchall()
            names = [column.name.lower() for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _rows(
        self, cursor: Any, first: Any, more: Iterator[list[tuple[Any, ...]]], documents: list[int]
    ) -> Iterator[list[tuple[Any, ...]]]:
        batch, over = first, False
        try:
            while batch:
                yield [_read(row, documents) for row in batch] if documents else batch
                batch = next(more, None)
            over = True
        finally:
            if not over:
                with suppress(Exception):  # whatever the driver raises: the session is thrown away then
                    self.cancel()
            self._running = ""
            cursor.close()


def _kind(column: Any) -> str:
    return str(FIELD_ID_TO_NAME.get(column.type_code, ""))


def _type(column: Any) -> str:
    name = _NAMES.get(_kind(column), _kind(column))
    return f"{name}({column.precision},{column.scale})" if name == "NUMBER" and column.precision else name


def _read(row: tuple[Any, ...], documents: list[int]) -> tuple[Any, ...]:
    cells = list(row)
    for at in documents:
        if isinstance(cells[at], str):
            cells[at] = parse_json(cells[at])
    return tuple(cells)
