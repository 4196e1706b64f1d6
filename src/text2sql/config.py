"""Every setting: name, default, help and environment variable, read once.

A setting's variable is its name in capitals after `TEXT2SQL_`: `pool_size` is `TEXT2SQL_POOL_SIZE`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from text2sql.errors import UsageError
from text2sql.types import Limits


def setting(default: Any, help_text: str) -> Any:
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True, slots=True)
class Settings:
    db: str = setting("", "the database to ask: a URL, or the path of a SQLite, DuckDB, CSV or Parquet file")
    lang: str = setting("", "language of messages, zh or en; empty follows the system's locale")
    row_limit: int = setting(1_000, "rows a query may return")
    byte_limit: int = setting(16_000_000, "bytes a result may take")
    cell_byte_limit: int = setting(64_000, "bytes one cell may take before it is cut")
    time_limit: float = setting(30.0, "seconds a query may run")
    pool_size: int = setting(20, "connections kept open to a database")
    pool_overflow: int = setting(10, "connections more than that when it is busy")
    pool_wait: float = setting(30.0, "seconds to wait for a free connection")
    pool_recycle: float = setting(3600.0, "seconds after which a connection is replaced")
    connect_timeout: float = setting(10.0, "seconds to wait for a server to accept a connection")

    @property
    def limits(self) -> Limits:
        return Limits(self.row_limit, self.byte_limit, self.cell_byte_limit, self.time_limit)


def variable(name: str) -> str:
    return f"TEXT2SQL_{name.upper()}"


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Settings as the environment gives them; a value of the wrong kind is an error that names it."""
    given: dict[str, Any] = {}
    for one in fields(Settings):
        text = environment.get(variable(one.name), "").strip()
        if not text:
            continue
        kind: type[str] | type[int] | type[float] = type(one.default)  # type: ignore[assignment]
        try:
            given[one.name] = kind(text)
        except ValueError as error:
            raise UsageError(
                "usage.setting", name=variable(one.name), value=text, kind=kind.__name__
            ) from error
        if kind is not str and given[one.name] <= 0:
            raise UsageError("usage.setting_positive", name=variable(one.name), value=text)
    return Settings(**given)
