"""`make demo` does what it shows, the same every time."""

import re
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "benchmarks" / "demo.py"


def test_the_demo_runs_and_two_runs_show_the_same() -> None:
    first, second = _shown(), _shown()
    assert first == second
    assert first.count("✗") == 6
    assert "read-only wall refused" in first
    assert "只读防护拒绝" in first


def _shown() -> str:
    done = subprocess.run([sys.executable, DEMO], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return re.sub(r"[\d.]+ ms", "ms", done.stdout.decode())
