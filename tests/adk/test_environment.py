"""Runs the ADK tests in an environment with ADK; and the error message without it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pythons import ROOT
from servers import Unavailable, environment

EXPECTED = 'The ADK agents need a package that is not installed. Install it: pip install "text2sql-kit[adk]"'


@pytest.fixture(scope="module")
def python() -> Path:
    """If ADK cannot be installed, its tests are skipped, or fail under CI=true."""
    try:
        return environment("adk", sys.executable, over=True)
    except Unavailable as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@pytest.mark.slow
def test_the_agents_pass_their_tests_where_adk_is_installed(python: Path) -> None:
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", "tests/adk"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]


def test_importing_without_the_extra_says_so_in_one_line() -> None:
    with pytest.raises(ImportError) as caught:
        import text2sql.adk  # noqa: F401
    assert str(caught.value) == EXPECTED


def test_nothing_else_imports_adk() -> None:
    program = (
        "import sys, text2sql, text2sql.client.async_client, text2sql.cli; print('google.adk' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
