"""Rows that arrive one by one, handed on in batches that stay near a megabyte."""

from collections.abc import Generator
from typing import Any, Self

ROWS, BYTES = 256, 1_000_000
_FAT = (str, bytes, list)


class Streamed:
    """Batches of what a driver's generator yields. `close` ends the generator, which stops the statement.

    A class and not a generator function: closing a generator that was never drawn from runs nothing.
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
            size += sum(len(cell) for cell in row if isinstance(cell, _FAT))
            if len(batch) >= ROWS or size >= BYTES:
                break
        if not batch:
            raise StopIteration
        return batch

    def close(self) -> None:
        self._rows.close()
