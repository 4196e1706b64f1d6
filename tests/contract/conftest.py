"""Every engine through one suite. A server that is missing is said loudly, and in CI it is a failure."""

import os
from collections.abc import Iterator

import pytest

from contract.making import NO_SERVER_HERE, PLACES, URL_VARIABLES
from contract.places import Place
from contract.shelf import shelf_in
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.database.dialects import GAPS, Gap


@pytest.fixture(scope="session", params=list(PLACES))
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    name: str = request.param
    variable = URL_VARIABLES.get(name)
    if variable and not os.environ.get(variable):
        missing = f"NOT TESTED: {variable} is not set; run `python tests/servers.py -- pytest`"
        if os.environ.get("CI") == "true" and name not in NO_SERVER_HERE:
            pytest.fail(missing)
        pytest.skip(missing)
    with PLACES[name](tmp_path_factory.mktemp(name)) as made:
        yield made


@pytest.fixture
def db(place: Place) -> Iterator[Database]:
    with open_database(place.url, Settings(time_limit=20.0)) as database:
        yield database


@pytest.fixture
def shelf(place: Place) -> Iterator[Place]:
    """Tables of the writing tests' own, which the account may change; the others stay closed to it."""
    if "writes" in place.facts.gaps:
        pytest.skip(f"{place.facts.product}: {GAPS['writes']}")
    with shelf_in(place) as made:
        yield made


@pytest.fixture
def unless_gap(place: Place, request: pytest.FixtureRequest) -> None:
    """`@pytest.mark.needs("comments")` skips where the engine's facts declare that gap, and only there."""
    for mark in request.node.iter_markers("needs"):
        gap: Gap = mark.args[0]
        if gap in place.facts.gaps:
            pytest.skip(f"{place.facts.product}: {GAPS[gap]}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("needs") and isinstance(item, pytest.Function):
            item.fixturenames.append("unless_gap")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(gap): skipped where the engine's facts declare the gap")
