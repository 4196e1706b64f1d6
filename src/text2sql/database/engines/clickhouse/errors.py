"""Translates ClickHouse's errors, by number."""

import re

from clickhouse_connect.driver.exceptions import ClickHouseError, OperationalError
from urllib3.exceptions import HTTPError

from text2sql import errors as ours
from text2sql.database.engines.error_parts import connection_failed
from text2sql.errors import DatabaseError

PARSE_PREFIX = "EXPLAIN AST "  # prefix of a query that is parsed but not run

_KINDS: dict[type[DatabaseError], str] = {
    ours.SqlSyntaxError: "36 42 44 46 48 62 63 80 99 122 179 182 184 215 258 299 403 440 456 558 565 636",
    ours.UnknownTable: "60 81",
    ours.UnknownColumn: "8 10 16 47",
    ours.AmbiguousColumn: "207 352",
    ours.TypeMismatch: (
        "6 20 26 27 32 38 41 43 53 69 70 72 125 126 128 153 169 190 321 349 376 386 395 407 427 467 675"
    ),
    ours.PermissionDenied: "291 495 497",
    ours.QueryTimeout: "159 160",
    ours.QueryCancelled: "236 394",
    ours.Forbidden: "164 344 392 452",
    ours.ResourceExhausted: "13 35 158 161 162 167 168 173 191 201 241 243 306 307 396 581",
    ours.ConnectionFailed: "3 95 96 192 193 194 198 202 203 209 210 279 516 519 999",
}
_BY_NUMBER = {int(number): kind for kind, numbers in _KINDS.items() for number in numbers.split()}
_KEYS = {
    **dict.fromkeys((192, 193, 194, 516), "database.login"),
    81: "database.no_such_database",
    202: "database.full",
}
_EXCEPTION = re.compile(r"Code: (?P<code>\d+)\. DB::(?:\w+)?Exception: (?P<words>.*)", re.DOTALL)
_NAME = re.compile(r"(?:\[[\d.:]+\] )?.*?[`'](?P<name>[^`']+)[`']")
_POSITION = re.compile(r"failed at position (\d+)")
_WITH_IDENTIFIER = frozenset({8, 10, 16, 46, 47, 60, 81, 207, 352})


def translate(error: Exception, sql: str) -> DatabaseError | None:
    if isinstance(error, HTTPError):
        return ours.ConnectionFailed(_first_line(str(error)) or type(error).__name__)
    if not isinstance(error, ClickHouseError):
        return None
    number, detail = _parts(error)
    kind = _BY_NUMBER.get(number, ours.OtherDatabaseError)
    if not number and isinstance(error, OperationalError):
        kind = ours.ConnectionFailed
    match = _NAME.match(detail) if number in _WITH_IDENTIFIER else None
    return kind(
        detail,
        code=str(number or ""),
        identifiers=(match["name"],) if match else (),
        position=_position(str(error), sql),
    )


def connection_error(error: Exception, password: str) -> DatabaseError:
    """Translate an error that was raised while connecting."""
    number, detail = _parts(error)
    return connection_failed(detail, password, key=_KEYS.get(number, ""), code=str(number or ""))


def row_error(text: bytes) -> ClickHouseError:
    """The error that the server sent in place of a row."""
    message = text.decode("utf-8", "replace")
    return OperationalError(message or "the answer has no rows and no error")


def _parts(error: Exception) -> tuple[int, str]:
    text = str(error)
    match = _EXCEPTION.search(text)
    if match is None:
        return int(getattr(error, "code", None) or 0), _first_line(text)
    return int(match["code"]), _first_line(match["words"])


def _first_line(text: str) -> str:
    """Remove the error's name and the build's version from the end of the message."""
    line = (text.strip().splitlines() or [""])[0]
    return re.sub(r"\s*\((?:[A-Z_]+|version .*)\)\.?\s*$", "", line)


def _position(text: str, sql: str) -> int | None:
    """The position in a syntax error counts bytes, including the prefix."""
    match = _POSITION.search(text)
    if match is None:
        return None
    before = sql.encode()[: max(0, int(match[1]) - 1 - len(PARSE_PREFIX))]
    return len(before.decode("utf-8", "ignore")) + 1
