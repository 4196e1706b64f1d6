"""Translates Snowflake's errors: by number, and by SQLSTATE if many numbers share a meaning."""

import re

from snowflake.connector.errors import Error, InterfaceError, OperationalError

from text2sql import errors as ours
from text2sql.database.engines.error_parts import connection_failed, position_in
from text2sql.errors import DatabaseError

_BY_NUMBER: dict[int, type[DatabaseError]] = {
    8: ours.SqlSyntaxError,  # more than one statement
    1003: ours.SqlSyntaxError,
    904: ours.UnknownColumn,
    2003: ours.UnknownTable,
    2043: ours.UnknownTable,
    3001: ours.PermissionDenied,
    604: ours.QueryCancelled,
    630: ours.QueryTimeout,
    631: ours.QueryTimeout,
    606: ours.ConnectionFailed,  # no warehouse is running, or none was named
    625: ours.LockConflict,
    250001: ours.ConnectionFailed,
}
_BY_STATE: dict[str, type[DatabaseError]] = {
    "42601": ours.SqlSyntaxError,
    "42000": ours.SqlSyntaxError,
    "42S02": ours.UnknownTable,
    "02000": ours.UnknownTable,
    "42S22": ours.UnknownColumn,
    "42501": ours.PermissionDenied,
    "57014": ours.QueryCancelled,
}
_BY_CLASS: dict[str, type[DatabaseError]] = {
    "22": ours.TypeMismatch,
    "08": ours.ConnectionFailed,
    "53": ours.ResourceExhausted,
    "54": ours.ResourceExhausted,
}
_AMBIGUOUS = re.compile(r"ambiguous column name '([^']+)'")
_TYPES = re.compile(r"Invalid argument types|is not recognized|not comparable|Can not convert|Numeric value")
_QUOTED = re.compile(r"'([^']+)'")
_LOCATION = re.compile(r"line (\d+) at position (\d+)")
_LINES = 3
_ACCOUNT_ERRORS = 390  # 390xxx: authentication errors and expired sessions
_LOGIN = frozenset({390100, 390144, 390114, 250001})


def translate(error: Exception, sql: str) -> DatabaseError | None:
    if not isinstance(error, Error):
        return None
    number, state, detail = error.errno or 0, error.sqlstate or "", _detail(error)
    kind = _kind(number, state, detail)
    if kind is None:
        is_lost_connection = isinstance(error, InterfaceError | OperationalError)
        kind = ours.ConnectionFailed if is_lost_connection else ours.OtherDatabaseError
    has_identifier = kind in (ours.UnknownColumn, ours.UnknownTable, ours.AmbiguousColumn)
    names = _QUOTED.findall(detail)[:1] if has_identifier else []
    identifiers = tuple(part.strip('"') for name in names for part in name.split("."))
    code = str(number) if number > 0 else state
    return kind(detail, code=code, identifiers=identifiers, position=_position(detail, sql))


def connection_error(error: Error, password: str) -> DatabaseError:
    """Translate an error that was raised while connecting."""
    detail = _detail(error)
    number = error.errno or 0
    key = "database.login" if number in _LOGIN and "password" in detail.lower() else ""
    return connection_failed(detail, password, key=key, code=str(number) if number > 0 else "")


def _kind(number: int, state: str, detail: str) -> type[DatabaseError] | None:
    if _AMBIGUOUS.search(detail):
        return ours.AmbiguousColumn
    if _TYPES.search(detail):
        return ours.TypeMismatch
    if number // 1000 == _ACCOUNT_ERRORS:
        return ours.ConnectionFailed
    return _BY_NUMBER.get(number) or _BY_STATE.get(state) or _BY_CLASS.get(state[:2])


def _detail(error: Error) -> str:
    """Remove the prefix `001003 (42000): SQL compilation error:` and join the lines, which give the location
    first.
    """
    text = re.sub(r"^\d+ \(\w+\): (?:[\w-]+: )?", "", (error.raw_msg or str(error)).strip())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[:_LINES]) if lines else type(error).__name__


def _position(detail: str, sql: str) -> int | None:
    match = _LOCATION.search(detail)
    return position_in(sql, int(match[1]), int(match[2]) + 1) if match else None
