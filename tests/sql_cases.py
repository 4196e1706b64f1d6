"""Cases are data: lines of SQL in `sql/cases/`, read here."""

from collections.abc import Iterator
from pathlib import Path

CASES = Path(__file__).parent / "sql" / "cases"


def headed(file: Path) -> Iterator[tuple[str, str]]:
    """(comment above, line) for every line of SQL; the first line of a file says what the file is."""
    head = ""
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("-- "):
            head = line.removeprefix("-- ")
        elif line.strip():
            yield head, line


def by_dialect(folder: str) -> list[tuple[str, str, str]]:
    """(dialect, comment above, statement) of all files in a folder named after dialects."""
    return [(file.stem, *case) for file in sorted((CASES / folder).glob("*.sql")) for case in headed(file)]


def pairs(name: str) -> list[tuple[str, str, str]]:
    """(dialect, query, what becomes of it) from a file of two lines a case."""
    lines = list(headed(CASES / "shapes" / f"{name}.sql"))
    return [(lines[i][0], lines[i][1], lines[i + 1][1]) for i in range(0, len(lines), 2)]
