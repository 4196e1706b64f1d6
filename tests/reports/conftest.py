"""The demo shop, shared by all tests, and a copy for tests that change it."""

import shutil
from pathlib import Path

import pytest

from text2sql.database.demo import build_demo


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("demo") / "shop.db")


@pytest.fixture
def shop(demo: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo, tmp_path / "shop.db"))
