"""Translates BigQuery's errors: by the service's reason, by message if one reason has several meanings."""

import re
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.exceptions import GoogleAuthError
from requests.exceptions import RequestException

from text2sql import errors as ours
from text2sql.database.engines.error_parts import position_in
from text2sql.errors import DatabaseError

_BY_REASON: dict[str, type[DatabaseError]] = {
    "accessDenied": ours.PermissionDenied,
    "billingNotEnabled": ours.PermissionDenied,
    "forbidden": ours.PermissionDenied,
    "required": ours.PermissionDenied,
    "backendError": ours.ConnectionFailed,
    "internalError": ours.ConnectionFailed,
    "jobBackendError": ours.ConnectionFailed,
    "jobInternalError": ours.ConnectionFailed,
    "rateLimitExceeded": ours.PoolExhausted,
    "jobRateLimitExceeded": ours.PoolExhausted,
    "bytesBilledLimitExceeded": ours.ResourceExhausted,
    "billingTierLimitExceeded": ours.ResourceExhausted,
    "quotaExceeded": ours.ResourceExhausted,
    "resourcesExceeded": ours.ResourceExhausted,
    "responseTooLarge": ours.ResourceExhausted,
    "stopped": ours.QueryCancelled,
    "timeout": ours.QueryTimeout,
    "notFound": ours.UnknownTable,
}
# The first match wins. All of them have the reason `invalidQuery` or `invalid`.
_BY_TEXT: tuple[tuple[str, type[DatabaseError]], ...] = (
    (r"Job timed out|exceeded.*time limit|Operation timed out", ours.QueryTimeout),
    (r"ambiguous", ours.AmbiguousColumn),
    (r"Unrecognized name: (?P<name>[\w`.]+)", ours.UnknownColumn),
    (r"Name (?P<name>\w+) not found", ours.UnknownColumn),
    (r"Field name (?P<name>\w+) does not exist", ours.UnknownColumn),
    (r'Table "?(?P<name>[\w`.-]+)"? must be qualified', ours.UnknownTable),
    (r"No matching signature|Could not cast|Bad \w+ value", ours.TypeMismatch),
    (r"Invalid (?:date|timestamp|cast)", ours.TypeMismatch),
    (r"division by zero|out of range|overflow|Invalid NUMERIC", ours.TypeMismatch),
    (r"Resources exceeded", ours.ResourceExhausted),
)
_AMBIGUOUS = re.compile(r"Column name (?P<name>\w+) is ambiguous")
_LOCATION = re.compile(r"at \[(\d+):(\d+)\]")
_MISSING = re.compile(r"Not found: (?:Table|Dataset) (?P<name>[\w.:-]+)")


def translate(error: Exception, sql: str) -> DatabaseError | None:
    if isinstance(error, FutureTimeout):
        return ours.QueryTimeout("the job did not end in time")
    if isinstance(error, RequestException | RetryError | GoogleAuthError):
        return ours.ConnectionFailed(_first_line(str(error)) or type(error).__name__)
    if not isinstance(error, GoogleAPICallError):
        return None
    reason, detail = _reason(error), _first_line(error.message or "")
    kind, name = _classify(reason, detail)
    if kind is None:
        kind = ours.ConnectionFailed if (error.code or 0) >= 500 else ours.OtherDatabaseError
    return kind(
        detail, code=reason or str(error.code or ""), identifiers=name, position=_position(detail, sql)
    )


def connection_error(error: Exception) -> DatabaseError:
    """Translate an error while creating a client: no credentials, or an invalid key file."""
    return ours.ConnectionFailed(_first_line(str(error)), key="database.login", code=type(error).__name__)


def _classify(reason: str, detail: str) -> tuple[type[DatabaseError] | None, tuple[str, ...]]:
    if reason in _BY_REASON:
        match = _MISSING.search(detail)
        return _BY_REASON[reason], (re.split(r"[.:]", match["name"])[-1],) if match else ()
    for pattern, kind in _BY_TEXT:
        match = re.search(pattern, detail)
        if match:
            name_match = _AMBIGUOUS.search(detail) if kind is ours.AmbiguousColumn else match
            name = name_match.groupdict().get("name") if name_match else None
            return kind, (name.strip("`"),) if name else ()
    return (ours.SqlSyntaxError, ()) if reason in ("invalidQuery", "invalid") else (None, ())


def _reason(error: GoogleAPICallError) -> str:
    first: Any = next(iter(error.errors or ()), {})
    return str(first.get("reason", "")) if isinstance(first, dict) else ""


def _position(detail: str, sql: str) -> int | None:
    match = _LOCATION.search(detail)
    return position_in(sql, int(match[1]), int(match[2])) if match else None


def _first_line(text: str) -> str:
    """Remove the method and URL that the client puts before the service's message."""
    line = (text.strip().splitlines() or [""])[0]
    return re.sub(r"^(?:GET|POST) https?://\S+ ", "", line)
