"""Every engine through one suite."""

from collections.abc import Iterator

import pytest

from contract.engine_databases import EngineDatabase
from contract.making import ENGINE_PARAMS, engine_database
from contract.write_tables import shelf_in
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.database.dialects import GAPS, Gap


@pytest.fixture(scope="session", params=ENGINE_PARAMS)
def engine_db(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EngineDatabase]:
    with engine_database(request.param, tmp_path_factory) as made:
        yield made


@pytest.fixture
def db(engine_db: EngineDatabase) -> Iterator[Database]:
    with open_database(engine_db.url, Settings(time_limit=20.0)) as database:
        yield database


@pytest.fixture
def shelf(engine_db: EngineDatabase) -> Iterator[EngineDatabase]:
    """Separate tables for the tests of writes, which the account may change; the others stay read-only."""
    if "writes" in engine_db.facts.gaps:
        pytest.skip(f"{engine_db.facts.product}: {GAPS['writes']}")
    with shelf_in(engine_db) as created:
        yield created


@pytest.fixture
def unless_gap(engine_db: EngineDatabase, request: pytest.FixtureRequest) -> None:
    """`@pytest.mark.needs("comments")` skips a test only if the engine's facts declare that gap."""
    for mark in request.node.iter_markers("needs"):
        gap: Gap = mark.args[0]
        if gap in engine_db.facts.gaps:
            pytest.skip(f"{engine_db.facts.product}: {GAPS[gap]}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("needs") and isinstance(item, pytest.Function):
            item.fixturenames.append("unless_gap")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(gap): skipped where the engine's facts declare the gap")
