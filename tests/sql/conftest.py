from pathlib import Path

import pytest

from text2sql.sql import read_policy
from text2sql.types import Policy


@pytest.fixture(scope="session")
def policy() -> Policy:
    return read_policy((Path(__file__).parent / "policy.json").read_text(encoding="utf-8"))
