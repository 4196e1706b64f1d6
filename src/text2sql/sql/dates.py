"""Date functions in the syntax of another engine: the calls that the parser does not translate, or whose
format it drops.
"""

import re
from collections.abc import Callable, Mapping

from sqlglot import exp

from text2sql.sql.scope import Origin

# From the format of strftime, which SQLite and DuckDB use.
_MYSQL = {"%Y": "%Y", "%m": "%m", "%d": "%d", "%H": "%H", "%M": "%i", "%S": "%s", "%j": "%j"}
_POSTGRES = {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%H": "HH24", "%M": "MI", "%S": "SS", "%j": "DDD"}
_MARK = re.compile(r"%.")
_WORD = re.compile(r"YYYY|HH24|MM|MI|DDD|DD|SS|[A-Z0-9]+", re.IGNORECASE)


def _translated(text: str, marks: re.Pattern[str], table: Mapping[str, str]) -> str | None:
    """The text with every mark replaced; None if the table lacks one of them."""
    if any(mark.upper() not in table and mark not in table for mark in marks.findall(text)):
        return None
    return marks.sub(lambda match: table.get(match[0]) or table[match[0].upper()], text)


def _from_mysql(text: str) -> str | None:
    marks = {other: strftime_mark for strftime_mark, other in _MYSQL.items()} | {"%S": "%S"}
    return None if "%M" in text else _translated(text, _MARK, marks)


def _from_postgres(text: str) -> str | None:
    return _translated(text, _WORD, {other: strftime_mark for strftime_mark, other in _POSTGRES.items()})


def formatted(dialect: str, value: exp.Expr, marks: str, origin: Origin = None) -> exp.Expr | None:
    """A date as text, by strftime's marks."""
    if dialect == "sqlite":
        return exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(marks), value.copy()])
    if dialect == "duckdb":
        return exp.Anonymous(this="STRFTIME", expressions=[value.copy(), exp.Literal.string(marks)])
    name, table = ("TO_CHAR", _POSTGRES) if dialect == "postgres" else ("DATE_FORMAT", _MYSQL)
    written = _translated(marks, _MARK, table)
    if written is None or (dialect == "postgres" and re.search("[A-Za-z]", _MARK.sub("", marks))):
        return None
    value = value.copy()
    if dialect == "postgres" and origin is not None and _is_text(origin[1].type):
        value = exp.cast(value, "timestamp")
    return exp.Anonymous(this=name, expressions=[value, exp.Literal.string(written)])


def _is_text(kind: str) -> bool:
    return bool(re.match(r"(?i)(var)?char|text|string", kind))


def foreign_format(dialect: str, node: exp.Expr, origin: Callable[[exp.Expr], Origin]) -> exp.Expr | None:
    """STRFTIME, DATE_FORMAT or TO_CHAR where the engine has another of them."""
    if isinstance(node, exp.ToChar):
        value, format_node = node.this, node.args.get("format")
        read: Callable[[str], str | None] = _from_postgres
    else:
        name = node.name.upper()
        if len(node.expressions) != 2 or name not in ("STRFTIME", "DATE_FORMAT"):
            return None
        value, format_node = node.expressions if name == "DATE_FORMAT" else reversed(node.expressions)
        read = _from_mysql if name == "DATE_FORMAT" else str
    if not isinstance(format_node, exp.Literal) or not format_node.is_string or dialect not in _DIALECTS:
        return None
    marks = read(format_node.this)
    return formatted(dialect, value, marks, origin(value)) if marks else None


_DIALECTS = ("sqlite", "duckdb", "postgres", "mysql")

# -- SQLite has no date type: parts and steps of a date are strings --

_PARTS = dict(
    zip("YEAR MONTH DAY HOUR MINUTE SECOND DOY".split(), "%Y %m %d %H %M %S %j".split(), strict=True)
)
_STARTS = {"MONTH": "start of month", "YEAR": "start of year", "DAY": "start of day"}
_STEPS = {"DAY": 1, "MONTH": 1, "YEAR": 1, "HOUR": 1, "MINUTE": 1, "SECOND": 1, "WEEK": 7}


def sqlite_part(unit: str, value: exp.Expr) -> exp.Expr | None:
    """`YEAR(d)`, `EXTRACT(YEAR FROM d)`: a number, as elsewhere."""
    unit = unit.upper()
    if unit == "QUARTER":
        month = exp.Paren(this=exp.Add(this=sqlite_part("MONTH", value), expression=exp.Literal.number(2)))
        return exp.Paren(this=exp.Div(this=month, expression=exp.Literal.number(3), typed=True, safe=True))
    if unit not in _PARTS:
        return None
    text = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(_PARTS[unit]), value.copy()])
    return exp.cast(text, "int")


def sqlite_start(unit: str, value: exp.Expr) -> exp.Expr | None:
    start = _STARTS.get(unit.upper())
    if start is None:
        return None
    return exp.Anonymous(this="DATE", expressions=[value.copy(), exp.Literal.string(start)])


def sqlite_step(node: exp.Expr) -> exp.Expr | None:
    """`d - INTERVAL '7 days'`, `DATE_SUB(d, INTERVAL 7 DAY)`."""
    step = node.expression
    if not isinstance(step, exp.Interval) or not isinstance(step.this, exp.Literal):
        return None
    unit = step.text("unit").upper().removesuffix("S")
    if unit not in _STEPS or not step.this.this.isdigit():
        return None
    sign = "-" if isinstance(node, (exp.Sub, exp.DateSub)) else "+"
    count = int(step.this.this) * _STEPS[unit]
    unit = "day" if unit == "WEEK" else unit.lower()
    call = "DATETIME" if unit in ("hour", "minute", "second") or _is_now(node.this) else "DATE"
    return exp.Anonymous(
        this=call, expressions=[node.this.copy(), exp.Literal.string(f"{sign}{count} {unit}")]
    )


def _is_now(node: exp.Expr) -> bool:
    return isinstance(node, exp.CurrentTimestamp)
