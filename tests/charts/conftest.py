"""Pictures want a font with Chinese letters; a bare machine gets one the way it gets its database servers."""

import os
import shutil
import subprocess
import sys

import pytest

from text2sql.charts import can_write

PACKAGE = "fonts-noto-cjk"


@pytest.fixture(scope="session")
def chinese_font() -> None:
    """Installed by apt-get where that is allowed. Elsewhere its tests skip, or fail where CI=true.

    The question is put to a new process: the renderer reads the system's fonts once.
    """
    if can_write("中国图"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", PACKAGE]
        for attempt in (install, ["apt-get", "update", "-qq"], install):
            subprocess.run(attempt, env=quiet, stdout=sys.stderr, check=False)
        asked = "from text2sql.charts import can_write; raise SystemExit(not can_write('中国图'))"
        if subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0:
            if can_write("中国图"):
                return
            pytest.skip(f"{PACKAGE} is installed now; the next run has it")
    told = f"no font with Chinese letters is here: apt-get install {PACKAGE}"
    if os.environ.get("CI") == "true":
        pytest.fail(told)
    pytest.skip(told)
