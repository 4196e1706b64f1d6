"""One connection to Snowflake: one query at a time, started asynchronously so that it can be
cancelled by id.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from typing import Any

from snowflake.connector.constants import FIELD_ID_TO_NAME  # type: ignore[attr-defined]
from snowflake.connector.errors import DatabaseError, OperationalError

from text2sql.database.engine import RawResult
from text2sql.database.engines.snowflake import catalog as introspection
from text2sql.database.engines.statement_prefix import require_query_prefix
from text2sql.database.row_batches import fetch_in_batches
from text2sql.database.values import parse_json
from text2sql.errors import Forbidden
from text2sql.types import Catalog, Plan, ResultColumn

_FIRST_WAIT, _LONGEST_WAIT = 0.01, 0.5
_ABORT_SECONDS = 2.0  # limit of the wait for an aborted query
_JSON_TYPES = ("VARIANT", "OBJECT", "ARRAY", "MAP")  # sent as JSON text
_NAMES = {"FIXED": "NUMBER", "REAL": "FLOAT", "TEXT": "VARCHAR"}


class SnowflakeSession:
    """A read-only session."""

    def __init__(self, connection: Any, schema: str) -> None:
        self._connection = connection
        self._schema = schema
        self._query_id = ""
        self._limit = 0
        self._stopped = threading.Event()  # permanent: a cancelled session is not reused

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        """The server's timeout is in whole seconds; the watchdog is more exact. Sent only if it changes, to
        save one round trip per query.
        """
        limit = max(1, ceil(seconds))
        if limit != self._limit:
            with self._connection.cursor() as cursor:
                cursor.execute(f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {limit}")
            self._limit = limit

    def execute(self, sql: str, rows: int) -> RawResult:  # noqa: ARG002 unread result batches are never fetched
        self._require_single_query(sql)
        cursor = self._connection.cursor()
        self._query_id = str(cursor.execute_async(sql)["queryId"])
        self._wait()
        cursor.query_result(self._query_id)
        batches = fetch_in_batches(cursor.fetchmany)
        json_columns = [at for at, column in enumerate(cursor.description) if _kind(column) in _JSON_TYPES]
        columns = tuple(ResultColumn(column.name, _type(column)) for column in cursor.description)
        return RawResult(columns, self._rows(cursor, batches, json_columns))

    def explain(self, sql: str) -> Plan:
        self._require_single_query(sql)
        return Plan("\n".join(str(row[0]) for row in self._fetch_all(f"EXPLAIN USING TEXT {sql}")))

    def catalog(self, samples: int) -> Catalog:
        return introspection.read(self._fetch_all, self._run_show, self._schema, samples)

    def cancel(self) -> None:
        self._stopped.set()
        if query_id := self._query_id:
            with self._connection.cursor() as cursor:
                cursor.abort_query(query_id)

    def reset(self) -> None:
        self._query_id = ""
        if self._connection.is_closed():
            raise OperationalError("the connection is closed")

    def close(self) -> None:
        with suppress(Exception):  # drivers raise anything; the session expires by itself
            self._connection.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _require_single_query(self, sql: str) -> None:
        """Accept only what is valid in FROM (…): the server compiles it there and never runs it. There is no
        read-only mode: the role must have only the right to read, and this check is the second line of
        defense.
        """
        require_query_prefix(sql)
        with self._connection.cursor() as cursor:
            try:
                cursor.describe(f"SELECT COUNT(*) FROM (\n{sql}\n)")
            except DatabaseError:
                cursor.describe(sql)  # reports the real error of an invalid query, with its position
                raise Forbidden("only a query can be run here", code="statement") from None

    def _wait(self) -> None:
        """Wait until the query has ended. The connector's own wait sleeps between half a second and five
        seconds, which would delay every short query and every cancellation.
        """
        pause, deadline = _FIRST_WAIT, 0.0
        while self._connection.is_still_running(
            self._connection.get_query_status_throw_if_error(self._query_id)
        ):
            if not self._stopped.is_set():
                self._stopped.wait(pause)
                pause = min(pause * 1.5, _LONGEST_WAIT)
                continue
            deadline = deadline or time.monotonic() + _ABORT_SECONDS
            if time.monotonic() > deadline:
                raise OperationalError("the query was aborted and does not end")
            time.sleep(_FIRST_WAIT)

    def _fetch_all(self, sql: str) -> list[tuple[Any, ...]]:
        """Run an internal query and fetch all of its rows."""
        with self._connection.cursor() as cursor:
            return [tuple(row) for row in cursor.execute(sql).fetchall()]

    def _run_show(self, sql: str) -> list[dict[str, Any]]:
        """Run a SHOW command: its columns have names, but no guaranteed order."""
        with self._connection.cursor() as cursor:
            rows = cursor.execute(sql).fetchall()
            names = [column.name.lower() for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _rows(
        self, cursor: Any, batches: Iterator[list[tuple[Any, ...]]], json_columns: list[int]
    ) -> Iterator[list[tuple[Any, ...]]]:
        completed = False
        try:
            for batch in batches:
                yield [_parse_json_cells(row, json_columns) for row in batch] if json_columns else batch
            completed = True
        finally:
            if not completed:
                with suppress(Exception):  # drivers raise anything; the session is discarded then
                    self.cancel()
            self._query_id = ""
            cursor.close()


def _kind(column: Any) -> str:
    return str(FIELD_ID_TO_NAME.get(column.type_code, ""))


def _type(column: Any) -> str:
    name = _NAMES.get(_kind(column), _kind(column))
    return f"{name}({column.precision},{column.scale})" if name == "NUMBER" and column.precision else name


def _parse_json_cells(row: tuple[Any, ...], json_columns: list[int]) -> tuple[Any, ...]:
    cells = list(row)
    for index in json_columns:
        if isinstance(cells[index], str):
            cells[index] = parse_json(cells[index])
    return tuple(cells)
