"""A schema as a model reads it: compact DDL, keys, a few values. The same text for the same schema, because a
model keeps what it has read of a prefix.
"""

import re
from collections.abc import Callable, Sequence

from text2sql.types import Catalogue, Column, Table

Count = Callable[[str], int]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[\u3400-\u9fff][\w]*")
_LENGTH = re.compile(r"\(\d+(?:,\s*\d+)?\)")
_SHORT = 40  # characters of a sample or a comment that are worth their tokens
# Each step says less; the first whose rendering fits is taken.
STEPS = ({"samples": 3}, {"samples": 1}, {"samples": 0}, {"samples": 0, "comments": False}, {"types": False})


def render(
    catalogue: Catalogue,
    tables: Sequence[Table] | None = None,
    *,
    budget: int | None = None,
    count: Count = len,
) -> str:
    """The tables, all of them unless some are given, within `budget` as `count` measures it.

    What does not fit even without types is cut off at the last whole table.
    """
    chosen = catalogue.tables if tables is None else tables
    text = ""
    for step in STEPS:
        text = "\n".join(render_table(table, catalogue, **step) for table in chosen)
        if budget is None or count(text) <= budget:
            return text
    lines = text.split("\n")
    while lines and budget is not None and count("\n".join(lines)) > budget:
        lines.pop()
    return "\n".join(lines)


def render_table(
    table: Table, catalogue: Catalogue, *, samples: int = 0, comments: bool = True, types: bool = True
) -> str:
    name = quoted(table.name)
    if table.schema and table.schema != catalogue.default_schema:
        name = f"{quoted(table.schema)}.{name}"
    single = table.primary_key[0] if len(table.primary_key) == 1 else ""
    parts = [_column(column, column.name == single, samples, comments, types) for column in table.columns]
    if len(table.primary_key) > 1:
        parts.append(f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))})")
    for foreign in table.foreign_keys:
        own, other = ", ".join(map(quoted, foreign.columns)), ", ".join(map(quoted, foreign.referred))
        parts.append(f"FOREIGN KEY ({own}) REFERENCES {quoted(foreign.table)}({other})")
    note = f" -- {_brief(table.comment)}" if comments and table.comment else ""
    return f"CREATE {table.kind.upper()} {name} ({', '.join(parts)});{note}"


def _column(column: Column, is_key: bool, samples: int, comments: bool, types: bool) -> str:
    text = quoted(column.name)
    if types and column.type:
        text += f" {_LENGTH.sub('', column.type)}"
    if is_key:
        text += " PRIMARY KEY"
    notes = [_brief(column.comment)] if comments and column.comment else []
    shown = [_brief(value) for value in column.samples[:samples]]
    notes += [", ".join("'" + value.replace("'", "''") + "'" for value in shown)] if shown else []
    return f"{text} /* {'; '.join(notes)} */" if notes else text


def quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _brief(text: str) -> str:
    """Comments and values are other people's text: one line, short, unable to end the comment it is in."""
    line = " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *")
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
