"""Small builders of syntax that is spelled differently in some dialect."""

from collections.abc import Sequence
from functools import cache

from sqlglot import exp, parse_one

from text2sql.types import Value

_NULLS_SMALL = frozenset({"sqlite", "mysql", "bigquery"})


def text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def number(value: float) -> exp.Expr:
    if value < 0:
        return exp.Neg(this=number(-value))
    return exp.Literal.number(str(int(value)) if value == int(value) else repr(value))


def constant(value: Value) -> exp.Expr:
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    return number(value) if isinstance(value, (int, float)) else text(str(value))


def case(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def as_text(value: exp.Expr, dialect: str) -> exp.Expr:
    if dialect == "oracle":
        return exp.Anonymous(this="TO_CHAR", expressions=[value])
    return exp.cast(value, "text")


def as_real(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, "double")


def as_integer(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, "bigint")


def concat(*parts: exp.Expr) -> exp.Expr:
    joined = parts[0]
    for part in parts[1:]:
        joined = exp.DPipe(this=joined, expression=part, safe=True)
    return joined


def part_of(value: exp.Expr, start: int, length: int | None = None) -> exp.Expr:
    return exp.Substring(this=value, start=number(start), length=number(length) if length else None)


def divide(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Real division; NULL for a zero denominator. The numerator is a real number: MySQL rounds decimals."""
    nullif = exp.Nullif(this=right, expression=number(0))
    return exp.Div(this=as_real(left), expression=nullif, typed=False, safe=False)


def times(left: exp.Expr, factor: int) -> exp.Expr:
    wrapped = exp.Paren(this=left) if isinstance(left, (exp.Sub, exp.Add)) else left
    return exp.Mul(this=wrapped, expression=number(factor))


def ordered(
    value: exp.Expr, dialect: str, *, descending: bool = False, in_window: bool = False
) -> list[exp.Expr]:
    """Items of an ORDER BY that puts NULL last."""
    small = dialect in _NULLS_SMALL
    has_no_clause = dialect == "mysql" or (in_window and dialect == "bigquery")
    if has_no_clause and not descending:
        flag = case(exp.Is(this=value.copy(), expression=exp.Null()), number(1), number(0))
        return [flag, exp.Ordered(this=value, desc=False, nulls_first=True)]
    if small and descending:
        return [exp.Ordered(this=value, desc=True, nulls_first=False)]
    return [exp.Ordered(this=value, desc=descending, nulls_first=False)]


def same(left: exp.Expr, right: exp.Expr, dialect: str) -> exp.Expr:
    """Equality that also holds between two NULLs."""
    if dialect != "oracle":
        return exp.NullSafeEQ(this=left, expression=right)
    both_null = exp.and_(
        exp.Is(this=left.copy(), expression=exp.Null()), exp.Is(this=right.copy(), expression=exp.Null())
    )
    return exp.Paren(this=exp.or_(exp.EQ(this=left, expression=right), both_null))


def any_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    return conditions[0] if len(conditions) == 1 else exp.Paren(this=exp.or_(*conditions, copy=False))


def all_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    return exp.and_(*conditions, copy=False)


def is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=value, expression=exp.Null())


def is_not_null(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=is_null(value))


@cache
def _parsed(template: str, dialect: str) -> exp.Expr:
    return parse_one(template, dialect=dialect)


def fill(template: str, dialect: str, **values: exp.Expr) -> exp.Expr:
    """A template in the SQL of a dialect, with its bare column names replaced by expressions."""

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and node.name in values:
            value = values[node.name].copy()
            return exp.Paren(this=value) if isinstance(value, exp.Binary) else value
        return node

    return _parsed(template, dialect).copy().transform(replaced)
