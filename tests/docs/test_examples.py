"""What the READMEs show is what happens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs_text import blocks, read

# Commands that are run here; the others (make, pip) are what runs these tests.
RUN = ("text2sql ", "printf ", "echo ")


def examples(readme: str) -> list[tuple[str, str]]:
    """(command, what it shows) in order: a later one may need the file that an earlier one makes."""
    found: list[tuple[str, str]] = []
    for block in blocks(read(readme), "console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), ""))
            else:
                command, shown = found.pop()
                found.append((command, f"{shown}{line}\n"))
    return found


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_examples_show_what_happens(readme: str, tmp_path: Path) -> None:
    told = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
    scripts = str(Path(sys.executable).parent)
    environment = {
        **told,
        "PATH": f"{scripts}{os.pathsep}{told['PATH']}",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }
    shown = [(command, output) for command, output in examples(readme) if command.startswith(RUN)]
    assert len(shown) >= 8
    for command, output in shown:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, timeout=60, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.stdout.decode() == output, command
        assert done.returncode in (0, 3), command


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_python_example_prints_what_its_comment_says(readme: str, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("city,total\n上海,10\n北京,20\n上海,5\n", encoding="utf-8")
    (code,) = blocks(read(readme), "python")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert f"# {done.stdout.decode().strip()}" in code
