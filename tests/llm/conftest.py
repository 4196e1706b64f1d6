"""Fixtures: the scripted endpoint, and isolation from the network and the developer's keys."""

from collections.abc import Iterator

import pytest

from llm.asking import isolated
from text2sql.testing.endpoint import Endpoint, endpoint


@pytest.fixture(autouse=True)
def _isolated() -> Iterator[None]:
    with isolated():
        yield


@pytest.fixture(scope="session")
def server() -> Iterator[Endpoint]:
    import langchain_openai  # noqa: F401 -- four seconds that are no test's

    with endpoint() as running:
        yield running
