"""Render a schema for a prompt: compact DDL, one line per table, in half the tokens of an engine's own DDL.

The text is deterministic, because the model caches the evaluated prefix of a prompt.

    CREATE TABLE orders (id int primary key, buyer int references people(id), paid text /* 'Y', 'N' */);

The formats that were compared with it are in benchmarks/ACCURACY.md.
"""

import re
from collections.abc import Callable, Sequence

from text2sql.types import Catalog, Column, ForeignKey, Table

Count = Callable[[str], int]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[\u3400-\u9fff][\w]*")
_SHORT = 40  # characters of a comment
_VALUE = 24  # characters of a value
_CODES = 2  # introspection samples three values: with fewer, the samples are all values of the column
_EXAMPLE = 20  # characters of a value that is only an example
_KINDS = (  # a column's type in one token; the first that matches
    ("json", re.compile(r"(?i)json|struct|map|array|\[\]")),
    ("text", re.compile(r"(?i)char|text|string|clob|enum")),
    ("bool", re.compile(r"(?i)bool|^bit")),
    ("time", re.compile(r"(?i)timestamp|datetime|^time")),
    ("date", re.compile(r"(?i)date")),
    ("interval", re.compile(r"(?i)interval")),
    ("int", re.compile(r"(?i)(?<!po)int|serial|^number$|^year")),
    ("real", re.compile(r"(?i)real|floa|doub|dec|num|money")),
    ("blob", re.compile(r"(?i)blob|bytea|binary")),
)
# Each step renders less detail; the first one that fits the budget is used.
STEPS: tuple[dict[str, bool], ...] = (
    {},
    {"lean": True},
    {"comments": False, "lean": True},
    {"bare": True},
)


def render(
    catalog: Catalog,
    tables: Sequence[Table] | None = None,
    *,
    budget: int | None = None,
    count: Count = len,
    samples: bool = False,
) -> str:
    """The given tables (default: all) within `budget` as `count` measures it; with `samples`, two values of
    each text column if they fit.

    If even bare names do not fit, the text is cut off after the last whole table.
    """
    chosen = catalog.tables if tables is None else tables
    text = ""
    for step in ({"samples": True}, *STEPS) if samples else STEPS:
        text = "\n".join(render_table(table, catalog, **step) for table in chosen)
        if budget is None or count(text) <= budget:
            return text
    lines = text.split("\n")
    while lines and budget is not None and count("\n".join(lines)) > budget:
        lines.pop()
    return "\n".join(lines)


def render_table(
    table: Table,
    catalog: Catalog,
    *,
    samples: bool = False,
    comments: bool = True,
    lean: bool = False,
    bare: bool = False,
) -> str:
    """One CREATE statement. `lean` omits what can be inferred: text and key types, referenced columns."""
    name = _qualified_name(table.schema, table.name, catalog)
    if bare:
        columns = ", ".join(quoted(column.name) for column in table.columns if not column.hidden)
        return f"CREATE {table.kind.upper()} {name} ({columns});"
    joins = {key.columns[0]: key for key in table.foreign_keys if len(key.columns) == 1 and key.referred}
    parts = []
    for column in table.columns:
        if column.hidden:
            continue
        is_key = table.primary_key == (column.name,)
        inferable = is_key or column.name in joins or kind(column.type) == "text"
        text = (
            quoted(column.name)
            if lean and inferable
            else f"{quoted(column.name)} {kind(column.type)}".rstrip()
        )
        if is_key:
            text += " primary key"
        if column.name in joins:
            text += f" {_references(joins[column.name], catalog, lean)}"
        values = _values(column, samples) if column.name not in joins else []
        parts.append(text + _note(column, comments, values))
    for key in table.foreign_keys:
        if len(key.columns) > 1 and key.referred:
            columns = ", ".join(map(quoted, key.columns))
            parts.append(f"foreign key ({columns}) {_references(key, catalog, lean)}")
    note = f" -- {_brief(table.comment, _SHORT)}" if comments and table.comment.strip() else ""
    return f"CREATE {table.kind.upper()} {name} ({', '.join(parts)});{note}"


def kind(declared: str) -> str:
    """The short name of a type: `VARCHAR(50)` and `character varying` are text. An unknown type is kept,
    without its length.
    """
    short = next((name for name, pattern in _KINDS if pattern.search(declared)), None)
    return short or _brief(declared.partition("(")[0], _VALUE)


def quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _qualified_name(schema: str, name: str, catalog: Catalog) -> str:
    outside = schema and schema != catalog.default_schema
    return f"{quoted(schema)}.{quoted(name)}" if outside else quoted(name)


def _references(foreign: ForeignKey, catalog: Catalog, lean: bool) -> str:
    target = catalog.table(foreign.table, foreign.schema)
    name = _qualified_name(foreign.schema, foreign.table, catalog)
    if lean and target is not None and target.primary_key == foreign.referred:
        return f"references {name}"
    return f"references {name}({', '.join(map(quoted, foreign.referred))})"


def _values(column: Column, samples: bool) -> list[str]:
    """All values of a column that has only a few, because questions seldom spell codes; else two examples."""
    if len(column.samples) <= _CODES:
        return [_brief(value, _VALUE) for value in column.samples if len(value) <= _VALUE]
    if not samples or kind(column.type) != "text":
        return []
    return [_brief(value, _EXAMPLE) for value in column.samples if len(value) <= _EXAMPLE][:2]


def _note(column: Column, comments: bool, values: Sequence[str]) -> str:
    notes = [_brief(column.comment, _SHORT)] if comments and column.comment.strip() else []
    notes += [", ".join("'" + value.replace("'", "''") + "'" for value in values)] if values else []
    return f" /* {'; '.join(notes)} */" if notes else ""


def _brief(text: str, most: int) -> str:
    """Untrusted text on one line, shortened, and unable to end the SQL comment that contains it."""
    line = " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *")
    return line if len(line) <= most else line[: most - 1] + "…"
