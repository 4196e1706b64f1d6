"""Translates PostgreSQL's errors: by SQLSTATE; by message only on connect, where libpq gives no code."""

import re

import psycopg

from text2sql import errors as ours
from text2sql.database.engines.error_parts import connection_failed
from text2sql.errors import DatabaseError

_EXACT: dict[str, type[DatabaseError]] = {
    "42601": ours.SqlSyntaxError,
    "42P01": ours.UnknownTable,
    "3F000": ours.UnknownTable,  # the schema of `schema.table` does not exist
    "42703": ours.UnknownColumn,
    "42702": ours.AmbiguousColumn,
    "42P09": ours.AmbiguousColumn,
    "42501": ours.PermissionDenied,
    "57014": ours.QueryTimeout,  # or a cancellation; see `_cancelled`
    "25006": ours.Forbidden,  # read_only_sql_transaction
    "25001": ours.Forbidden,  # SET TRANSACTION after the first query
    "42804": ours.TypeMismatch,
    "42883": ours.TypeMismatch,  # no function or operator takes these types
    "42846": ours.TypeMismatch,
    "42P18": ours.TypeMismatch,
    "42P22": ours.TypeMismatch,
    "42725": ours.TypeMismatch,
    "42803": ours.SqlSyntaxError,  # a column neither grouped nor aggregated: a rewrite fixes it
    "42P20": ours.SqlSyntaxError,
    "42712": ours.SqlSyntaxError,
    "42P10": ours.SqlSyntaxError,
    "0A000": ours.SqlSyntaxError,
    "55P03": ours.LockConflict,
    "40001": ours.LockConflict,
    "40P01": ours.LockConflict,
    "25P03": ours.ConnectionFailed,  # idle_in_transaction_session_timeout
}
_CLASS: dict[str, type[DatabaseError]] = {
    "08": ours.ConnectionFailed,
    "57": ours.ConnectionFailed,  # the server shuts down, crashed or starts
    "58": ours.ResourceExhausted,
    "53": ours.ResourceExhausted,
    "54": ours.ResourceExhausted,
    "22": ours.TypeMismatch,
    "23": ours.ConstraintViolated,
    "40": ours.LockConflict,
    "XX": ours.OtherDatabaseError,
}
# libpq reports a refused connection only as text; the server's part of it is in the server's language.
_CONNECTION_KEYS: tuple[tuple[str, str], ...] = (
    ("password authentication failed", "database.login"),
    ("no password supplied", "database.login"),
    ("authentication failed", "database.login"),
    ("does not exist", "database.no_such_database"),
    ("too many", "database.full"),
    ("remaining connection slots", "database.full"),
    ("certificate", "database.tls"),
)
_QUOTED = re.compile(r'["“«„]([^"”»“]+)["”»“]')
_BARE = re.compile(r"^(?:column|function|operator|type) ([\w.]+)(?:\(.*\))? does not exist")


def translate(error: Exception) -> DatabaseError | None:
    if isinstance(error, DatabaseError):
        return error
    if not isinstance(error, psycopg.Error):
        return None
    detail, code = _first_line(error), error.sqlstate or ""
    kind = _EXACT.get(code) or _CLASS.get(code[:2])
    if kind is None:
        is_lost_connection = not code and isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        kind = ours.ConnectionFailed if is_lost_connection else ours.OtherDatabaseError
    if kind is ours.QueryTimeout and "user request" in detail:
        kind = ours.QueryCancelled
    position = error.diag.statement_position
    return kind(
        detail,
        code=code,
        position=int(position) if position else None,
        identifiers=_identifiers(error, detail),
        **({"hint": error.diag.message_hint} if error.diag.message_hint else {}),
    )


def connection_error(error: psycopg.Error, password: str) -> DatabaseError:
    """Translate an error on connect. Retrying a wrong password locks accounts, so it has its own key."""
    detail = _first_line(error)
    key = next((key for words, key in _CONNECTION_KEYS if words in detail), "")
    return connection_failed(detail, password, key=key, code=error.sqlstate or "")


def _first_line(error: psycopg.Error) -> str:
    text = error.diag.message_primary or str(error)
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__


def _identifiers(error: psycopg.Error, detail: str) -> tuple[str, ...]:
    names = [error.diag.schema_name, error.diag.table_name, error.diag.column_name]
    identifiers = [name for name in names if name] or _BARE.findall(detail) or _QUOTED.findall(detail)
    return tuple(dict.fromkeys(identifiers))
