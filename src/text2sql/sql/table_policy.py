"""Table lookup in the policy: system tables, visible tables, and their visible and hidden columns."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Generic, TypeVar
from unicodedata import combining, normalize

from sqlglot import exp

from text2sql.sql.dialects import GRAMMARS, Grammar, ascii_lower
from text2sql.sql.refusal import refuse
from text2sql.sql.statement import Statement, name_of
from text2sql.types import Catalog, Policy, Table

T = TypeVar("T")


def is_system_table(statement: Statement, node: exp.Table) -> bool:
    """Whether a name means a system table, a file, a wildcard or a database link. The engine's own schemas
    always count as system tables; any other suspicious name is a table if the policy or the catalog lists it.
    """
    grammar = statement.grammar
    parts = [part.name for part in (node.args.get("db"), node.args.get("catalog")) if part]
    qualifiers = {form for name in parts for form in (ascii_lower(name), _without_marks(name))}
    if qualifiers & grammar.system_schemas or any(
        qualifier.startswith(("pg_temp", "pg_toast")) for qualifier in qualifiers
    ):
        return True
    name = ascii_lower(node.name)
    is_keyword = name in grammar.keyword_values and not (parts or node.this.args.get("quoted"))
    if is_keyword and statement.dialect == "postgres":
        return True  # `FROM current_user` calls the function, even if there is such a table
    has_special_characters = any(_SPECIAL_CHARACTER.search(part.name) for part in node.parts)
    is_system_name = name.startswith(grammar.system_prefixes) or name in grammar.system_tables
    # DuckDB reads `x.csv` as a file if there is no such table; a known catalog lists all tables
    may_be_file = bool(node.db) and (name in _FILES or statement.catalog is not None)
    return (
        is_system_name or has_special_characters or (may_be_file and statement.dialect == "duckdb")
    ) and not _is_listed(statement, node)


def _without_marks(name: str) -> str:
    """The name in plain letters: an engine may fold others, such as a long s or a dotted I, to ASCII."""
    plain = normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if not combining(letter))


_SPECIAL_CHARACTER = re.compile(r"[*@/\\.:]")
_FILES = frozenset(
    "csv tsv txt json jsonl ndjson parquet gz zst bz2 db duckdb sqlite xlsx arrow avro".split()
)


def _is_listed(statement: Statement, node: exp.Table) -> bool:
    if statement.policy is not None:
        return _keys(statement, node) in _visible(ByIdentity(statement.policy), statement.dialect)
    return statement.catalog is not None and statement.catalog.table(node.name, node.db) is not None


def _keys(statement: Statement, node: exp.Table) -> tuple[str, ...]:
    parts = [part for part in (node.args.get("catalog"), node.args.get("db"), node.this) if part]
    return tuple(statement.grammar.tables.key(part.name, bool(part.args.get("quoted"))) for part in parts)


def visible_columns(statement: Statement, node: exp.Table) -> tuple[tuple[str, ...] | None, str]:
    """The visible columns of a table (None without a policy), and its stored name."""
    keys = _keys(statement, node)
    if statement.policy is None:
        return None, ".".join(keys)
    table = _visible(ByIdentity(statement.policy), statement.dialect).get(keys)
    if table is None:
        refuse("table", node)
    return table


def real_name(statement: Statement, node: exp.Table) -> str | None:
    """The stored name of a visible table; None for any other."""
    if statement.policy is None:
        return None
    tables = _visible(ByIdentity(statement.policy), statement.dialect)
    table = tables.get(_keys(statement, node))
    return None if table is None else table[1]


def hidden_columns(
    statement: Statement, stored: str, visible: tuple[str, ...] | None
) -> frozenset[str] | None:
    """The columns that the policy hides; None if the catalog does not list all columns of the table."""
    if visible is None or statement.catalog is None:
        return None
    table = _catalog_table(statement.catalog, stored)
    if table is None or table.partial:
        return None
    return _stored_columns(ByIdentity(table), statement.dialect).difference(visible)


def known_columns(statement: Statement, stored: str, visible: tuple[str, ...]) -> tuple[str, ...]:
    """The visible columns that exist according to the catalog, if there is one: a policy may name others."""
    table = _catalog_table(statement.catalog, stored) if statement.catalog else None
    if table is None:
        return visible
    existing = _stored_columns(ByIdentity(table), statement.dialect)
    return tuple([column for column in visible if column in existing])


def is_view(statement: Statement, stored: str) -> bool:
    if statement.catalog is None:
        return False
    schema, _, name = stored.rpartition(".")
    schemas = _views(ByIdentity(statement.catalog), statement.dialect).get(name, frozenset())
    return schema in schemas if schema else bool(schemas)


def _catalog_table(catalog: Catalog, stored: str) -> Table | None:
    schema, _, name = stored.rpartition(".")
    return _tables(ByIdentity(catalog)).get((schema or catalog.default_schema, name))


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
    """The columns of a generator (VALUES, UNNEST or a function), derived from the names of function and
    alias. A name that is listed here but is no column could be taken for a function by the engine.
    """
    if isinstance(node, exp.Values):
        first = node.expressions[0]
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        return tuple(grammar.columns.stored(f"column{position}") for position in range(1, width + 1))
    function = name_of(node.this) if isinstance(node.this, exp.Func) else ""
    names = [column.this for column in node.find_all(exp.JSONColumnDef)]
    if alias and alias.this and grammar.row_values and function not in _OWN_COLUMNS:
        names.append(alias.this)  # where a name may mean a row, the row of one value is that value
    keys = [grammar.columns.key(name.name, bool(name.args.get("quoted"))) for name in names]
    if isinstance(node, exp.Unnest):
        return tuple(keys) or ("unnest",)
    if function and function != "json_table":
        keys += _GENERATED.get(function, (function,))
    for item in node.args.get("rows_from") or ():
        keys += generated_columns(item, None, grammar)
    if node.args.get("ordinality"):
        keys.append("ordinality")
    return tuple(keys)


# functions whose columns have names of their own, whatever the alias
_OWN_COLUMNS = frozenset({*_GENERATED, "json_table"}) - {"generate_series", "exploding_generate_series"}


class ByIdentity(Generic[T]):
    """A cache key that compares a value by identity: the result is computed once for each object."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@lru_cache(maxsize=4)  # a catalog may be large, and the cache keeps it
