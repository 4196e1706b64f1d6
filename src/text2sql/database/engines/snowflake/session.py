"""One connection to Snowflake: one query at a time, begun without waiting so that it can be stopped by id."""

import threading
import time
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

_FIRST_NAP, _LONGEST_NAP = 0.01, 0.5
_TO_STOP = 2.0  # seconds that an aborted query has to say that it is over
_DOCUMENTS = ("VARIANT", "OBJECT", "ARRAY", "MAP")  # they arrive as the text of JSON
_NAMES = {"FIXED": "NUMBER", "REAL": "FLOAT", "TEXT": "VARCHAR"}


class SnowflakeSession:
    def __init__(self, connection: Any, schema: str) -> None:
        self._connection = connection
        self._schema = schema
        self._running = ""
        self._limit = 0
        self._stopped = threading.Event()  # for good: a session that was stopped is not lent again

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        """The server counts whole seconds; the watchdog is more exact. Said only where it changes: that is a
        round trip for every query.
        """
        limit = max(1, ceil(seconds))
        if limit != self._limit:
            with self._connection.cursor() as cursor:
                cursor.execute(f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {limit}")
            self._limit = limit

    def execute(self, sql: str, rows: int) -> Answering:  # noqa: ARG002 result batches end where reading does
        self._one_query(sql)
        cursor = self._connection.cursor()
        self._running = str(cursor.execute_async(sql)["queryId"])
        self._wait()
        cursor.query_result(self._running)
        batches = in_batches(cursor.fetchmany)
        documents = [at for at, one in enumerate(cursor.description) if _kind(one) in _DOCUMENTS]
        columns = tuple(ResultColumn(one.name, _type(one)) for one in cursor.description)
        return Answering(columns, self._rows(cursor, batches, documents))

    def explain(self, sql: str) -> Plan:
        self._one_query(sql)
        return Plan("\n".join(str(row[0]) for row in self._all(f"EXPLAIN USING TEXT {sql}")))

    def catalogue(self, samples: int) -> Catalogue:
        return introspection.read(self._all, self._shown, self._schema, samples)

    def cancel(self) -> None:
        self._stopped.set()
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

    def _wait(self) -> None:
        """Until the query is over. The connector's own wait sleeps for half a second at least and for five at
        most, which every short query would pay and every stop would wait for.
        """
        nap, patience = _FIRST_NAP, 0.0
        while self._connection.is_still_running(
            self._connection.get_query_status_throw_if_error(self._running)
        ):
            if not self._stopped.is_set():
                self._stopped.wait(nap)
                nap = min(nap * 1.5, _LONGEST_NAP)
                continue
            patience = patience or time.monotonic() + _TO_STOP
            if time.monotonic() > patience:
                raise OperationalError("the query was aborted and does not end")
            time.sleep(_FIRST_NAP)

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
        self, cursor: Any, batches: Iterator[list[tuple[Any, ...]]], documents: list[int]
    ) -> Iterator[list[tuple[Any, ...]]]:
        over = False
        try:
            for batch in batches:
                yield [_read(row, documents) for row in batch] if documents else batch
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
