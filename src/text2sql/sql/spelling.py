"""Trees made plain before they are judged: where a dialect, or the parser's way to write it, says a simple
thing in a way that hides something, or that not every engine of the dialect understands.
"""

from collections.abc import Callable, Mapping

from sqlglot import exp

from text2sql.sql.refusal import refuse


def methods_as_calls(tree: exp.Expr) -> exp.Expr:
    """DuckDB's `name.upper()` as `upper(name)`: then what stands before the dot is a column to be checked,
    and never the schema of somebody's macro.
    """
    for dot in reversed(list(tree.find_all(exp.Dot))):  # the innermost first
        call = dot.expression
        if isinstance(call, exp.Anonymous):
            try:
                plain = exp.func(call.name, _as_column(dot.this), *call.expressions, dialect="duckdb")
            except ValueError:
                refuse("function", dot)  # more arguments than the function has
            if dot.parent is None:
                return plain
            dot.replace(plain)
    return tree


def _as_column(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Identifier):
        return exp.Column(this=node.copy())
    if isinstance(node, exp.Paren):
        return _as_column(node.this)
    if isinstance(node, exp.Dot) and isinstance(node.this, exp.Identifier):
        return exp.Column(this=node.expression.copy(), table=node.this.copy())
    return node.copy()


def for_mysql_and_mariadb(tree: exp.Expr) -> exp.Expr:
    """The parser writes `a REGEXP b` as REGEXP_LIKE and MEDIAN as PERCENTILE_CONT, which MariaDB does not
    have; REGEXP_INSTR and MEDIAN are understood by whoever understood the original.
    """
    for node in list(tree.find_all(exp.RegexpLike, exp.Median)):
        if isinstance(node, exp.Median):
            plain: exp.Expr = exp.Anonymous(this="MEDIAN", expressions=[node.this.copy()])
        elif node.args.get("flag"):
            continue
        else:
            found = exp.func("REGEXP_INSTR", node.this.copy(), node.expression.copy(), dialect="mysql")
            plain = exp.Paren(this=exp.GT(this=found, expression=exp.Literal.number(0)))
        node.replace(plain)
    return tree


SPELLINGS: Mapping[str, Callable[[exp.Expr], exp.Expr]] = {
    "duckdb": methods_as_calls,
    "mysql": for_mysql_and_mariadb,
}
