"""The SQL text of a measure, bound to the tables of one SELECT. It may come from a file: it is checked."""

import re
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from text2sql.errors import CannotCompile
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.nodes import divide, fill
from text2sql.sql.compile.paths import Path
from text2sql.sql.compile.scope import Scope
from text2sql.sql.guard import check
from text2sql.types import CheckedSql, Measure


def bound(
    context: Context, scope: Scope, path: Path, measure: Measure, sql: str, *, aggregates: bool = False
) -> exp.Expr:
    """The expression `sql` of a measure, whose table is at the end of `path`."""
    tree = _parsed(sql, context.dialect)
    if isinstance(tree, str):
        raise CannotCompile("expression", measure=measure.name, expression=sql, detail=tree)
    if not aggregates and tree.find(exp.AggFunc):
        raise CannotCompile("expression", measure=measure.name, expression=sql, detail="an aggregate")
    tree = tree.copy()
    for column in list(tree.find_all(exp.Column)):
        replacement = _bound_column(context, scope, path, measure, column)
        if column is tree:
            tree = replacement
        else:
            column.replace(replacement)
    return tree


def _bound_column(
    context: Context, scope: Scope, path: Path, measure: Measure, column: exp.Column
) -> exp.Expr:
    label = ".".join(part.name for part in column.parts[:-1])
    table, reached = measure.table, path
    if label and label.lower() not in (measure.table.lower(), measure.table.rpartition(".")[2].lower()):
        known = {each for relation in context.model.relations for each in (relation.table, relation.to)}
        table = next((each for each in known if each.lower() == label.lower()), label)
        steps = context.graph.path(measure.table, table)
        if any(step.to_many for step in steps):
            raise CannotCompile(
                "expression", measure=measure.name, expression=measure.expression, detail=label
            )
        reached = (*path, *steps)
    bound_column = exp.Column(this=column.this.copy(), table=context.identifier(scope.alias(reached)))
    return as_number(context, table, column.name, bound_column)


def as_number(context: Context, table: str, column: str, value: exp.Expr) -> exp.Expr:
    """The value of a column as a number, if it is kept as text: `$1,548.00`, `1.548,00`, `12.3%`."""
    kind, _, pattern = _number_format(context, table, column).partition(":")
    if kind not in ("number", "percent"):
        return value
    decimal_comma = bool(_DECIMAL_COMMA.search(pattern))
    removed = [character for character in _signs(pattern) if character != ("," if decimal_comma else ".")]
    for character in removed:
        value = exp.func("REPLACE", value, exp.Literal.string(character), exp.Literal.string(""))
    if decimal_comma:
        value = exp.func("REPLACE", value, exp.Literal.string(","), exp.Literal.string("."))
    return fill("CAST(NULLIF(TRIM(x), '') AS DOUBLE PRECISION)", "postgres", x=value)


_DECIMAL_COMMA = re.compile(r",\d{1,2}\D*$")


def _number_format(context: Context, table: str, column: str) -> str:
    for dimension in context.model.dimensions:
        if (dimension.table, dimension.column) == (table, column) and dimension.format:
            return dimension.format
    profile = context.column_profile(table, column)
    return profile.format if profile else ""


def _signs(pattern: str) -> list[str]:
    """The characters of a number's format that are no digits, each once, in order."""
    return list(dict.fromkeys(sign for sign in pattern if not sign.isdigit() and sign != "-"))


@lru_cache(maxsize=1024)
def _parsed(sql: str, dialect: str) -> exp.Expr | str:
    """The tree of an expression, or why it is refused. `/` becomes the division of real numbers."""
    try:
        select = sqlglot.parse_one(f"SELECT {sql} FROM text2sql_source", dialect=dialect)
    except SqlglotError:
        return "unreadable"
    if not isinstance(select, exp.Select) or len(select.expressions) != 1:
        return "not_a_query"
    if {key for key, value in select.args.items() if value} - {"expressions", "from_", "kind"}:
        return "clause"
    if len(list(select.find_all(exp.Table, exp.Query, exp.Window))) != 2:  # the SELECT and its table
        return "construct"
    tree: exp.Expr = select.expressions[0].unalias()
    if isinstance(tree, exp.Star) or select.args["from_"].this.name != "text2sql_source":
        return "construct"
    labels = {column.args["table"].sql(): column for column in tree.find_all(exp.Column) if column.table}
    for column in labels.values():  # without its table, Oracle reads `products.price` as a call
        table = exp.Table(this=column.args["table"].copy(), db=column.args.get("db"))
        select.append("joins", exp.Join(this=table))
    checked = check(select.sql(dialect=dialect), dialect)
    return tree.transform(_real_division) if isinstance(checked, CheckedSql) else checked.rule


def _real_division(node: exp.Expr) -> exp.Expr:
    return divide(node.this, node.expression) if isinstance(node, exp.Div) else node
