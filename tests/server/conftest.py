from pathlib import Path

import pytest

from agents.asking import make_shop


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.db")
