"""One client of ClickHouse: one query at a time, streamed row by row, stopped on the server by its id."""

import json
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, cast
from uuid import uuid4

from clickhouse_connect.driver import Client
from clickhouse_connect.driver.exceptions import ClickHouseError
from urllib3 import HTTPResponse, Timeout
from urllib3.exceptions import HTTPError

from text2sql.database.engine import Answering
from text2sql.database.engines.clickhouse import catalogue as introspection
from text2sql.database.engines.clickhouse.cells import Digits, reader
from text2sql.database.engines.clickhouse.errors import PARSED, broken
from text2sql.database.engines.streamed import Streamed
from text2sql.errors import Forbidden, ResourceExhausted
from text2sql.types import Catalogue, Plan, ResultColumn

# A line a row: memory holds a few of them, where the native format's blocks hold 65,000.
FORMAT = "JSONCompactEachRowWithNamesAndTypes"
ROW_BYTES = 64_000_000  # a row that is larger is given up while it arrives
_PIECE = 65_536
_GRACE = 5.0  # seconds past a statement's limit after which a silent server counts as gone
_SYNTAX_ERROR = 62
_OUR_OWN = 1_000_000  # rows that a query of our own may give


class ClickhouseSession:
    """Nothing is kept between two requests, on either side; only the running query has a name."""

    def __init__(
        self, client: Client, kill: Callable[[str], None], *, database: str, pinned: dict[str, str]
    ) -> None:
        self._client: Any = client  # its time-outs are not in its type
        self._kill = kill
        self._database = database
        self._pinned = pinned
        self._patience: float = client.timeout.connect_timeout  # type: ignore[attr-defined]
        self._seconds = 0.0
        self._running = ""

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        self._seconds = seconds
        self._client.timeout = Timeout(connect=self._patience, read=seconds + _GRACE)

    def execute(self, sql: str, rows: int) -> Answering:
        self._one_query(sql)
        return self._answering(sql, rows + 1)

    def explain(self, sql: str) -> Plan:
        self._one_query(sql)
        return Plan("\n".join(line for (line,) in self._all(f"EXPLAIN {sql}")))

    def catalogue(self, samples: int) -> Catalogue:
        return introspection.read(self._all, self._database, samples)

    def cancel(self) -> None:
        if running := self._running:
            self._kill(running)

    def reset(self) -> None:
        """There is nothing: a request carries its settings, and leaves no session on the server."""

    def close(self) -> None:
        with suppress(Exception):  # whatever the driver raises: the sockets are gone
            self._client.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _one_query(self, sql: str) -> None:
        """Only what can stand in FROM (…) may run. The server parses it there and never runs it: read-only
        mode would still let USE, KILL QUERY and INTO OUTFILE through. Costs one round trip.
        """
        try:
            self._parse(f"SELECT * FROM (\n{sql}\n)")
        except ClickHouseError as error:
            if getattr(error, "code", None) != _SYNTAX_ERROR:
                raise
            self._parse(sql)  # a bad query says here what is wrong with it
            raise Forbidden("only a query can be run here", code="statement") from error

    def _parse(self, sql: str) -> None:
        self._client.raw_query(f"{PARSED}{sql}", settings=self._settings(_OUR_OWN))

    def _settings(self, rows: int) -> dict[str, str]:
        limits = {"max_execution_time": f"{max(0.001, self._seconds):.3f}", "max_result_rows": str(rows)}
        known = self._client.server_settings
        allowed = {name: value for name, value in limits.items() if not known[name].readonly}
        return {**self._pinned, **allowed}

    # -- rows ------------------------------------------------------------------------------------

    def _all(self, sql: str) -> list[tuple[Any, ...]]:
        """A query of our own, all of its rows at once."""
        return [row for batch in self._answering(sql, _OUR_OWN).batches for row in batch]

    def _answering(self, sql: str, rows: int) -> Answering:
        self._running = uuid4().hex
        settings = {**self._settings(rows), "query_id": self._running}
        response = cast("HTTPResponse", self._client.raw_stream(sql, fmt=FORMAT, settings=settings))
        told = self._rows(response)
        columns = next(told)  # the columns come first, as a row of their own
        return Answering(columns, Streamed(told))

    def _rows(self, response: HTTPResponse) -> Generator[tuple[Any, ...], None, None]:
        """First the columns, then rows. Left early, it stops the query on the server."""
        over = False
        try:
            lines = _lines(response)
            names, types = _read(next(lines, b"")), _read(next(lines, b""))
            yield tuple(map(ResultColumn, names, types))
            readers = [(at, read) for at, kind in enumerate(types) if (read := reader(kind))]
            for line in lines:
                row = _read(line)
                for at, read in readers:
                    row[at] = None if row[at] is None else read(row[at])
                yield tuple(row)
            over = True
        finally:
            if not over:
                with suppress(Exception):  # whatever the driver raises: closing the connection stops it too
                    self.cancel()
            self._running = ""
            response.close()


def _lines(response: HTTPResponse) -> Generator[bytes, None, None]:
    held: list[bytes] = []
    size = 0
    try:
        for piece in response.stream(_PIECE, decode_content=True):
            first, *more = piece.split(b"\n")
            held.append(first)
            size += len(first)
            if size > ROW_BYTES:
                raise ResourceExhausted(f"one row is larger than {ROW_BYTES // 1_000_000} MB")
            for line in more:
                if held != [b""]:  # an empty line stands before totals
                    yield b"".join(held)
                held, size = [line], len(line)
    except HTTPError:
        if any(b"DB::Exception" in part for part in held):
            raise broken(b"".join(held)) from None
        raise
    if any(held):
        yield b"".join(held)


def _read(line: bytes) -> list[Any]:
    """One line. What is no row is the error that ended them: its status had been sent before it happened."""
    try:
        row = json.loads(line.decode("utf-8", "replace"), parse_float=Digits)
    except ValueError:
        row = None
    if not isinstance(row, list):
        raise broken(line)
    return row
