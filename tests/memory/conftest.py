"""Runs every test of the memory on each kind of storage. A missing PostgreSQL is reported in the skip reason;
in CI it is a failure.
"""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from text2sql.config import Settings

URL_VARIABLE = "TEXT2SQL_TEST_POSTGRES_URL"


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """A separate database, dropped after the test."""
    url = os.environ.get(URL_VARIABLE)
    if not url:
        missing = f"NOT TESTED: {URL_VARIABLE} is not set; run `python tests/servers.py -- pytest`"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    import psycopg

    name = f"memory_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        yield urlsplit(url)._replace(path=f"/{name}").geturl()
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(params=["none", "sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    return _at(request.param, request, tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Storage that survives its process."""
    return _at(request.param, request, tmp_path)


def _at(storage: str, request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    if storage == "postgres":
        return Settings(memory=request.getfixturevalue("postgres_url"))
    return Settings(memory="none" if storage == "none" else str(tmp_path / "memory.db"))
