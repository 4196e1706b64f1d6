"""Chooses the error with which a request ends: why it was stopped, else the translated engine error."""

from text2sql.database.cancellation import StopReason
from text2sql.database.engine import Engine
from text2sql.errors import DatabaseError, QueryCancelled, QueryTimeout


def translate_stop_or_error(
    error: Exception, engine: Engine, sql: str, *, reason: StopReason, seconds: float, limit: float
) -> DatabaseError | None:
    """Return None for an error that neither the driver nor this package raised."""
    if reason:
        return stop_error(reason, limit)
    translated = error if isinstance(error, DatabaseError) else engine.translate(error, sql)
    if isinstance(translated, QueryTimeout) or (isinstance(translated, QueryCancelled) and seconds >= limit):
        return stop_error("timeout", limit, translated)
    return translated


def stop_error(reason: StopReason, limit: float, cause: DatabaseError | None = None) -> DatabaseError:
    if reason == "cancelled":
        return QueryCancelled("cancelled on request")
    detail = cause.detail if cause else "stopped at its time limit"
    return QueryTimeout(detail, code=cause.code if cause else "", seconds=limit)
