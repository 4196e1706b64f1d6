"""Separate servers: these tests kill, restart, fill and attack them."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from servers import Mariadb, Postgres, Unavailable, mariadb, postgres


@contextmanager
def or_missing() -> Iterator[None]:
    """Skip if a server is not available; in CI that is a failure."""
    try:
        yield
    except Unavailable as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"NOT TESTED: {error}")
        pytest.skip(f"NOT TESTED: {error}")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    with or_missing(), postgres({"max_connections": "60"}) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[Mariadb]:
    with or_missing(), mariadb() as server:
        yield server


@pytest.fixture
def fresh_postgres() -> Iterator[Callable[..., AbstractContextManager[Postgres]]]:
    with or_missing():
        yield postgres


@pytest.fixture
def fresh_mariadb() -> Iterator[Callable[..., AbstractContextManager[Mariadb]]]:
    with or_missing():
        yield mariadb


@pytest.fixture
def later() -> Iterator[Callable[[float, Callable[[], object]], None]]:
    """`later(0.3, act)` calls `act` in another thread; the test waits for it at its end."""
    threads: list[threading.Thread] = []

    def start(seconds: float, act: Callable[[], object]) -> None:
        def work() -> None:
            time.sleep(seconds)
            act()

        threads.append(threading.Thread(target=work))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()
