"""The exception hierarchy. The second column is the value of `retry`.

    Text2SQLError
    ├── UsageError                           invalid input: an option, a path, a policy file (exit code 2)
    ├── MissingDriver                        a driver package is not installed
    ├── ChartError                           a chart image could not be rendered; the answer is complete
    ├── CannotCompile                        an analytic query that cannot be written as SQL
    │   └── AmbiguousPath                    two tables are related in several ways, none of which is named
    ├── ModelError                           client errors, translated in `llm/`
    │   ├── ModelUnavailable       again     unreachable, HTTP 5xx, or the process died
    │   ├── RateLimited            again     `retry_after` holds the server's delay, if it sent one
    │   ├── ModelTimeout           again     no first token, a long pause, or the deadline
    │   ├── BadReply               again     empty, truncated, malformed or endless
    │   ├── PromptTooLong          rewrite
    │   ├── ModelRefused           never     the model or a content filter refuses to answer
    │   ├── ModelNotAllowed        never     missing or invalid API key, unknown model
    │   └── ModelFileError         never     the embedded model's file: missing, damaged, or the disk is full
    ├── StoreError                           the memory's file or server; translated in `memory/`
    │   ├── StoreUnavailable       again     unreachable, locked for too long, or not writable
    │   ├── StoreFull              never     the disk is full; existing records stay readable
    │   ├── StoreDamaged           never     the file is corrupt
    │   ├── StoreForeign           never     the file belongs to another program
    │   └── StoreNewer             never     a newer version of text2sql wrote it
    └── DatabaseError                        driver errors, translated in `database/`, with `__cause__`
        ├── SqlSyntaxError         rewrite
        ├── UnknownTable           rewrite
        ├── UnknownColumn          rewrite
        ├── AmbiguousColumn        rewrite
        ├── TypeMismatch           rewrite
        ├── QueryTimeout           rewrite   the statement was canceled on the server
        ├── ResourceExhausted      rewrite   memory, disk, or a result or cell that is too large
        ├── ConnectionFailed       again
        ├── LockConflict           again     lock timeout, deadlock or serialization failure
        ├── PoolExhausted          again     no connection became free in time
        ├── PermissionDenied       never
        ├── Forbidden              never     the engine's own read-only mode refused the statement
        ├── QueryCancelled         never     `cancel` was called
        ├── ConstraintViolated     never     a key, a check or a trigger of the database rejects the write
        └── OtherDatabaseError     never

`retry` says what may succeed: `again` (the same query), `rewrite` (a different query) or `never`.

Errors carry facts and no sentences: `i18n` renders them in the user's language, and repair prompts are
built from their fields.
"""

from typing import ClassVar, Literal

Retry = Literal["again", "rewrite", "never"]


class Text2SQLError(Exception):
    """Base class. `key` names the message in `i18n/messages.toml` and `facts` fill its placeholders.

    Facts must never contain secrets.
    """

    key: ClassVar[str] = "error"

    def __init__(self, key: str = "", **facts: object) -> None:
        self.message_key = key or self.key
        self.facts = facts
        super().__init__(self.message_key, facts)

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={value}" for name, value in self.facts.items())
        return f"{self.message_key}: {facts}" if facts else self.message_key


class UsageError(Text2SQLError):
    """Invalid input: an option, a setting, a path, a policy file."""

    key = "usage"


class MissingDriver(Text2SQLError):
    """A driver package is not installed: `MissingDriver(database="PostgreSQL", extra="postgres")`."""

    key = "missing_driver"


class ChartError(Text2SQLError):
    """A chart could not be rendered: `ChartError(detail="the renderer died")`."""

    key = "chart.failed"


class CannotCompile(Text2SQLError):
    """An analytic query cannot be written as SQL: `CannotCompile("no_path", table="films", to="stores")`.

    `reason` is the second part of the message key.
    """

    key = "compile.unsupported"

    def __init__(self, reason: str, **facts: object) -> None:
        super().__init__(f"compile.{reason}", **facts)
        self.reason = reason


class AmbiguousPath(CannotCompile):
    """Two tables are related by several equally short paths. Each path is a tuple of step names: the role of
    a relation, or the table that it leads to. One of them in front of a dimension decides:
    `origin>airports.name`.
    """

    def __init__(self, table: str, to: str, paths: tuple[tuple[str, ...], ...]) -> None:
        shown = " | ".join(" > ".join(path) for path in paths)
        super().__init__("ambiguous_path", table=table, to=to, paths=shown)
        self.paths = paths


