"""Normalization of trees before they are checked: replaces spellings that hide a reference from the guard, or
that some engines of the dialect do not understand.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from text2sql.sql.refusal import refuse


def methods_as_calls(tree: exp.Expr) -> exp.Expr:
    """Rewrite DuckDB's `name.upper()` to `upper(name)`: then `name` is a column that the guard checks, and
    cannot be the schema of a macro.
    """
    for dot in reversed(list(tree.find_all(exp.Dot))):  # the innermost first
        call = dot.expression
        if isinstance(call, exp.Anonymous):
            try:
                function = exp.func(call.name, _as_column(dot.this), *call.expressions, dialect="duckdb")
            except ValueError:
                refuse("function", dot)  # more arguments than the function has
            if dot.parent is None:
                return function
            dot.replace(function)
    return tree


def _as_column(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Identifier):
        return exp.Column(this=node)
    if isinstance(node, exp.Paren):
        return _as_column(node.this)
    if isinstance(node, exp.Dot) and isinstance(node.this, exp.Identifier):
        return exp.Column(this=node.expression, table=node.this)
    return node  # no copies: in a chain of methods each one would copy all before it


def arrows_as_paths(tree: exp.Expr, dialect: str) -> exp.Expr:
    """Rewrite `f(payload -> 'a')`, which the parser reads as a lambda with a parameter `payload`, to a JSON
    path, if the dialect has no such lambdas or the body is a literal.
    """
    for node in reversed(list(tree.find_all(exp.Lambda))):
        is_path = dialect in _WITHOUT_LAMBDAS or isinstance(node.this, exp.Literal)
        if len(node.expressions) == 1 and is_path and not node.args.get("colon"):
            text = f"SELECT {node.expressions[0].sql(dialect)} -> {node.this.sql(dialect)}"
            path = Dialect.get_or_raise(dialect).parse(text)[0]
            if not isinstance(path, exp.Select):
                refuse("unreadable", node)
            node.replace(path.expressions[0].pop())
        elif dialect in _WITHOUT_LAMBDAS:
            refuse("construct", node)
    return tree


_WITHOUT_LAMBDAS = frozenset({"sqlite", "postgres", "mysql", "oracle"})


def keep_names_below_pivots(tree: exp.Expr) -> None:
    """Turn qualified columns below a PIVOT into dotted names, which the generator leaves alone. From columns
    it drops the table, also in sub-queries, where that changes their meaning.
    """
    for pivot in tree.find_all(exp.Pivot):
        if pivot.this is not None:
            for column in list(pivot.this.find_all(exp.Column)):
                if column.args.get("table"):
                    column.replace(exp.Dot.build([part.copy() for part in column.parts]))


def pivot_as_query(text: str, tokens: Sequence[Token]) -> str | None:
    """Rewrite `PIVOT … ORDER BY a`, which the parser does not support, to `SELECT * FROM (PIVOT …) ORDER BY
    a`.
    """
    if not tokens or tokens[0].token_type not in (TokenType.PIVOT, TokenType.UNPIVOT):
        return None
    depth = 0
    for token in tokens:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0 and token.token_type in (TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET):
            return f"SELECT * FROM ({text[: token.start]}) {text[token.start :]}"
    return None


def limit_by_as_query(text: str, tokens: Sequence[Token]) -> str | None:
    """Rewrite ClickHouse's `… LIMIT 2 BY a LIMIT 10`, which the parser does not support, to `SELECT * FROM (…
    LIMIT 2 BY a) LIMIT 10`.
    """
    depth, is_limited = 0, False
    for previous, token in pairwise(tokens):
        kind = token.token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth == 0 and kind == TokenType.VAR and token.text.upper() == "BY":
            is_limited = previous.token_type == TokenType.NUMBER
        elif depth == 0 and kind in _SET_OPERATORS:
            is_limited = False
        elif depth == 0 and kind == TokenType.LIMIT and is_limited:
            return f"SELECT * FROM ({text[: token.start]}) {text[token.start :]}"
    return None


_SET_OPERATORS = frozenset({TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT})


def for_mysql_and_mariadb(tree: exp.Expr) -> exp.Expr:
    """Keep text that both MySQL and MariaDB understand. The generator writes `a REGEXP b` as REGEXP_LIKE and
    MEDIAN as PERCENTILE_CONT, which MariaDB lacks; use REGEXP_INSTR and MEDIAN instead.
    """
    for node in list(tree.find_all(exp.RegexpLike, exp.Median)):
        if isinstance(node, exp.Median):
            call: exp.Expr = exp.Anonymous(this="MEDIAN", expressions=[node.this.copy()])
        elif node.args.get("flag"):
            continue
        else:
            position = exp.func("REGEXP_INSTR", node.this.copy(), node.expression.copy(), dialect="mysql")
            call = exp.Paren(this=exp.GT(this=position, expression=exp.Literal.number(0)))
        node.replace(call)
    return tree


# Statements that the parser does not support, rewritten as queries that it does.
REWRITES: Mapping[str, Callable[[str, Sequence[Token]], str | None]] = {
    "duckdb": pivot_as_query,
    "clickhouse": limit_by_as_query,
}
NORMALIZERS: Mapping[str, Callable[[exp.Expr], exp.Expr]] = {
    "duckdb": methods_as_calls,
    "mysql": for_mysql_and_mariadb,
}
