"""Groups the rows of a driver into batches: of few rows if they are large, of many if they are small."""

from collections.abc import Callable, Generator, Iterator
from typing import Any, Self

FIRST_BATCH = 16
MAX_BATCH = 2_048
TARGET_BYTES = 1_000_000
_SAMPLE = 32
_MAX_STREAMED = 256  # rows of a batch whose rows arrive one by one
_VARIABLE_SIZE = (str, bytes, bytearray, list, tuple, dict)


def fetch_in_batches(fetch: Callable[[int], list[tuple[Any, ...]]]) -> Iterator[list[tuple[Any, ...]]]:
    """Fetch rows with `fetch(n)` until there are none.

    A fixed size is either slow (one row per call) or dangerous (2,000 rows of a megabyte each); the size of
    the last rows determines the size of the next batch.
    """
    size = FIRST_BATCH
    while rows := fetch(size):
        yield rows
        average = sum(map(_row_size, rows[-_SAMPLE:])) // min(len(rows), _SAMPLE) + 1
        size = max(1, min(MAX_BATCH, size * 8, TARGET_BYTES // average))


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
            size += _row_size(row)
            if len(batch) >= _MAX_STREAMED or size >= TARGET_BYTES:
                break
        if not batch:
            raise StopIteration
        return batch

    def close(self) -> None:
        self._rows.close()


def _row_size(row: tuple[Any, ...]) -> int:
    return sum(len(cell) if isinstance(cell, _VARIABLE_SIZE) else 8 for cell in row)