class ModelError(Text2SQLError):
    """A model call failed: `ModelUnavailable("openai:gpt-x", "connection refused")`.

    `detail` must never contain API keys or prompts.
    """

    kind: ClassVar[str] = "unavailable"
    retry: ClassVar[Retry] = "never"

    def __init__(
        self, model: str, detail: str, *, key: str = "", retry_after: float | None = None, **facts: object
    ) -> None:
        super().__init__(key or f"model.{self.kind}", model=model, detail=detail, **facts)
        self.model = model
        self.detail = detail
        self.retry_after = retry_after  # seconds


class ModelUnavailable(ModelError):
    kind, retry = "unavailable", "again"


class RateLimited(ModelError):
    kind, retry = "rate_limited", "again"


class ModelTimeout(ModelError):
    kind, retry = "timeout", "again"


class BadReply(ModelError):
    kind, retry = "bad_reply", "again"


class PromptTooLong(ModelError):
    kind, retry = "too_long", "rewrite"


class ModelRefused(ModelError):
    kind, retry = "refused", "never"


class ModelNotAllowed(ModelError):
    kind, retry = "not_allowed", "never"


class ModelFileError(ModelError):
    kind, retry = "file", "never"


class StoreError(Text2SQLError):
    """The memory cannot be used: `StoreFull("/home/a/memory.db", "database or disk is full")`.

    The store is never deleted or recreated because of an error.
    """

    kind: ClassVar[str] = "unavailable"
    retry: ClassVar[Retry] = "never"

    def __init__(self, place: str, detail: str, *, key: str = "", **facts: object) -> None:
        super().__init__(key or f"store.{self.kind}", place=place, detail=detail, **facts)
        self.place = place  # the file, or host and database, without a password
        self.detail = detail


class StoreUnavailable(StoreError):
    kind, retry = "unavailable", "again"


class StoreFull(StoreError):
    kind, retry = "full", "never"


class StoreDamaged(StoreError):
    kind, retry = "damaged", "never"


class StoreForeign(StoreError):
    kind, retry = "foreign", "never"


class StoreNewer(StoreError):
    kind, retry = "newer", "never"


class DatabaseError(Text2SQLError):
    """A query or a connection failed."""

    kind: ClassVar[str] = "other"
    retry: ClassVar[Retry] = "never"

    def __init__(
        self,
        detail: str,
        *,
        key: str = "",
        code: str = "",
        position: int | None = None,
        identifiers: tuple[str, ...] = (),
        **facts: object,
    ) -> None:
        super().__init__(key or f"database.{self.kind}", detail=detail, **facts)
        self.detail = detail  # first line of the engine's message, without the connection string
        self.code = code  # SQLSTATE, or the driver's own error number or name
        self.position = position  # 1-based character offset in the SQL that was sent
        self.identifiers = identifiers  # the table or column names that the engine reports


class SqlSyntaxError(DatabaseError):
    kind, retry = "syntax", "rewrite"


class UnknownTable(DatabaseError):
    kind, retry = "unknown_table", "rewrite"


class UnknownColumn(DatabaseError):
    kind, retry = "unknown_column", "rewrite"


class AmbiguousColumn(DatabaseError):
    kind, retry = "ambiguous_column", "rewrite"


class TypeMismatch(DatabaseError):
    kind, retry = "type", "rewrite"


class QueryTimeout(DatabaseError):
    kind, retry = "timeout", "rewrite"


class ResourceExhausted(DatabaseError):
    kind, retry = "resource", "rewrite"


class ConnectionFailed(DatabaseError):
    kind, retry = "connection", "again"


class LockConflict(DatabaseError):
    kind, retry = "lock", "again"


class PoolExhausted(DatabaseError):
    kind, retry = "busy", "again"


class PermissionDenied(DatabaseError):
    kind, retry = "permission", "never"


class Forbidden(DatabaseError):
    kind, retry = "forbidden", "never"


class QueryCancelled(DatabaseError):
    kind, retry = "cancelled", "never"


class ConstraintViolated(DatabaseError):
    kind, retry = "constraint", "never"


class OtherDatabaseError(DatabaseError):
    kind, retry = "other", "never"
