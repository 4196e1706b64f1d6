"""One client of ClickHouse: one query at a time, streamed row by row, cancelled on the server by query id."""

import json
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, cast
from uuid import uuid4

from clickhouse_connect.driver import Client
from clickhouse_connect.driver.exceptions import ClickHouseError
from urllib3 import HTTPResponse, Timeout
from urllib3.exceptions import HTTPError

from text2sql.database.engine import RawResult
from text2sql.database.engines.clickhouse import catalog as introspection
from text2sql.database.engines.clickhouse.cells import Digits, reader
from text2sql.database.engines.clickhouse.errors import PARSE_PREFIX, row_error
from text2sql.database.row_batches import RowBatches
from text2sql.errors import Forbidden, ResourceExhausted
from text2sql.types import Catalog, Plan, ResultColumn

# One line per row: memory holds a few of them; a block of the native format has 65,000.
FORMAT = "JSONCompactEachRowWithNamesAndTypes"
ROW_BYTES = 64_000_000  # a larger row is aborted while it arrives
_CHUNK_BYTES = 65_536
_GRACE_SECONDS = 5.0  # past a statement's limit, after which a silent server counts as lost
_SYNTAX_ERROR = 62
_INTERNAL_ROWS = 1_000_000  # limit of internal queries


class ClickhouseSession:
    """A stateless session: only the running query has an id."""

    def __init__(
        self, client: Client, kill: Callable[[str], None], *, database: str, pinned: dict[str, str]
    ) -> None:
        self._client: Any = client  # its type lacks the timeouts
        self._kill = kill
        self._database = database
        self._pinned = pinned
        self._timeout: float = client.timeout.connect_timeout  # type: ignore[attr-defined]
        self._seconds = 0.0
        self._query_id = ""

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        self._seconds = seconds
        self._client.timeout = Timeout(connect=self._timeout, read=seconds + _GRACE_SECONDS)

    def execute(self, sql: str, rows: int) -> RawResult:
        self._require_single_query(sql)
        return self._start(sql, rows + 1)

    def explain(self, sql: str) -> Plan:
        self._require_single_query(sql)
        return Plan("\n".join(line for (line,) in self._fetch_all(f"EXPLAIN {sql}")))

    def catalog(self, samples: int) -> Catalog:
        return introspection.read(self._fetch_all, self._database, samples)

    def cancel(self) -> None:
        if query_id := self._query_id:
            self._kill(query_id)

    def reset(self) -> None:
        """Nothing to reset: a request carries its settings, and leaves no session on the server."""

    def close(self) -> None:
        with suppress(Exception):  # drivers raise anything; the sockets are closed
            self._client.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _require_single_query(self, sql: str) -> None:
        """Accept only what is valid in FROM (…). The server parses it there and never runs it: read-only mode
        would still allow USE, KILL QUERY and INTO OUTFILE. Costs one round trip.
        """
        try:
            self._parse(f"SELECT * FROM (\n{sql}\n)")
        except ClickHouseError as error:
            if getattr(error, "code", None) != _SYNTAX_ERROR:
                raise
            self._parse(sql)  # reports the real error of an invalid query
            raise Forbidden("only a query can be run here", code="statement") from error

    def _parse(self, sql: str) -> None:
        self._client.raw_query(f"{PARSE_PREFIX}{sql}", settings=self._settings(_INTERNAL_ROWS))

    def _settings(self, rows: int) -> dict[str, str]:
        limits = {"max_execution_time": f"{max(0.001, self._seconds):.3f}", "max_result_rows": str(rows)}
        known = self._client.server_settings
        allowed = {name: value for name, value in limits.items() if not known[name].readonly}
        return {**self._pinned, **allowed}

    # -- rows ------------------------------------------------------------------------------------

    def _fetch_all(self, sql: str) -> list[tuple[Any, ...]]:
        """Run an internal query and fetch all of its rows."""
        return [row for batch in self._start(sql, _INTERNAL_ROWS).batches for row in batch]

    def _start(self, sql: str, rows: int) -> RawResult:
        self._query_id = uuid4().hex
        settings = {**self._settings(rows), "query_id": self._query_id}
        response = cast("HTTPResponse", self._client.raw_stream(sql, fmt=FORMAT, settings=settings))
        results = self._rows(response)
        columns = next(results)  # the generator yields the columns first
        return RawResult(columns, RowBatches(results))

    def _rows(self, response: HTTPResponse) -> Generator[tuple[Any, ...], None, None]:
        """Yield the columns, then rows. Closing it early stops the query on the server."""
        completed = False
        try:
            lines = _lines(response)
            names, types = _parse_row(next(lines, b"")), _parse_row(next(lines, b""))
            yield tuple(map(ResultColumn, names, types))
            readers = [(at, read) for at, kind in enumerate(types) if (read := reader(kind))]
            for line in lines:
                row = _parse_row(line)
                for at, read in readers:
                    row[at] = None if row[at] is None else read(row[at])
                yield tuple(row)
            completed = True
        finally:
            if not completed:
                with suppress(Exception):  # drivers raise anything; closing the connection stops it too
                    self.cancel()
            self._query_id = ""
            response.close()


def _lines(response: HTTPResponse) -> Generator[bytes, None, None]:
    line_parts: list[bytes] = []
    size = 0
    try:
        for chunk in response.stream(_CHUNK_BYTES, decode_content=True):
            first, *more = chunk.split(b"\n")
            line_parts.append(first)
            size += len(first)
            if size > ROW_BYTES:
                raise ResourceExhausted(f"one row is larger than {ROW_BYTES // 1_000_000} MB")
            for line in more:
                if line_parts != [b""]:  # an empty line precedes totals
                    yield b"".join(line_parts)
                line_parts, size = [line], len(line)
    except HTTPError:
        if any(b"DB::Exception" in part for part in line_parts):
            raise row_error(b"".join(line_parts)) from None
        raise
    if any(line_parts):
        yield b"".join(line_parts)


def _parse_row(line: bytes) -> list[Any]:
    """Parse one line. A line that is not a row is an error, sent after the HTTP status."""
    try:
        row = json.loads(line.decode("utf-8", "replace"), parse_float=Digits)
    except ValueError:
        row = None
    if not isinstance(row, list):
        raise row_error(line)
    return row
