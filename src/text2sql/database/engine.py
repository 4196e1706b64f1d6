"""The seam between the room and a driver: an engine makes sessions, a session runs one text at a time.

Everything that is the same for all engines (pool, limits, deadlines, cancellation, cells) is in
`database.py`, `pool.py` and `values.py`; everything that is a fact is a row in `dialects.py`. What is left
is one module an engine in `engines/`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from text2sql.errors import DatabaseError
from text2sql.types import Catalogue, CheckedWrite, Plan, ResultColumn


@dataclass(frozen=True, slots=True)
class Answering:
    """A statement that has begun to answer: its columns, and batches of the driver's own rows.

    Batches are drawn lazily. Closing the iterator stops the statement and frees what it holds.
    """

    columns: tuple[ResultColumn, ...]
    batches: Iterator[list[tuple[Any, ...]]]


class Session(Protocol):
    """One connection. It serves one statement at a time; only `cancel` may come from another thread."""

    def begin(self, seconds: float) -> None:
        """Enter the engine's read-only mode, with `seconds` as the engine's own limit for a statement."""

    def execute(self, sql: str, rows: int) -> Answering:
        """Send exactly one statement over a protocol that carries only one. No more than `rows` and one will
        be read: an engine that can be told so stops there by itself.
        """

    def explain(self, sql: str) -> Plan:
        """The engine's estimate; the statement itself does not run."""

    def catalogue(self, samples: int) -> Catalogue:
        """The schema in a bounded number of queries, with up to `samples` values a text column."""

    def cancel(self) -> None:
        """Stop what is running, on the server too. Safe from any thread, at any time, twice."""

    def reset(self) -> None:
        """Leave nothing of this request behind. Raises where the session cannot be trusted any more."""

    def close(self) -> None:
        """Never raises."""


class WritingSession(Protocol):
    """One connection for one write. It is opened for it, never lent again, and closing it rolls back."""

    def begin(self, seconds: float) -> None:
        """Open a transaction that may write, with `seconds` as the engine's own limit for a statement."""

    def write(self, write: CheckedWrite) -> int:
        """Run the one statement and say how many rows of its table it touched. Anything else is refused."""

    def rollback(self) -> None:
        """Raises where something could not be undone."""

    def commit(self) -> None:
        """Raises `ConnectionFailed` where nobody can know whether it happened."""

    def cancel(self) -> None:
        """As a `Session`'s."""

    def close(self) -> None:
        """Never raises."""


class Engine(Protocol):
    """What opens sessions to one data source."""

    dialect: str

    def connect(self) -> Session:
        """A new session, hardened. Raises a `DatabaseError` that names no secret."""

    def connect_writing(self) -> WritingSession:
        """A session that may change rows, hardened otherwise. Raises where the source cannot be written."""

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        """The driver's error as one of ours, classified by code before text; None for a foreign error."""

    def close(self) -> None:
        """Remove what the engine itself made (a temporary copy of a CSV file)."""
