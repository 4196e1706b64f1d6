"""Database access: connect read-only, introspect, explain, run a `CheckedSql`, cancel. The only package that
imports drivers.
"""

from text2sql.config import Settings
from text2sql.database.accounts import Accounts, read_accounts
from text2sql.database.async_database import AsyncDatabase, AsyncStream
from text2sql.database.cancellation import Cancellation
from text2sql.database.database import Database
from text2sql.database.dialects import BY_NAME, load_engine
from text2sql.database.process import isolate_in_processes
from text2sql.database.url import read_source, redacted, source_key

__all__ = [
    "Accounts",
    "AsyncDatabase",
    "AsyncStream",
    "Cancellation",
    "Database",
    "open_database",
    "read_accounts",
    "redacted",
    "source_key",
]


def open_database(source: str, settings: Settings | None = None) -> Database:
    """Return the database at a URL or path. The first request opens the first connection."""
    settings = settings or Settings()
    location = read_source(source)
    engine = load_engine(BY_NAME[location.dialect], location, settings)
    return Database(isolate_in_processes(engine, location, settings), settings)
