"""Twins on every engine. A missing server skips the tests with a notice; in CI it fails them."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from contract.making import URL_VARIABLES
from noninterference.twins import ENGINES, WORLDS, Twins, World, open_all


@pytest.fixture(scope="module", params=ENGINES)
def worlds(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[World, Twins]]:
    engine: str = request.param
    variable = URL_VARIABLES.get(engine)
    if variable and not os.environ.get(variable):
        missing = f"NOT TESTED: {variable} is not set; run `python tests/servers.py -- pytest`"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with ExitStack() as stack:
        opened = open_all(engine, WORLDS, tmp_path_factory.mktemp("twins") / engine, stack)
        yield {twins.world: twins for twins in opened}