def _tables(catalog: ByIdentity[Catalog]) -> dict[tuple[str, str], Table]:
    """The tables of a catalog by schema and name."""
    tables: dict[tuple[str, str], Table] = {}
    for table in catalog.value.tables:
        tables.setdefault((table.schema or catalog.value.default_schema, table.name), table)
    return tables


@lru_cache(maxsize=256)
def _stored_columns(table: ByIdentity[Table], dialect: str) -> frozenset[str]:
    stored = GRAMMARS[dialect].columns.stored
    return frozenset(stored(column.name, True) for column in table.value.columns)


@lru_cache(maxsize=4)
def _views(catalog: ByIdentity[Catalog], dialect: str) -> dict[str, frozenset[str]]:
    """The schemas of the views of each name, as stored."""
    stored = GRAMMARS[dialect].tables.stored
    views: dict[str, frozenset[str]] = {}
    for table in catalog.value.tables:
        if table.kind == "view":
            name = stored(table.name, True)
            views[name] = views.get(name, frozenset()) | {stored(table.schema, True)}
    return views


@lru_cache(maxsize=64)
def _visible(policy: ByIdentity[Policy], dialect: str) -> dict[tuple[str, ...], tuple[tuple[str, ...], str]]:
    """Maps every way to write a visible table in this dialect to its columns and its stored name."""
    grammar = GRAMMARS[dialect]
    tables: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {}
    for name, columns in policy.value.tables.items():
        full, stored = full_name(policy.value, name, dialect, grammar)
        value = (tuple(grammar.columns.stored(column, policy.value.exact) for column in columns), stored)
        shortest = len(full) - 1 if "." not in name else max(len(full) - 2, 0)
        for start in range(shortest + 1):
            tables[full[start:]] = value
    return tables


def full_name(policy: Policy, name: str, dialect: str, grammar: Grammar) -> tuple[tuple[str, ...], str]:
    """A policy's table name as the engine stores it: qualified by the default schema, in parts; and as
    written.
    """
    *schema, table = (grammar.tables.stored(part, policy.exact) for part in name.split("."))
    default = policy.default_schema.get(dialect, "").split(".")
    qualifier = schema or [grammar.tables.stored(part, policy.exact) for part in default if part]
    return (*qualifier, table), ".".join((*schema, table))
