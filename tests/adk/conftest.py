"""ADK conflicts with the versions in `requirements.lock`: its tests run in a separate environment, which
`test_environment.py` creates and starts; elsewhere they are skipped.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from agents.asking import make_shop

collect_ignore = (
    ["test_agents.py", "test_commands.py", "test_models.py"]
    if find_spec("google.adk") is None
    else ["test_environment.py"]
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.db")
