"""Run the CLI in tests: in this process for speed, or as the real console script."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from text2sql.cli import main

SCRIPT = Path(sys.executable).with_name("text2sql")


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def run(*words: str, stdin: bytes = b"", env: Mapping[str, str | None] | None = None) -> Ended:
    """`text2sql WORDS`, with its own standard streams. The language is English by default."""
    clean = {"TEXT2SQL_LANG": None, "TEXT2SQL_DB": None, "LC_ALL": None, "LC_MESSAGES": None, "LANG": None}
    runner = CliRunner()
    with runner.isolation(input=stdin, env={**clean, **(env or {})}) as (out, err, _):
        code = main(list(words))
    return Ended(code, out.getvalue().decode(), err.getvalue().decode())


def run_script(*words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ended:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
    done = subprocess.run(
        [SCRIPT, *words],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
        env={**environment, **(env or {})},
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
