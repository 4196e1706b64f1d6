"""Small slices for the file's tests; the real model for those that need it."""

from pathlib import Path

import pytest

from llm.embedded.slices import install_slices
from real_model import real, real_file, real_settings

__all__ = ["real", "real_file", "real_settings", "site"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    install_slices(folder)
    monkeypatch.syspath_prepend(str(folder))
    return folder
