"""No text of the repository names a machine's own paths or the host of a package registry, or tells anybody
to install `text2sql`: on the package index that name is another project's, ours is `text2sql-kit`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from docs_text import ROOT

# Spelled in halves, so that this file does not find itself.
HOSTS = (
    "py" + "pi.org",
    "python" + "hosted.org",
    "np" + "mjs.org",
    "np" + "mjs.com",
    "deb.de" + "bian.org",
    "ana" + "conda.org",
)
PATHS = re.compile(r"(?<![\w./-])/(?:ro" + r"ot|wo" + r"rk)(?![\w-])")
STRANGERS = re.compile(r"\btext2sql\[[a-z{…]+|\binstall(?: -\S+)* [\"']?text2sql(?![\w/-])")
TEXT = {".md", ".py", ".toml", ".txt", ".sql", ".json", ".lock", ".yml", ".yaml", ".cfg", ".js", ".html", ""}


def texts() -> Iterator[tuple[Path, str]]:
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        own = all(
            not part.startswith((".", "__pycache__")) or part in (".ci", ".github") for part in parts[:-1]
        )
        # In a work tree `.git` is a file, and no part of the repository.
        if own and path.is_file() and path.suffix in TEXT and path.name != ".git":
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8", errors="replace")


def test_no_text_names_a_registry_or_a_machines_path() -> None:
    violations = []
    for path, text in texts():
        violations += [f"{path}: {host}" for host in HOSTS if host in text]
        violations += [f"{path}: {match}" for match in PATHS.findall(text)]
    assert violations == []


def test_no_text_installs_the_package_of_another_project() -> None:
    violations = []
    for path, text in texts():
        if path != Path("tests/docs/test_repository.py"):
            violations += [f"{path}: {match}" for match in STRANGERS.findall(text)]
    assert violations == []
