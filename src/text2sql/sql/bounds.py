"""Memory bombs that a number gives away: `repeat('x', 1000000000)`, a series of a billion rows.

What grows without a number in sight is left to the limits that every query runs under.
"""

import re

from sqlglot import exp

from text2sql.sql import functions
from text2sql.sql.refusal import refuse
from text2sql.sql.statement import Statement, name_of

MAX_GENERATED = 1_000_000  # rows or characters that a literal may ask for


def bounded_generators(statement: Statement) -> None:
    """`repeat('x', 1000000000)` and a series of a billion rows are refused by the number that is written."""
    generators, sized = functions.generators(statement.dialect), functions.sized(statement.dialect)
    for node in statement.nodes:
        if isinstance(node, exp.Func):
            name = name_of(node)
            if name in _FORMATS:
                _widths(node)
            elif (name in sized or generators.get(name)) and _asks_for(node) > MAX_GENERATED:
                refuse("bounds", node)
        elif isinstance(node, exp.WithFill) and _asks_for(node) > MAX_GENERATED:
            refuse("bounds", node)


_GROWING = (exp.Mul, exp.Pow, exp.BitwiseLeftShift, exp.Repeat)
_FORMATS = ("format", "printf")
_WIDTH = re.compile(r"[%{:][^A-Za-z]*?\d{7,}")  # the width of a field in printf and format


def _asks_for(call: exp.Expr) -> float:
    """The largest number in a call; their product where the call multiplies or nests."""
    largest, product, grows = 0.0, 1.0, False
    for node in call.walk():
        if isinstance(node, exp.Literal):
            number = _number(node)
            largest = max(largest, number)
            product *= max(number, 1.0)
        elif isinstance(node, _GROWING) and node is not call:
            grows = True
    return product if grows else largest


def _widths(call: exp.Expr) -> None:
    for literal in call.find_all(exp.Literal):
        if literal.is_string and _WIDTH.search(literal.this):
            refuse("bounds", call)


def _number(node: exp.Literal) -> float:
    if node.is_string:
        return float(node.this) if node.this.isdecimal() else 0.0
    try:
        return abs(float(node.this))
    except ValueError:
        return 0.0
