"""How many rows to ask a driver for at a time: few where rows are fat, many where they are thin."""

from collections.abc import Callable, Iterator
from typing import Any

FIRST = 16
MOST = 2_048
TARGET_BYTES = 1_000_000
_SAMPLE = 32
_FAT = (str, bytes, bytearray, list, tuple, dict)


def in_batches(fetch: Callable[[int], list[tuple[Any, ...]]]) -> Iterator[list[tuple[Any, ...]]]:
    """Draw rows with `fetch(n)` until there are none.

    A fixed size is either slow (one row a call) or dangerous (2,000 rows of a megabyte each); the size of
    the rows seen last decides the next one.
    """
    size = FIRST
    while rows := fetch(size):
        yield rows
        average = sum(map(_weight, rows[-_SAMPLE:])) // min(len(rows), _SAMPLE) + 1
        size = max(1, min(MOST, size * 8, TARGET_BYTES // average))


def _weight(row: tuple[Any, ...]) -> int:
    return sum(len(cell) if isinstance(cell, _FAT) else 8 for cell in row)
