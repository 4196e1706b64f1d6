"""The tests of what is sent to hosted models, with the packages of all providers."""

import os
import subprocess
import sys

import pytest

from pythons import ROOT
from servers import Unavailable, environment


def test_nothing_that_the_setting_forbids_reaches_any_provider() -> None:
    """Where the packages cannot be installed it skips, or fails where CI=true."""
    try:
        python = environment("providers", sys.executable, over=True)
    except Unavailable as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", "tests/providers"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
