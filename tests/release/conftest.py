"""What `make dist` has built, installed where nothing else is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs_text import ROOT
from pythons import uv


@pytest.fixture(scope="session")
def wheel() -> Path:
    wheels = sorted((ROOT / "dist").glob("*.whl"))
    if not wheels:
        pytest.skip("there is no wheel in dist/: run `make dist`")
    assert len(wheels) == 1, wheels
    return wheels[0]


class Environment:
    """A virtual environment with one wheel, in the versions of the lock file."""

    def __init__(self, folder: Path, wheel: Path, extras: str = "") -> None:
        self.bin, self.folder = folder / "venv" / "bin", folder
        tool, folder_name, lock = str(uv()), str(folder / "venv"), str(ROOT / "requirements.lock")
        requirement = f"{wheel}[{extras}]" if extras else str(wheel)
        subprocess.run([tool, "venv", "--quiet", "--python", sys.executable, folder_name], check=True)
        install = [
            tool,
            "pip",
            "install",
            "--quiet",
            "--python",
            folder_name,
            "--constraints",
            lock,
            requirement,
        ]
        subprocess.run(install, check=True)

    def run(self, *words: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        """`text2sql WORDS` as a user would run it: nothing of this checkout is on its path."""
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        data = {
            "TEXT2SQL_DATA_DIR": str(self.folder / "data"),
            "TEXT2SQL_CACHE_DIR": str(self.folder / "cache"),
        }
        return subprocess.run(
            [self.bin / "text2sql", *words], cwd=self.folder, capture_output=True, text=True, timeout=60,
            check=False, env={**environment, "LANG": "C.UTF-8", "TEXT2SQL_LANG": "en", **data, **settings},
        )  # fmt: skip


@pytest.fixture(scope="session")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Without extras."""
    return Environment(tmp_path_factory.mktemp("plain"), wheel)


@pytest.fixture(scope="session")
def hosted(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """With what a hosted model needs."""
    return Environment(tmp_path_factory.mktemp("hosted"), wheel, "openai")
