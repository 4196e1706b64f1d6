"""Names of tables and columns that can be used in a query: trimmed, on one line, not empty, unique."""

import re
from collections.abc import Collection, Sequence

_LONGEST = 100
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\ufeff]+")
_NO_SHEET = re.compile(r"[^\w]+")


def clean(name: str) -> str:
    """The name on one line, without characters that cannot be seen."""
    return _BLANKS.sub(" ", name).strip()[:_LONGEST].rstrip()


def unique(name: str, taken: Collection[str]) -> str:
    """The name, with a number if it is taken; `taken` is in lower case."""
    candidate, number = name, 1
    while candidate.lower() in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def column_names(header: Sequence[str]) -> tuple[list[str], list[int]]:
    """Usable names, and the positions (from 0) whose name is not the one in the file."""
    names: list[str] = []
    taken: set[str] = {clean(name).lower() for name in header if header.count(name) == 1}
    changed: list[int] = []
    for at, original in enumerate(header):
        name = clean(original)
        wanted = name or f"column_{at + 1}"
        first_of_its_name = name and name.lower() not in {other.lower() for other in names}
        result = wanted if first_of_its_name else unique(wanted, taken)
        if result != name:
            changed.append(at)
        names.append(result)
        taken.add(result.lower())
    return names, changed


def table_name(text: str) -> str:
    """The name of a file or a sheet, as a table's name."""
    return clean(text) or "data"


def combined(file: str, sheet: str) -> str:
    """The name of a table of one sheet among others of a folder."""
    return f"{file}_{_NO_SHEET.sub('_', sheet).strip('_') or 'sheet'}"
