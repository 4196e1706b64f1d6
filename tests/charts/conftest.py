"""Charts need a font with Chinese characters; on a bare machine it is installed like the database servers."""

import os

import pytest

import servers
from text2sql.charts import has_glyphs_for


@pytest.fixture(scope="session")
def chinese_font() -> None:
    """A Chinese font. Where it cannot be installed the tests skip, or fail where CI=true."""
    try:
        servers.chinese_font()
        # Installed after the renderer had read the system's fonts? `tests/servers.py` installs it before.
        problem = "" if has_glyphs_for("中国图") else "the renderer does not see the font: run it again"
    except servers.Unavailable as error:
        problem = str(error)
    if problem and os.environ.get("CI") == "true":
        pytest.fail(problem)
    if problem:
        pytest.skip(problem)
