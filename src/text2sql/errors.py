"""Every error a user or a room can meet.

    Text2SQLError
    ├── UsageError                 bad input: a flag, a path, a policy file (exit code 2)
    ├── MissingDriver              the driver's package is not installed
    ├── ChartError                 never     the picture of a chart could not be made; the answer is whole
    ├── ModelError                 which model, what happened; translated at the edge of `llm/`
    │   ├── ModelUnavailable       again     unreachable, 5xx, the process died
    │   ├── RateLimited            again     and `retry_after`, where the other side said it
    │   ├── ModelTimeout           again     no first token, a pause too long, or the deadline
    │   ├── BadReply               again     empty, cut off, malformed, endless
    │   ├── PromptTooLong          rewrite
    │   ├── ModelRefused           never     the model, or a filter before it, will not answer
    │   ├── ModelNotAllowed        never     a key that is missing or wrong, a model nobody knows
    │   └── ModelFileError         never     the embedded model's file: missing, damaged, no room for it
    ├── StoreError                 the memory's file or server; translated at the edge of `memory/`
    │   ├── StoreUnavailable       again     unreachable, locked for too long, not to be written
    │   ├── StoreFull              never     no room; what was kept before stays readable
    │   ├── StoreDamaged           never     the file's contents are broken
    │   ├── StoreForeign           never     the file is something else
    │   └── StoreNewer             never     a newer text2sql made it
    └── DatabaseError              translated once, at the edge of `database/`, with the cause kept
        ├── SqlSyntaxError         rewrite
        ├── UnknownTable           rewrite
        ├── UnknownColumn          rewrite
        ├── AmbiguousColumn        rewrite
        ├── TypeMismatch           rewrite
        ├── QueryTimeout           rewrite   the statement was stopped on the server
        ├── ResourceExhausted      rewrite   memory, disk, a result or a cell too large
        ├── ConnectionFailed       again
        ├── LockConflict           again     lock wait, deadlock, serialisation
        ├── PoolExhausted          again     nobody gave a connection back in time
        ├── PermissionDenied       never
        ├── Forbidden              never     the read-only wall of the engine itself held
        ├── QueryCancelled         never     somebody called `cancel`
        ├── ConstraintViolated     never     a write that a key, a check or a trigger of the database forbids
        └── OtherDatabaseError     never

`mend` says what can help: the same query `again`, a `rewrite` of it, or `never`. An error carries facts;
its sentence is made by `messages.py` in the reader's language, and a repair prompt is built from fields.
"""

from typing import ClassVar, Literal

Mend = Literal["again", "rewrite", "never"]


class Text2SQLError(Exception):
    """`key` names the sentence in `messages.toml`; `facts` fill its blanks. Secrets never enter facts."""

    key: ClassVar[str] = "error"

    def __init__(self, key: str = "", **facts: object) -> None:
        self.message_key = key or self.key
        self.facts = facts
        super().__init__(self.message_key, facts)

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.facts.items())
        return f"{self.message_key}: {told}" if told else self.message_key


class UsageError(Text2SQLError):
    key = "usage"


class MissingDriver(Text2SQLError):
    """`MissingDriver(database="PostgreSQL", extra="postgres")`"""

    key = "missing_driver"


class ChartError(Text2SQLError):
    """`ChartError(detail="the renderer died")`"""

    key = "chart.failed"


class ModelError(Text2SQLError):
    """`ModelUnavailable("openai:gpt-x", "connection refused")`. Keys and prompts never enter `detail`."""

    kind: ClassVar[str] = "unavailable"
    mend: ClassVar[Mend] = "never"

    def __init__(
        self, model: str, detail: str, *, key: str = "", retry_after: float | None = None, **facts: object
    ) -> None:
        super().__init__(key or f"model.{self.kind}", model=model, detail=detail, **facts)
        self.model = model
        self.detail = detail
        self.retry_after = retry_after  # seconds


class ModelUnavailable(ModelError):
    kind, mend = "unavailable", "again"


class RateLimited(ModelError):
    kind, mend = "rate_limited", "again"


class ModelTimeout(ModelError):
    kind, mend = "timeout", "again"


class BadReply(ModelError):
    kind, mend = "bad_reply", "again"


class PromptTooLong(ModelError):
    kind, mend = "too_long", "rewrite"


class ModelRefused(ModelError):
    kind, mend = "refused", "never"


class ModelNotAllowed(ModelError):
    kind, mend = "not_allowed", "never"


class ModelFileError(ModelError):
    kind, mend = "file", "never"


class StoreError(Text2SQLError):
    """`StoreFull("/home/a/memory.db", "database or disk is full")`. Nothing is ever reset because of one."""

    kind: ClassVar[str] = "unavailable"
    mend: ClassVar[Mend] = "never"

    def __init__(self, place: str, detail: str, *, key: str = "", **facts: object) -> None:
        super().__init__(key or f"store.{self.kind}", place=place, detail=detail, **facts)
        self.place = place  # the file, or host and database; never a password
        self.detail = detail


class StoreUnavailable(StoreError):
    kind, mend = "unavailable", "again"


class StoreFull(StoreError):
    kind, mend = "full", "never"


class StoreDamaged(StoreError):
    kind, mend = "damaged", "never"


class StoreForeign(StoreError):
    kind, mend = "foreign", "never"


class StoreNewer(StoreError):
    kind, mend = "newer", "never"


class DatabaseError(Text2SQLError):
    kind: ClassVar[str] = "other"
    mend: ClassVar[Mend] = "never"

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
        self.detail = detail  # the engine's own words, first line, no connection string
        self.code = code  # SQLSTATE, or the driver's number or name where there is none
        self.position = position  # 1-based character in the SQL that was sent
        self.identifiers = identifiers  # the names the engine complains about


class SqlSyntaxError(DatabaseError):
    kind, mend = "syntax", "rewrite"


class UnknownTable(DatabaseError):
    kind, mend = "unknown_table", "rewrite"


class UnknownColumn(DatabaseError):
    kind, mend = "unknown_column", "rewrite"


class AmbiguousColumn(DatabaseError):
    kind, mend = "ambiguous_column", "rewrite"


class TypeMismatch(DatabaseError):
    kind, mend = "type", "rewrite"


class QueryTimeout(DatabaseError):
    kind, mend = "timeout", "rewrite"


class ResourceExhausted(DatabaseError):
    kind, mend = "resource", "rewrite"


class ConnectionFailed(DatabaseError):
    kind, mend = "connection", "again"


class LockConflict(DatabaseError):
    kind, mend = "lock", "again"


class PoolExhausted(DatabaseError):
    kind, mend = "busy", "again"


class PermissionDenied(DatabaseError):
    kind, mend = "permission", "never"


class Forbidden(DatabaseError):
    kind, mend = "forbidden", "never"


class QueryCancelled(DatabaseError):
    kind, mend = "cancelled", "never"


class ConstraintViolated(DatabaseError):
    kind, mend = "constraint", "never"


class OtherDatabaseError(DatabaseError):
    kind, mend = "other", "never"
