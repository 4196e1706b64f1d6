"""Groups rows that arrive one by one into batches of about a megabyte."""

from collections.abc import Generator
from typing import Any, Self

MAX_ROWS, MAX_BYTES = 256, 1_000_000
_VARIABLE_SIZE = (str, bytes, list)


class RowBatches:
    """Batches of the rows that a driver's generator yields. `close` ends the generator, which stops the
    statement.

    A class, not a generator function: closing a generator that was never started runs nothing.
    """

    def __init__(self, rows: Generator[tuple[Any, ...], None, None]) -> None:
        self._rows = rows

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> list[tuple[Any, ...]]:
        batch: list[tuple[Any, ...]] = []
        size = 0
        for row in self._rows:
            batch.append(row)
            size += sum(len(cell) for cell in row if isinstance(cell, _VARIABLE_SIZE))
            if len(batch) >= MAX_ROWS or size >= MAX_BYTES:
                break
        if not batch:
            raise StopIteration
        return batch

    def close(self) -> None:
        self._rows.close()
