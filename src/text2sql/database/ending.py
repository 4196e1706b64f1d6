"""How the end of a request is told: by whoever stopped it, else by the engine's error in our words."""

from text2sql.database.cancellation import Why
from text2sql.database.engine import Engine
from text2sql.errors import DatabaseError, QueryCancelled, QueryTimeout


def in_our_words(
    error: Exception, engine: Engine, sql: str, *, why: Why, seconds: float, limit: float
) -> DatabaseError | None:
    """None for an error that is neither the driver's nor ours."""
    if why:
        return stopped(why, limit)
    ours = error if isinstance(error, DatabaseError) else engine.translate(error, sql)
    if isinstance(ours, QueryTimeout) or (isinstance(ours, QueryCancelled) and seconds >= limit):
        return stopped("timeout", limit, ours)
    return ours


def stopped(why: Why, limit: float, cause: DatabaseError | None = None) -> DatabaseError:
    if why == "cancelled":
        return QueryCancelled("cancelled on request")
    detail = cause.detail if cause else "stopped at its time limit"
    return QueryTimeout(detail, code=cause.code if cause else "", seconds=limit)
