"""A small shop database, a scripted model, and an app over both."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.types import ModelProfile

SHOP = """
CREATE TABLE cities (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL);
CREATE TABLE customers (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, city_id INTEGER NOT NULL REFERENCES cities(id), level TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), total REAL NOT NULL,
  ordered_on DATE NOT NULL, status TEXT NOT NULL);
INSERT INTO cities VALUES (1, '上海', 'China'), (2, 'Oslo', 'Norway'), (3, 'Berlin', 'Germany');
INSERT INTO customers VALUES (1, 'Ann', 2, 'gold'), (2, '王芳', 1, 'silver'), (3, 'Bo', 2, NULL);
INSERT INTO orders VALUES
  (1, 1, 10.5, '2025-01-03', 'paid'), (2, 1, 20.0, '2025-02-03', 'paid'), (3, 2, 7.25, '2025-02-09', 'open');
"""
# Like the embedded model: a grammar, several candidates, no structured output, one call at a time.
EMBEDDED = ModelProfile(
    context=16_384,
    location="local",
    size="small",
    grammar=True,
    candidates=True,
    logprobs=True,
    concurrent=False,
)
HOSTED = ModelProfile(context=128_000, structured_output=True, tool_calls=True)


def make_shop(path: Path, script: str = SHOP) -> Path:
    with closing(sqlite3.connect(path)) as shop:
        shop.executescript(script)
    return path


def rows_of(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as shop:
        return shop.execute(sql).fetchall()


def change(path: Path, script: str) -> None:
    make_shop(path, script)


def scripted(lines: Iterable[Any], **facts: Any) -> ScriptedBackend:
    return ScriptedBackend(lines, profile=facts.pop("can", EMBEDDED), **facts)


def app(path: Path, backend: ScriptedBackend, **settings: Any) -> AsyncText2SQL:
    app_settings = Settings(**{"memory": "none", "requests_per_minute": 0, "analytic": False, **settings})
    return AsyncText2SQL(str(path), settings=app_settings, model=AsyncChatModel([backend], app_settings))
