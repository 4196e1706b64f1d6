"""A schema as a model reads it: DDL as it stands in textbooks, a line a table, in half the tokens that
engines print it with. The same text for the same schema, because a model keeps what it has read of a prefix.

    CREATE TABLE orders (id int primary key, buyer int references people(id), paid text /* 'Y', 'N' */);

What was tried against it, and lost, is in benchmarks/ACCURACY.md.
"""

import re
from collections.abc import Callable, Sequence

from text2sql.types import Catalogue, Column, ForeignKey, Table

Count = Callable[[str], int]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[\u3400-\u9fff][\w]*")
_SHORT = 40  # characters of a comment that are worth their tokens
_VALUE = 24  # characters of a value
_CODES = 2  # introspection looks for three values: where it finds so few, they are all there are
_EXAMPLE = 20  # characters of a value that only shows what the column is like
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
# Each step says less; the first whose rendering fits is taken.
STEPS: tuple[dict[str, bool], ...] = (
    {},
    {"lean": True},
    {"comments": False, "lean": True},
    {"bare": True},
)


def render(
    catalogue: Catalogue,
    tables: Sequence[Table] | None = None,
    *,
    budget: int | None = None,
    count: Count = len,
    samples: bool = False,
) -> str:
    """The tables, all of them unless some are given, within `budget` as `count` measures it; with `samples`,
    two values of each text column, as long as there is room.

    What does not fit even as bare names is cut off at the last whole table.
    """
    chosen = catalogue.tables if tables is None else tables
    text = ""
    for step in ({"samples": True}, *STEPS) if samples else STEPS:
        text = "\n".join(render_table(table, catalogue, **step) for table in chosen)
        if budget is None or count(text) <= budget:
            return text
    lines = text.split("\n")
    while lines and budget is not None and count("\n".join(lines)) > budget:
        lines.pop()
    return "\n".join(lines)


def render_table(
    table: Table,
    catalogue: Catalogue,
    *,
    samples: bool = False,
    comments: bool = True,
    lean: bool = False,
    bare: bool = False,
) -> str:
    """`lean` leaves out what can be guessed: that text is text, the types of keys, which key is meant."""
    name = _named(table.schema, table.name, catalogue)
    if bare:
        return f"CREATE {table.kind.upper()} {name} ({', '.join(quoted(one.name) for one in table.columns)});"
    joins = {one.columns[0]: one for one in table.foreign_keys if len(one.columns) == 1 and one.referred}
    parts = []
    for column in table.columns:
        is_key = table.primary_key == (column.name,)
        guessed = is_key or column.name in joins or kind(column.type) == "text"
        text = (
            quoted(column.name) if lean and guessed else f"{quoted(column.name)} {kind(column.type)}".rstrip()
        )
        if is_key:
            text += " primary key"
        if column.name in joins:
            text += f" {_references(joins[column.name], catalogue, lean)}"
        shown = _values(column, samples) if column.name not in joins else []
        parts.append(text + _note(column, comments, shown))
    for one in table.foreign_keys:
        if len(one.columns) > 1 and one.referred:
            own = ", ".join(map(quoted, one.columns))
            parts.append(f"foreign key ({own}) {_references(one, catalogue, lean)}")
    note = f" -- {_brief(table.comment, _SHORT)}" if comments and table.comment.strip() else ""
    return f"CREATE {table.kind.upper()} {name} ({', '.join(parts)});{note}"


def kind(declared: str) -> str:
    """`VARCHAR(50)` and `character varying` are text. What is in no row stays, without its length."""
    found = next((name for name, pattern in _KINDS if pattern.search(declared)), None)
    return found or _brief(declared.partition("(")[0], _VALUE)


def quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _named(schema: str, name: str, catalogue: Catalogue) -> str:
    outside = schema and schema != catalogue.default_schema
    return f"{quoted(schema)}.{quoted(name)}" if outside else quoted(name)


def _references(foreign: ForeignKey, catalogue: Catalogue, lean: bool) -> str:
    target = catalogue.table(foreign.table, foreign.schema)
    name = _named(foreign.schema, foreign.table, catalogue)
    if lean and target is not None and target.primary_key == foreign.referred:
        return f"references {name}"
    return f"references {name}({', '.join(map(quoted, foreign.referred))})"


def _values(column: Column, samples: bool) -> list[str]:
    """All values where there are only a few: such codes are seldom spelled in a question. Else two."""
    if len(column.samples) <= _CODES:
        return [_brief(one, _VALUE) for one in column.samples if len(one) <= _VALUE]
    if not samples or kind(column.type) != "text":
        return []
    return [_brief(one, _EXAMPLE) for one in column.samples if len(one) <= _EXAMPLE][:2]


def _note(column: Column, comments: bool, shown: Sequence[str]) -> str:
    told = [_brief(column.comment, _SHORT)] if comments and column.comment.strip() else []
    told += [", ".join("'" + one.replace("'", "''") + "'" for one in shown)] if shown else []
    return f" /* {'; '.join(told)} */" if told else ""


def _brief(text: str, most: int) -> str:
    """Comments and values are other people's text: one line, short, unable to end the comment it is in."""
    line = " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *")
    return line if len(line) <= most else line[: most - 1] + "…"
