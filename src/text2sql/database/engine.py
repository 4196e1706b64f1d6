"""Protocols between this package and a driver: an engine opens sessions, a session runs one statement at a
time.

What all engines share (pool, limits, deadlines, cancellation, value conversion) is in `database.py`,
`pool.py` and `values.py`; facts are in `dialects.py`. The rest is one package per engine in `engines/`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from text2sql.errors import DatabaseError
from text2sql.types import Catalog, CheckedWrite, Plan, Policy, ResultColumn


@dataclass(frozen=True, slots=True)
class RawResult:
    """The result of a started statement: its columns, and batches of the driver's own rows.

    Batches are fetched lazily. Closing the iterator stops the statement and releases its resources.
    """

    columns: tuple[ResultColumn, ...]
    batches: Iterator[list[tuple[Any, ...]]]


class Session(Protocol):
    """One connection. It runs one statement at a time; only `cancel` may be called from another thread."""

    def begin(self, seconds: float) -> None:
        """Enter the engine's read-only mode, with `seconds` as the engine's own statement timeout."""

    def execute(self, sql: str, rows: int) -> RawResult:
        """Send exactly one statement over a protocol that carries only one. At most `rows` + 1 rows are read:
        an engine that supports a limit stops there by itself.
        """

    def explain(self, sql: str) -> Plan:
        """Return the engine's estimate; the statement does not run."""

    def catalog(self, samples: int) -> Catalog:
        """Read the schema in a bounded number of queries, with up to `samples` values per text column."""

    def cancel(self) -> None:
        """Stop the running statement, on the server too. Safe from any thread, at any time, repeatedly."""

    def reset(self) -> None:
        """Remove all state of this request. Raises if the session can no longer be trusted."""

    def close(self) -> None:
        """Never raises."""


class RestrictedSession(Session, Protocol):
    """A session that hides tables and columns itself, for an engine without accounts."""

    def restrict(self, readable: Policy | None) -> None:
        """Until `reset`, let statements read only the tables and columns of `readable`; the guard enforces
        its row rules. None lifts the restriction. A hidden name is reported as one that does not exist.
        """


class WritingSession(Protocol):
    """One connection for one write. It is never reused, and closing it rolls back."""

    def begin(self, seconds: float) -> None:
        """Open a transaction that may write, with `seconds` as the engine's own statement timeout."""

    def write(self, write: CheckedWrite) -> int:
        """Run the one statement and return how many rows of its table it changed. Refuse anything else."""

    def rollback(self) -> None:
        """Raises if something could not be undone."""

    def commit(self) -> None:
        """Raises `ConnectionFailed` if it is unknown whether the commit happened."""

    def cancel(self) -> None:
        """See `Session.cancel`."""

    def close(self) -> None:
        """Never raises."""


class Engine(Protocol):
    """Opens sessions to one data source."""

    dialect: str

    def connect(self) -> Session:
        """Open a hardened session. Raises a `DatabaseError` that contains no secret."""

    def connect_writing(self) -> WritingSession:
        """Open a hardened session that may change rows. Raises if the source cannot be written."""

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        """Convert a driver's error to ours, by error code first, then by text; None for any other error."""

    def close(self) -> None:
        """Remove what the engine created itself, such as a temporary copy of a CSV file."""
