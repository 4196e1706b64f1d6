"""Reads the test cases of the guard, which are lines of SQL in `sql/cases/`."""

import re
from collections.abc import Iterator
from pathlib import Path

CASES = Path(__file__).parent / "sql" / "cases"


def headed(file: Path) -> Iterator[tuple[str, str]]:
    """(comment above, line) for every line of SQL; the first line of a file describes the file."""
    head = ""
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("-- "):
            head = line.removeprefix("-- ")
        elif line.strip():
            yield head, line


def by_dialect(folder: str) -> list[tuple[str, str, str]]:
    """(dialect, comment above, statement) of all files in a folder named after dialects."""
    return [(file.stem, *case) for file in sorted((CASES / folder).glob("*.sql")) for case in headed(file)]


def evasions(dialect: str) -> list[str]:
    """Queries that try to read hidden rows: those for every engine, and those for one dialect."""
    files = [CASES / "rows" / f"{name}.sql" for name in ("every", dialect)]
    return [spelled(sql, dialect) for file in files for _, sql in headed(file)]


def spelled(sql: str, dialect: str) -> str:
    """The query in a dialect: BigQuery requires ALL or DISTINCT in set operations."""
    return _BARE.sub(r"\1 DISTINCT \2", sql) if dialect == "bigquery" else sql


_BARE = re.compile(r"\b(UNION|EXCEPT|INTERSECT) (SELECT|\()")


def pairs(name: str) -> list[tuple[str, str, str]]:
    """(dialect, query, expected query) from a file of two lines per case."""
    lines = list(headed(CASES / "shapes" / f"{name}.sql"))
    return [(lines[i][0], lines[i][1], lines[i + 1][1]) for i in range(0, len(lines), 2)]
