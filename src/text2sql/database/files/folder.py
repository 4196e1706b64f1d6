"""Reads a folder: every file is a table, and numbered files with equal columns are one."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from text2sql.database.files.grid import TextTable

# A name with a number or date at its end: `sales_2024`, `sales-2024-01`, `订单2024年1月`, `orders (2)`.
_NUMBERED = re.compile(
    r"(?P<base>.*?)[-_ .(]*(?:(?:19|20)\d\d[-_. ]?q[1-4]|q[1-4][-_. ]?(?:19|20)?\d\d"
    r"|\d[\d\-_. ]*年?\d*月?\d*日?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_ ]?\d*)\)?",
    re.IGNORECASE,
)


def visible_files(folder: Path) -> list[Path]:
    """The files directly in the folder, without hidden ones and the lock files of Office."""
    return sorted(
        (path for path in folder.iterdir() if path.is_file() and not path.name.startswith((".", "~$"))),
        key=lambda path: path.name,
    )


def base_name(stem: str) -> str:
    """The name without a number or date at its end; "" if there is none."""
    match = _NUMBERED.fullmatch(stem)
    return match["base"].rstrip("-_ .(") if match else ""


def groups(tables: Sequence[TextTable]) -> dict[str, list[TextTable]]:
    """Tables by the name of the one that they become: those of numbered files with equal columns."""
    candidates: dict[tuple[str, tuple[str, ...]], list[TextTable]] = defaultdict(list)
    for table in tables:
        base = base_name(table.name) if table.named and not table.parent and not table.row_id else ""
        if base:
            candidates[base, tuple(name for _, name in table.columns)].append(table)
    together = {
        id(table): base for (base, _), members in candidates.items() if len(members) > 1 for table in members
    }
    clashing = _clashing_names(tables, together)
    result: dict[str, list[TextTable]] = {}
    for table in tables:
        base = together.get(id(table), "")
        name = table.name if not base or base.lower() in clashing else base
        result.setdefault(name, []).append(table)
    return result


def _clashing_names(tables: Sequence[TextTable], together: Mapping[int, str]) -> set[str]:
    """Names that another table has, or that stand for tables of different columns."""
    others = {table.name.lower() for table in tables if id(table) not in together}
    columns: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for table in tables:
        if id(table) in together:
            columns[together[id(table)].lower()].add(tuple(name for _, name in table.columns))
    return others | {name for name, kinds in columns.items() if len(kinds) > 1}
