"""Conditions on the values of one column."""

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.expressions import as_number
from text2sql.sql.compile.nodes import any_of, constant, is_not_null, is_null, number, part_of, text
from text2sql.sql.compile.time_sql import TimeColumn
from text2sql.types import DatePart, Dimension, Value, ValueFilter

_COMPARISONS: dict[str, type[exp.Binary]] = {"<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
_TEXT_TYPES = ("char", "text", "string", "clob", "enum")
_NUMBER_TYPES = ("int", "num", "dec", "real", "float", "double")
_WILD = frozenset("%_\\*?[]")


def shown(context: Context, dimension: Dimension, column: exp.Expr) -> exp.Expr:
    """The value of a dimension as groups and lists show it: a padded text without the blanks."""
    profile = context.column_profile(dimension.table, dimension.column)
    return exp.Trim(this=column) if profile is not None and profile.is_padded else column


def value_condition(context: Context, dimension: Dimension, column: exp.Expr, each: ValueFilter) -> exp.Expr:
    if each.operator == "is_null":
        return is_null(column)
    if each.operator == "not_null":
        return is_not_null(column)
    if not each.values:
        raise CannotCompile("empty_filter", dimension=each.dimension)
    left = shown(context, dimension, column)
    if each.operator in ("=", "!="):
        return _equal(context, dimension, left, each)
    if each.operator in _COMPARISONS:
        if any(isinstance(value, (int, float)) for value in each.values):
            left = as_number(context, dimension.table, dimension.column, left)
        compare = _COMPARISONS[each.operator]
        values = [_constant(context, dimension, value) for value in each.values]
        return any_of([compare(this=left.copy(), expression=value) for value in values])
    return any_of([_matches(context, left.copy(), each.operator, str(value)) for value in each.values])


def _equal(context: Context, dimension: Dimension, left: exp.Expr, each: ValueFilter) -> exp.Expr:
    if any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in each.values):
        left = as_number(context, dimension.table, dimension.column, left)
    values = [_constant(context, dimension, value) for value in each.values if value is not None]
    has_null = None in each.values
    if each.operator == "=":
        parts = [_one_of(left, values)] if values else []
        return any_of([*parts, is_null(left.copy())] if has_null else parts)
    if not values:
        return is_not_null(left)
    if len(values) == 1:
        return exp.NEQ(this=left, expression=values[0])
    return exp.Not(this=exp.In(this=left, expressions=values))


def _one_of(left: exp.Expr, values: list[exp.Expr]) -> exp.Expr:
    if len(values) == 1:
        return exp.EQ(this=left, expression=values[0])
    return exp.In(this=left, expressions=values)


def _constant(context: Context, dimension: Dimension, value: Value) -> exp.Expr:
    """The value in the type of its column, as far as the catalog knows it."""
    kind = context.column_type(dimension.table, dimension.column)
    is_text, is_number = (any(word in kind for word in words) for words in (_TEXT_TYPES, _NUMBER_TYPES))
    if isinstance(value, bool) and "bool" not in kind:
        return text(str(value).lower()) if is_text else _flag(context, kind, value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if is_text and not dimension.format.startswith(("number", "percent")):
            return text(str(value))
        return exp.Boolean(this=bool(value)) if kind.startswith("bool") and value in (0, 1) else number(value)
    if isinstance(value, str) and is_number and _is_number(value):
        return number(float(value) if "." in value else int(value))
    if isinstance(value, str) and context.dialect == "oracle" and kind.startswith("date"):
        return exp.cast(text(value), "date")
    return constant(value)


def _flag(context: Context, kind: str, value: bool) -> exp.Expr:
    """A boolean; in a column of numbers, 1 or 0."""
    is_number = bool(kind) or context.dialect in ("sqlite", "oracle", "mysql")
    return number(int(value)) if is_number else exp.Boolean(this=value)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return value.strip().lower() not in ("nan", "inf", "-inf", "infinity")


def _matches(context: Context, left: exp.Expr, operator: str, value: str) -> exp.Expr:
    """LIKE, with the case as given; SQLite's LIKE ignores it, its GLOB does not. A text with wildcards is
    compared by position.
    """
    before, after = operator != "starts_with", operator != "ends_with"
    if not _WILD & set(value):
        sign, node = ("*", exp.Glob) if context.dialect == "sqlite" else ("%", exp.Like)
        return node(this=left, expression=text(sign * before + value + sign * after))
    if operator == "contains":
        found = exp.StrPosition(this=left, substr=text(value))
        return exp.GT(this=found, expression=number(0))
    if operator == "starts_with":
        return exp.EQ(this=part_of(left, 1, len(value)), expression=text(value))
    start = exp.Sub(this=exp.Length(this=left.copy()), expression=number(len(value) - 1))
    return exp.EQ(this=exp.Substring(this=left, start=start), expression=text(value))


def part_condition(column: TimeColumn, part: DatePart, values: tuple[int, ...]) -> exp.Expr:
    return _one_of(column.part(part), [number(value) for value in values])
