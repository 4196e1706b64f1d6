"""Translates SQLite's errors: by result code; code 1 is generic and is classified by its message."""

import re
import sqlite3

from text2sql import errors as ours
from text2sql.errors import DatabaseError

_BY_CODE: dict[int, type[DatabaseError]] = {
    sqlite3.SQLITE_PERM: ours.PermissionDenied,
    sqlite3.SQLITE_BUSY: ours.LockConflict,
    sqlite3.SQLITE_LOCKED: ours.LockConflict,
    sqlite3.SQLITE_NOMEM: ours.ResourceExhausted,
    sqlite3.SQLITE_READONLY: ours.Forbidden,
    sqlite3.SQLITE_INTERRUPT: ours.QueryCancelled,
    sqlite3.SQLITE_IOERR: ours.ConnectionFailed,
    sqlite3.SQLITE_FULL: ours.ResourceExhausted,
    sqlite3.SQLITE_CANTOPEN: ours.ConnectionFailed,
    sqlite3.SQLITE_SCHEMA: ours.LockConflict,
    sqlite3.SQLITE_TOOBIG: ours.ResourceExhausted,
    sqlite3.SQLITE_CONSTRAINT: ours.ConstraintViolated,
    sqlite3.SQLITE_MISMATCH: ours.TypeMismatch,
    sqlite3.SQLITE_AUTH: ours.Forbidden,
}
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

# The first match wins; the group is the name that the error is about.
_BY_TEXT: tuple[tuple[re.Pattern[str], type[DatabaseError]], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"no such table: (?P<name>.+)", ours.UnknownTable),
        (r"unknown database (?P<name>.+)", ours.UnknownTable),
        (r"no such column: (?P<name>.+)", ours.UnknownColumn),
        (r"cannot join using column (?P<name>.+) - column not present", ours.UnknownColumn),
        (r"ambiguous column name: (?P<name>.+)", ours.AmbiguousColumn),
        (r'near "(?P<name>.*)": syntax error', ours.SqlSyntaxError),
        (r'unrecognized token: "(?P<name>.*)"', ours.SqlSyntaxError),
        (r"no such function: (?P<name>.+)", ours.SqlSyntaxError),
        (r"wrong number of arguments to function (?P<name>\w+)", ours.SqlSyntaxError),
        (r"integer overflow|malformed JSON|JSON cannot hold|bad JSON path", ours.TypeMismatch),
        (r"too (many|large|complex|big)|maximum depth|stack overflow|out of memory", ours.ResourceExhausted),
        (r"not authorized|prohibited|may not be modified|unsafe use of", ours.Forbidden),
    )
)


def translate(error: Exception, sql: str) -> DatabaseError | None:
    if isinstance(error, UnicodeEncodeError):  # a lone surrogate, which no statement can contain
        return ours.SqlSyntaxError("the query is not valid Unicode", code="unicode")
    if not isinstance(error, sqlite3.Error | sqlite3.Warning):
        return None
    detail = (str(error).splitlines() or [""])[0]
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by the `sqlite3` module: several statements, a NUL character
        return ours.SqlSyntaxError(detail, code=type(error).__name__)
    name: str = getattr(error, "sqlite_errorname", str(code))
    if code & 0xFF in _DAMAGED:
        return ours.OtherDatabaseError(detail, key="database.damaged", code=name)
    kind = _BY_CODE.get(code & 0xFF)
    if kind is not None:
        return kind(detail, code=name)
    return _by_text(detail, name, sql)


def _by_text(detail: str, code: str, sql: str) -> DatabaseError:
    for pattern, kind in _BY_TEXT:
        match = pattern.search(detail)
        if match:
            name = match.groupdict().get("name")
            names = (name,) if name else ()
            return kind(detail, code=code, identifiers=names, position=_position_of_name(sql, name))
    # Code 1 while compiling: SQLite's only code for an invalid query.
    return ours.SqlSyntaxError(detail, code=code)


def _position_of_name(sql: str, name: str | None) -> int | None:
    """Python does not expose SQLite's error offset; a name that occurs once in the SQL gives the position."""
    if not name or sql.count(name) != 1:
        return None
    return sql.index(name) + 1
