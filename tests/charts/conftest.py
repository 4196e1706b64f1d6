"""Charts need a font with Chinese characters; on a bare machine it is installed like the database servers."""

import os
import shutil
import subprocess
import sys

import pytest

from text2sql.charts import has_glyphs_for

PACKAGE = "fonts-noto-cjk"


@pytest.fixture(scope="session")
def chinese_font() -> None:
    """A Chinese font, installed with apt-get if allowed. Elsewhere its tests skip, or fail where CI=true.

    The question is put to a new process: the renderer reads the system's fonts once.
    """
    if has_glyphs_for("中国图"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", PACKAGE]
        for attempt in (install, ["apt-get", "update", "-qq"], install):
            subprocess.run(attempt, env=quiet, stdout=sys.stderr, check=False)
        asked = "from text2sql.charts import can_write; raise SystemExit(not can_write('中国图'))"
        if subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0:
            if has_glyphs_for("中国图"):
                return
            pytest.skip(f"{PACKAGE} is installed now; the next run has it")
    message = f"no font with Chinese letters is here: apt-get install {PACKAGE}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
