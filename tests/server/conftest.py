from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.asking import make_shop
from memory.conftest import postgres_url  # noqa: F401 a fixture
from text2sql.memory import queue


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.db")


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A memory that servers share, with and without a queue."""
    monkeypatch.setattr(queue, "_AGAIN", 0)
    if request.param == "sqlite":
        yield str(tmp_path / "memory.db")
    else:
        yield request.getfixturevalue("postgres_url")
