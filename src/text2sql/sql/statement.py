"""The `Statement` that every rule of the guard checks, and the names of the calls in it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from text2sql.sql import functions
from text2sql.sql.dialects import Grammar, ascii_lower
from text2sql.types import Catalog, Policy


@dataclass(slots=True)
class Statement:
    """A parsed statement with its context.

    `nodes` are all nodes of the tree, and `calls` the functions among them with their names, listed once for
    all rules. `marked` are the tables to be wrapped, with
    their stored names, by the id of their node.
    """

    tree: exp.Expr
    dialect: str
    grammar: Grammar
    policy: Policy | None
    catalog: Catalog | None
    nodes: list[exp.Expr] = field(init=False)
    calls: list[tuple[exp.Func, str]] = field(init=False)
    marked: dict[int, tuple[exp.Table, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.list_nodes()

    def list_nodes(self) -> None:
        self.set_nodes(list(self.tree.walk()))

    def set_nodes(self, nodes: list[exp.Expr]) -> None:
        self.nodes = nodes
        self.calls = [(node, name_of(node)) for node in nodes if isinstance(node, exp.Func)]

    def read_as(self, tree: exp.Expr) -> "Statement":
        """The same statement with another tree, parsed from the generated text."""
        return Statement(tree, self.dialect, self.grammar, self.policy, self.catalog)


Rule: TypeAlias = Callable[[Statement], None]  # raises `Refused`, or returns nothing


def name_of(call: exp.Func) -> str:
    """The name of a function call, in lower case."""
    if isinstance(call, exp.JSONTable):
        return "json_table"  # the parser's own name for it is J_S_O_N_TABLE
    return ascii_lower(call.name if type(call) in functions.NAMED_CALLS else call.sql_name())
