"""One statement on its way through the guard, and what a call in it is called. Every rule stands on this."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from text2sql.sql import functions
from text2sql.sql.dialects import Grammar, ascii_lower
from text2sql.types import Catalogue, Policy


@dataclass(slots=True)
class Statement:
    """`nodes` is walked once and shared."""

    tree: exp.Expr
    dialect: str
    grammar: Grammar
    policy: Policy | None
    catalogue: Catalogue | None
    nodes: list[exp.Expr] = field(default_factory=list)

    def read_as(self, tree: exp.Expr) -> "Statement":
        """The same statement with another tree: what its text became when it was read again."""
        return Statement(tree, self.dialect, self.grammar, self.policy, self.catalogue)


Rule: TypeAlias = Callable[[Statement], None]  # raises `Refused`, or says nothing


def name_of(call: exp.Func) -> str:
    if isinstance(call, exp.JSONTable):
        return "json_table"  # the parser's own name for it is J_S_O_N_TABLE
    return ascii_lower(call.name if type(call) in functions.NAMED_CALLS else call.sql_name())
