"""Our own tables beside LangGraph's, for what its store cannot do: a claim that exactly one caller wins, a
lifetime to the second, numbers that are added up. One SQL for SQLite and PostgreSQL; `?` is a value.
"""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

Cell: TypeAlias = str | int | float | None

# One tuple of statements a version, in order, for ever: a file of version n gets those after the nth.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE text2sql_claims"
        " (key TEXT PRIMARY KEY, claimed DOUBLE PRECISION NOT NULL, found BIGINT)",
        "CREATE TABLE text2sql_results (id TEXT PRIMARY KEY, owner TEXT NOT NULL, thread TEXT NOT NULL,"
        " expires DOUBLE PRECISION NOT NULL, value TEXT NOT NULL)",
        "CREATE INDEX text2sql_results_expires ON text2sql_results (expires)",
        "CREATE INDEX text2sql_results_thread ON text2sql_results (owner, thread)",
        "CREATE TABLE text2sql_numbers (at DOUBLE PRECISION NOT NULL, status TEXT NOT NULL,"
        " attempts BIGINT NOT NULL, repaired BIGINT NOT NULL, first_pass BIGINT NOT NULL,"
        " errors TEXT NOT NULL, seconds TEXT NOT NULL, calls BIGINT NOT NULL, prompt_tokens BIGINT NOT NULL,"
        " completion_tokens BIGINT NOT NULL, statements BIGINT NOT NULL, model TEXT NOT NULL)",
        "CREATE INDEX text2sql_numbers_at ON text2sql_numbers (at)",
    ),
)

CLAIM = "INSERT INTO text2sql_claims (key, claimed) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
SETTLE = "UPDATE text2sql_claims SET found = ? WHERE key = ?"
CLAIMED = "SELECT claimed, found FROM text2sql_claims WHERE key = ?"

KEEP_RESULT = "INSERT INTO text2sql_results (id, owner, thread, expires, value) VALUES (?, ?, ?, ?, ?)"
RESULT = "SELECT value FROM text2sql_results WHERE id = ? AND owner = ? AND expires > ?"
FORGET_RESULTS = "DELETE FROM text2sql_results WHERE owner = ? AND thread = ?"
EXPIRED = "SELECT 1 FROM text2sql_results WHERE expires <= ? LIMIT 1"
SWEEP = "DELETE FROM text2sql_results WHERE expires <= ?"

NUMBERS = (
    "status, attempts, repaired, first_pass, errors, seconds, calls, prompt_tokens, completion_tokens,"
    " statements, model"
)
COUNT = f"INSERT INTO text2sql_numbers (at, {NUMBERS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
COUNTED = f"SELECT {NUMBERS} FROM text2sql_numbers WHERE at >= ?"


class Tables(Protocol):
    """One statement at a time, each whole by itself. Errors are `StoreError`s."""

    async def change(self, sql: str, *values: Cell, durable: bool = False) -> int:
        """How many rows it inserted, updated or deleted. `durable` outlives a power cut."""

    async def rows(self, sql: str, *values: Cell) -> Sequence[tuple[Any, ...]]: ...
