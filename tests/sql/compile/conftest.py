"""The star schema on every engine, filled once per session."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from contract.engine_databases import EngineDatabase
from contract.making import engine_database
from sql.compile import star
from text2sql.config import Settings
from text2sql.database import Database, open_database

# Those that need a server are slow: the quick tests run without one.
ENGINES = (
    "sqlite",
    "duckdb",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("postgres", "mysql", "clickhouse")),
)


@dataclass(frozen=True)
class StarDatabase:
    dialect: str
    database: Database


def fill_star(engine_db: EngineDatabase) -> EngineDatabase:
    for statement in star.statements(engine_db.dialect):
        engine_db.admin(statement)
    return engine_db


@pytest.fixture(scope="session", params=ENGINES)
def star_db(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StarDatabase]:
    with (
        engine_database(request.param, tmp_path_factory, fill_star) as made,
        open_database(made.url, Settings(time_limit=30.0)) as database,
    ):
        yield StarDatabase(request.param, database)


@pytest.fixture(scope="session")
def sqlite_star(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StarDatabase]:
    """Where the hand-written references run."""
    with (
        engine_database("sqlite", tmp_path_factory, fill_star) as made,
        open_database(made.url, Settings(time_limit=30.0)) as database,
    ):
        yield StarDatabase("sqlite", database)
