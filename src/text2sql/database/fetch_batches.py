"""Chooses how many rows to fetch from a driver at a time: few if rows are large, many if they are small."""

from collections.abc import Callable, Iterator
from typing import Any

FIRST_BATCH = 16
MAX_BATCH = 2_048
TARGET_BYTES = 1_000_000
_SAMPLE = 32
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


def _row_size(row: tuple[Any, ...]) -> int:
    return sum(len(cell) if isinstance(cell, _VARIABLE_SIZE) else 8 for cell in row)
