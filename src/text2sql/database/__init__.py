"""The only room with drivers: connect read-only, introspect, explain, run a `CheckedSql`, cancel."""

from text2sql.config import Settings
from text2sql.database.asynchronous import AsyncDatabase, AsyncStream
from text2sql.database.cancellation import Cancellation
from text2sql.database.database import Database
from text2sql.database.dialects import BY_NAME, load_engine
from text2sql.database.url import read_source, redacted

__all__ = ["AsyncDatabase", "AsyncStream", "Cancellation", "Database", "open_database", "redacted"]


def open_database(source: str, settings: Settings | None = None) -> Database:
    """The database at a URL or path. No connection is made yet: the first request makes one."""
    settings = settings or Settings()
    where = read_source(source)
    return Database(load_engine(BY_NAME[where.dialect], where, settings), settings)
