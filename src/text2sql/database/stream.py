"""Streams rows in batches, converted and counted against the limits."""

from collections.abc import Iterator
from typing import Any, Literal, Self

from text2sql.database.engine import Session
from text2sql.database.request import Request
from text2sql.database.values import convert_rows, row_size
from text2sql.types import Limits, ResultColumn, Row

Batch = list[tuple[Any, ...]]


class Stream:
    """A result that is read as it arrives. Memory holds about one batch, whatever the result's length.

    Use it as a context manager: leaving it early stops the statement on the server. The time limit covers
    reading too, because a half-read result keeps a statement and a connection busy.
    """

    def __init__(self, request: Request, sql: str, limits: Limits) -> None:
        self._request = request
        self._limits = limits
        self._rows_left = limits.rows
        self._bytes_left = limits.bytes
        self._raw: Iterator[Batch] = iter(())
        self._pending: Batch | None = None
        self.columns: tuple[ResultColumn, ...] = ()
        self.truncated: Literal["", "rows", "bytes"] = ""
        self.cut_cells = 0
        try:
            request.start(lambda session: self._open(session, sql))
        except BaseException:
            self.close()  # stop a started statement now, not at garbage collection
            raise

    @property
    def seconds(self) -> float:
        return self._request.seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[list[Row]]:
        while (raw := self._pending) is not None:
            batch = self._within_limits(raw)
            if self.truncated:
                self.close()
            if batch:
                yield batch
            if self._pending is None:  # closed: by a limit, or by the reader between two batches
                return
            self._pending = self._request.step(lambda _: next(self._raw, None))
        self.close()

    def close(self) -> None:
        """Stop the statement if it still runs, and return the connection."""
        self._pending = None
        raw, self._raw = self._raw, iter(())
        try:
            close = getattr(raw, "close", None)
            if close is not None:
                close()
        except Exception:  # noqa: BLE001 the rows are complete or unwanted; only the session is in doubt
            self._request.distrust()
        finally:
            self._request.finish()

    def _open(self, session: Session, sql: str) -> None:
        result = session.execute(sql, self._limits.rows)
        self.columns = result.columns
        self._raw = result.batches
        self._pending = next(self._raw, None)

    def _within_limits(self, raw_batch: Batch) -> list[Row]:
        has_more = len(raw_batch) > self._rows_left
        rows, size, cut_cells = convert_rows(raw_batch[: self._rows_left], self._limits.cell_bytes)
        self.cut_cells += cut_cells
        if has_more:
            self.truncated = "rows"
        self._rows_left -= len(rows)
        if size > self._bytes_left:
            rows, size = self._rows_that_fit(rows), self._bytes_left
            self.truncated = "bytes"
        self._bytes_left -= size
        return rows

    def _rows_that_fit(self, rows: list[Row]) -> list[Row]:
        bytes_left = self._bytes_left
        for number, row in enumerate(rows):
            bytes_left -= row_size(row)
            if bytes_left < 0:
                return rows[:number]
        return rows
