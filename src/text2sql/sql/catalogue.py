"""Names of tables against the policy: is it one of the engine's own, is it visible, which columns has it."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Generic, TypeVar

from sqlglot import exp

from text2sql.sql.dialects import Grammar, ascii_lower
from text2sql.sql.refusal import refuse
from text2sql.sql.statement import Statement, name_of
from text2sql.types import Policy

T = TypeVar("T")


def is_system_table(statement: Statement, node: exp.Table) -> bool:
    """The engine's own schemas are never data. A name that only looks like one of the engine's, or like a
    file, a wildcard or a database link, is a table where the policy or the catalogue says so.
    """
    grammar = statement.grammar
    qualifiers = {ascii_lower(part.name) for part in (node.args.get("db"), node.args.get("catalog")) if part}
    if qualifiers & grammar.system_schemas or any(
        one.startswith(("pg_temp", "pg_toast")) for one in qualifiers
    ):
        return True
    suspicious = ascii_lower(node.name).startswith(grammar.system_prefixes) or set(node.name) & set("*@/\\.:")
    return bool(suspicious) and not _is_listed(statement, node)


def _is_listed(statement: Statement, node: exp.Table) -> bool:
    if statement.policy is not None:
        return _keys(statement, node) in _visible(
            ByIdentity(statement.policy), statement.dialect, statement.grammar
        )
    return statement.catalogue is not None and statement.catalogue.table(node.name, node.db) is not None


def _keys(statement: Statement, node: exp.Table) -> tuple[str, ...]:
    parts = [part for part in (node.args.get("catalog"), node.args.get("db"), node.this) if part]
    return tuple(statement.grammar.tables.key(part.name, bool(part.args.get("quoted"))) for part in parts)


def visible_columns(statement: Statement, node: exp.Table) -> tuple[tuple[str, ...] | None, str]:
    """The columns of a real table that the policy shows (None without a policy), and its stored name."""
    keys = _keys(statement, node)
    if statement.policy is None:
        return None, ".".join(keys)
    found = _visible(ByIdentity(statement.policy), statement.dialect, statement.grammar).get(keys)
    if found is None:
        refuse("table", node)
    return found


def real_name(statement: Statement, node: exp.Table) -> str | None:
    """The stored name of a table that the policy shows; None for any other."""
    if statement.policy is None:
        return None
    spelled = _visible(ByIdentity(statement.policy), statement.dialect, statement.grammar)
    found = spelled.get(_keys(statement, node))
    return None if found is None else found[1]


def hidden_columns(
    statement: Statement, stored: str, visible: tuple[str, ...] | None
) -> frozenset[str] | None:
    """The columns that the policy does not show, where the catalogue tells which ones there are."""
    if visible is None or statement.catalogue is None:
        return None
    schema, _, name = stored.rpartition(".")
    found = statement.catalogue.table(name, schema)
    if found is None or found.partial:
        return None
    return frozenset(statement.grammar.columns.stored(one.name, True) for one in found.columns) - set(visible)


_JSON_EACH = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root")
_GENERATED: Mapping[str, tuple[str, ...]] = {
    "json_each": _JSON_EACH,
    "json_tree": _JSON_EACH,
    "jsonb_each": _JSON_EACH,
    "jsonb_tree": _JSON_EACH,
    "json_each_text": ("key", "value"),
    "jsonb_each_text": ("key", "value"),
    "json_array_elements": ("value",),
    "jsonb_array_elements": ("value",),
    "json_array_elements_text": ("value",),
    "jsonb_array_elements_text": ("value",),
    "generate_series": ("generate_series", "range", "value"),  # PostgreSQL's, DuckDB's, SQLite's name
    "exploding_generate_series": ("generate_series",),
    "numbers": ("number",),
    "numbers_mt": ("number",),
    "zeros": ("zero",),
    "flatten": ("SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS"),
    "explode": ("SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS", "unnest"),
    "split_to_table": ("SEQ", "INDEX", "VALUE"),
    "strtok_split_to_table": ("SEQ", "INDEX", "VALUE"),
    "generator": (),
}


def generated_columns(node: exp.Expr, alias: exp.TableAlias | None, grammar: Grammar) -> tuple[str, ...]:
    """The columns of something that makes rows, as far as its name tells: the function's, the alias's."""
    if isinstance(node, exp.Values):
        first = node.expressions[0]
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        return tuple(grammar.columns.stored(f"column{place}") for place in range(1, width + 1))
    names = [alias.this] if alias and alias.this else []
    columns = [column.this for column in node.find_all(exp.JSONColumnDef)]
    keys = [grammar.columns.key(name.name, bool(name.args.get("quoted"))) for name in (*columns, *names)]
    if isinstance(node, exp.Unnest):
        return tuple(keys) or ("unnest",)
    if isinstance(node.this, exp.Func):
        name = name_of(node.this)
        keys += _GENERATED.get(name, (name,))
    for one in node.args.get("rows_from") or ():
        keys += generated_columns(one, None, grammar)
    if node.args.get("ordinality"):
        keys.append("ordinality")
    return tuple(keys)


class ByIdentity(Generic[T]):
    """A value by identity, so that what is made of it is made once."""

    __slots__ = ("held",)

    def __init__(self, held: T) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


@lru_cache(maxsize=64)
def _visible(
    policy: ByIdentity[Policy], dialect: str, grammar: Grammar
) -> dict[tuple[str, ...], tuple[tuple[str, ...], str]]:
    """Every way to write a visible table in this dialect, with its columns and its one stored name."""
    spelled: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {}
    for name, columns in policy.held.tables.items():
        full, stored = full_name(policy.held, name, dialect, grammar)
        value = (tuple(grammar.columns.stored(column, policy.held.exact) for column in columns), stored)
        shortest = len(full) - 1 if "." not in name else max(len(full) - 2, 0)
        for start in range(shortest + 1):
            spelled[full[start:]] = value
    return spelled


def full_name(policy: Policy, name: str, dialect: str, grammar: Grammar) -> tuple[tuple[str, ...], str]:
    """A name of the policy as the engine stores it: with the default schema, part by part, and without."""
    *schema, table = (grammar.tables.stored(part, policy.exact) for part in name.split("."))
    default = policy.default_schema.get(dialect, "").split(".")
    home = schema or [grammar.tables.stored(part, policy.exact) for part in default if part]
    return (*home, table), ".".join((*schema, table))
