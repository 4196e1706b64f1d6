"""The child process of one session: it answers its owner's messages within a memory limit."""

import os
import pickle
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME, FACTS, load_engine
from text2sql.database.engine import Engine
from text2sql.database.source import Source
from text2sql.errors import (
    DatabaseError,
    MissingDriver,
    OtherDatabaseError,
    ResourceExhausted,
    Text2SQLError,
    UsageError,
)

MESSAGE_BYTES = 64_000_000  # maximum of one batch of rows
_STATEMENTS = ("execute", "explain")  # methods whose first argument is SQL
_CELL_BYTES = 1_000_000  # results never show more of a cell, so no more is sent


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The arguments for opening a session."""

    source: Source
    settings: Settings
    scratch: str  # a directory; the owner removes it


class DriverError(Exception):
    """An error that a driver raised in the child process."""


@dataclass(frozen=True, slots=True)
class SerializedError:
    """A `DatabaseError` in a form that can be pickled."""

    kind: type[DatabaseError]
    detail: str
    key: str
    code: str
    position: int | None
    identifiers: tuple[str, ...]
    facts: dict[str, object]
    cause: str  # the driver's error

    def error(self) -> DatabaseError:
        error = self.kind(
            self.detail,
            key=self.key,
            code=self.code,
            position=self.position,
            identifiers=self.identifiers,
            **self.facts,
        )
        error.__cause__ = DriverError(self.cause) if self.cause else None
        return error


@dataclass(frozen=True, slots=True)
class SerializedUsageError:
    """An error of a file's contents, or of an installation, in a form that can be pickled."""

    kind: type[Text2SQLError]
    key: str
    facts: dict[str, object]

    def error(self) -> Text2SQLError:
        return self.kind(self.key, **self.facts)


def preload(number: int) -> None:
    """Import an engine's driver once, before its processes are forked."""
    with suppress(ImportError):  # opening the session will report it
        import_module(FACTS[number].engine.partition(":")[0])


def serve(number: int) -> NoReturn:
    """Never returns: the host's loop must not continue in the forked copy."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with Connection(number) as connection:
            _Worker(connection).run()
    except (EOFError, OSError):  # the owner is gone
        pass
    finally:
        os._exit(0)


class _Worker:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._engine: Engine | None = None
        self._session: Any = None
        self._batches: Iterator[list[tuple[Any, ...]]] = iter(())
        self._cell_bytes = _CELL_BYTES

    def run(self) -> None:
        while True:
            name, arguments = self._connection.recv()
            try:
                method = getattr(self, f"_{name}", None) or getattr(self._session, name)
                message = _message(method(*arguments))
            except Exception as error:  # noqa: BLE001 every error is sent to the owner
                message = _message(self._serialize_error(error, arguments[0] if name in _STATEMENTS else ""))
            self._connection.send_bytes(message)
            if name == "close":
                return

    def _open(self, spec: SessionSpec) -> int:
        self._load(spec)
        self._session = self._loaded.connect()
        return os.getpid()

    def _load(self, spec: SessionSpec) -> int:
        limit = spec.settings.engine_memory * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        self._cell_bytes = max(spec.settings.cell_byte_limit, _CELL_BYTES)
        self._engine = load_engine(BY_NAME[spec.source.dialect], spec.source, spec.settings)
        use_scratch = getattr(self._engine, "use_scratch", None)
        if use_scratch is not None:
            use_scratch(spec.scratch)
        return os.getpid()

    def _convert(self) -> Path:
        convert: Callable[[], Path] = getattr(self._loaded, "convert")  # noqa: B009 only DuckDB has it
        return convert()

    @property
    def _loaded(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("no engine was loaded")
        return self._engine

    def _execute(self, sql: str, rows: int) -> Any:
        result = self._session.execute(sql, rows)
        self._batches = result.batches
        return result.columns

    def _next(self) -> bytes | None:
        batch = next(self._batches, None)
        if batch is None:
            return None
        message = pickle.dumps(batch, pickle.HIGHEST_PROTOCOL)
        # If the whole message is short, no cell can be too long.
        return message if len(message) <= self._cell_bytes else _message(self._cut_cells(batch))

    def _stop(self) -> None:
        batches, self._batches = self._batches, iter(())
        close = getattr(batches, "close", None)
        if close is not None:
            close()

    def _cut_cells(self, batch: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        limit = self._cell_bytes + 1  # one more, so that the owner notices the cut
        return [
            tuple(cell[:limit] if isinstance(cell, str | bytes) else cell for cell in row) for row in batch
        ]

    def _serialize_error(self, error: Exception, sql: str) -> SerializedError | SerializedUsageError:
        if isinstance(error, UsageError | MissingDriver):
            return SerializedUsageError(type(error), error.message_key, dict(error.facts))
        if isinstance(error, MemoryError):
            translated: DatabaseError | None = ResourceExhausted("out of memory", code="memory")
        elif isinstance(error, DatabaseError) or self._engine is None:
            translated = error if isinstance(error, DatabaseError) else None
        else:
            translated = self._engine.translate(error, sql)
        if translated is None:
            translated = OtherDatabaseError(f"{type(error).__name__}: {error}"[:500])
        facts = {name: value for name, value in translated.facts.items() if name != "detail"}
        cause = translated.__cause__ if translated is error else error
        return SerializedError(
            kind=type(translated),
            detail=translated.detail,
            key=translated.message_key,
            code=translated.code,
            position=translated.position,
            identifiers=translated.identifiers,
            facts=facts,
            cause=f"{type(cause).__name__}: {cause}"[:2_000] if cause else "",
        )


def _message(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    message = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    if len(message) > MESSAGE_BYTES:
        raise ResourceExhausted(f"rows of more than {MESSAGE_BYTES:,} bytes", code="row_bytes")
    return message
