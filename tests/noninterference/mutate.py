"""Mutates a statement in one place: the guard must check every place where a hidden name can occur.

A reference to a hidden name in a place that a resolver visits is refused; in one that it forgets it is
allowed. So each statement that passed is tried again with something hidden at some place of its tree.
"""

import random

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from noninterference import clinic
from noninterference.scopes import HIDDEN_COLUMNS, HIDDEN_OF, Names

_ORACLES = (
    "(SELECT MAX(amount) FROM payroll)",
    "(SELECT COUNT(*) FROM payroll)",
    "(SELECT MAX(secret) FROM payroll_view)",
    "(SELECT COUNT(*) FROM patients WHERE diagnosis > 'd')",
    "(SELECT MAX(insurance))",
    "EXISTS (SELECT 1 FROM payroll WHERE amount > 9)",
)


def mutant(statement: str, dialect: str, rng: random.Random) -> str | None:
    """None for a statement that sqlglot cannot read or write."""
    try:
        tree = sqlglot.parse_one(statement, dialect=dialect)
        change = rng.choice(
            (_hide_column, _hide_column, _hide_value, _hide_value, _rename, _hide_table, _wrap)
        )
        changed = change(tree, Names(rng, dialect), dialect)
        return tree.sql(dialect=dialect) if changed else None
    except (SqlglotError, AttributeError, TypeError, ValueError, KeyError):
        return None


def _hide_column(tree: exp.Expr, names: Names, dialect: str) -> bool:
    """A hidden column's name where a visible one stands: after a dot, alone, or in USING."""
    nodes = [
        node
        for node in tree.find_all(exp.Identifier)
        if isinstance(node.parent, (exp.Column, exp.Join)) and node.arg_key in ("this", "using")
    ]
    if not nodes:
        return False
    identifier = names.rng.choice(nodes)
    parent = identifier.parent
    identifier.replace(exp.to_identifier(_hidden_in(tree, names), quoted=True))
    if isinstance(parent, exp.Column) and parent.args.get("table") and names.chance(0.5):
        parent.set("table", None)
    return True


def _hidden_in(tree: exp.Expr, names: Names) -> str:
    """A hidden column, of a table that the statement reads where there is one."""
    read = [HIDDEN_OF[table.name] for table in tree.find_all(exp.Table) if table.name in HIDDEN_OF]
    return names.rng.choice(names.rng.choice(read)) if read and names.chance(0.9) else names.hidden()


def _hide_value(tree: exp.Expr, names: Names, dialect: str) -> bool:
    """A hidden column, or a sub-query of hidden things, where a value stands."""
    nodes = [node for node in tree.find_all(exp.Literal, exp.Column, exp.Predicate) if node is not tree]
    if not nodes:
        return False
    if names.chance(0.5):
        new: exp.Expr = exp.column(exp.to_identifier(_hidden_in(tree, names), quoted=True))
    else:
        new = sqlglot.parse_one(names.rng.choice(_ORACLES), dialect=dialect)
    names.rng.choice(nodes).replace(new)
    return True


def _rename(tree: exp.Expr, names: Names, dialect: str) -> bool:
    """An alias, a lambda's parameter or an output column gets the name of something else."""
    nodes = [node for node in tree.find_all(exp.Identifier) if not isinstance(node.parent, exp.Table)]
    taken = [node.name for node in tree.find_all(exp.Identifier)]
    if not nodes:
        return False
    pool = taken if names.chance(0.6) else [*HIDDEN_COLUMNS, *clinic.HIDDEN_TABLES]
    names.rng.choice(nodes).replace(exp.to_identifier(names.rng.choice(pool), quoted=True))
    return True


def _hide_table(tree: exp.Expr, names: Names, dialect: str) -> bool:
    nodes = [node for node in tree.find_all(exp.Table) if isinstance(node.this, exp.Identifier)]
    if not nodes:
        return False
    new = names.rng.choice((*clinic.HIDDEN_TABLES, "patients", "visits"))
    names.rng.choice(nodes).set("this", exp.to_identifier(new, quoted=True))
    return True


def _wrap(tree: exp.Expr, names: Names, dialect: str) -> bool:
    """A source in more brackets, or `*` for what is selected."""
    if names.chance(0.5):
        selects = [node for node in tree.find_all(exp.Select) if node.expressions]
        names.rng.choice(selects).set("expressions", [exp.Star()])
        return True
    tables = [node for node in tree.find_all(exp.Table) if isinstance(node.parent, (exp.From, exp.Join))]
    if not tables:
        return False
    table = names.rng.choice(tables)
    table.replace(exp.Paren(this=table.copy()))
    return True
