"""What the guard must know of a dialect, one row each. A dialect without a row is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Case(Enum):
    """How an engine compares a name: what `Orders` and `"Orders"` become before they are looked up."""

    LOWER = "unquoted names fold to lower case, quoted ones stand as written"
    UPPER = "unquoted names fold to upper case, quoted ones stand as written"
    IGNORED = "case never matters"
    EXACT = "case always matters"

    def key(self, name: str, quoted: bool) -> str:
        if self is Case.EXACT or (quoted and self is not Case.IGNORED):
            return name
        return ascii_upper(name) if self is Case.UPPER else ascii_lower(name)

    def stored(self, name: str, exact: bool = False) -> str:
        """A policy speaks in lower case for all dialects; an engine that folds up has stored it upper. An
        exact name is one that the engine told.
        """
        if self is Case.UPPER and name.islower() and not exact:
            return name.upper()
        return ascii_lower(name) if self is Case.IGNORED else name


# Engines fold ASCII only; Python's str.lower would also map the Kelvin sign to k and let it pass for one.
_LOWER = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}
_UPPER = {small: small - 32 for small in range(ord("a"), ord("z") + 1)}


def ascii_lower(name: str) -> str:
    return name.translate(_LOWER)


def ascii_upper(name: str) -> str:
    return name.translate(_UPPER)


@dataclass(frozen=True, slots=True)
class Grammar:
    tables: Case
    aliases: Case
    columns: Case
    # schemas and name prefixes that hold the engine's own secrets, lower case
    system_schemas: frozenset[str]
    system_prefixes: tuple[str, ...] = ()
    # a name that looks like a column and is none
    pseudo_columns: frozenset[str] = frozenset()
    # words without brackets that tell who and where we are
    keyword_values: frozenset[str] = frozenset()
    # tables that are always there and hold nothing
    dummy_tables: frozenset[str] = frozenset()
    # `WITH t AS (… FROM t)` without RECURSIVE still means t itself
    recursion: "Recursion" = field(default_factory=lambda: Recursion.KEYWORD)
    # a CTE that a sub-query's own WITH makes sees those of the queries around it
    nested_ctes: bool = True
    # an arm of a UNION that begins with a WITH still sees the one before the UNION
    ctes_beside_own: bool = True
    # the clauses of a SELECT where one of its aliases may be used although a hidden column could have its
    # name; an item of ORDER BY needs no leave, there all engines prefer the alias
    alias_clauses: frozenset[str] = frozenset()
    # a bare name may be a whole row of the sub-query of that name: row_to_json(t)
    row_values: bool = False
    # a sub-query in FROM sees its neighbours without LATERAL
    implicit_lateral: bool = False
    # `x IN name` reads the table `name`
    in_reads_tables: bool = False
    # a backslash may hide the end of a string, depending on a setting of the session
    backslash_strings: bool = False
    # tokens that this dialect gives another meaning than the parser does
    foreign_tokens: frozenset[str] = frozenset()


class Recursion(Enum):
    KEYWORD = "only WITH RECURSIVE sees itself"
    COLUMNS = "a CTE with a column list sees itself"
    ALWAYS = "a CTE always sees itself"


_STANDARD = frozenset({"information_schema"})
_IDENTITY = frozenset(
    {"user", "current_role", "current_user", "session_user", "system_user", "current_catalog"}
)
_REUSED = frozenset({"expressions", "group", "having", "qualify", "order"})

GRAMMARS: Mapping[str, Grammar] = {
    "sqlite": Grammar(
        Case.IGNORED,
        Case.IGNORED,
        Case.IGNORED,
        alias_clauses=frozenset({"group", "having", "order"}),
        system_schemas=_STANDARD | {"temp"},
        system_prefixes=("sqlite_", "pragma_", "dbstat", "bytecode", "tables_used"),
        recursion=Recursion.ALWAYS,
        in_reads_tables=True,
    ),
    "duckdb": Grammar(
        Case.IGNORED,
        Case.IGNORED,
        Case.IGNORED,
        alias_clauses=_REUSED,
        keyword_values=_IDENTITY | {"current_schema", "current_database"},
        row_values=True,
        implicit_lateral=True,
        system_schemas=_STANDARD | {"pg_catalog", "system", "temp"},
        system_prefixes=("duckdb_", "pragma_", "sqlite_", "pg_"),
    ),
    "postgres": Grammar(
        Case.LOWER,
        Case.LOWER,
        Case.LOWER,
        alias_clauses=frozenset({"group", "distinct"}),
        keyword_values=_IDENTITY | {"current_schema"},
        row_values=True,
        system_schemas=_STANDARD | {"pg_catalog", "pg_toast", "pg_temp"},
        system_prefixes=("pg_",),
    ),
    "mysql": Grammar(
        Case.EXACT,
        Case.EXACT,
        Case.IGNORED,
        alias_clauses=frozenset({"group", "having", "order"}),
        keyword_values=frozenset({"current_user", "current_role", "session_user", "system_user"}),
        system_schemas=_STANDARD | {"mysql", "performance_schema", "sys"},
        system_prefixes=("seq_",),
        dummy_tables=frozenset({"dual"}),
        nested_ctes=False,  # MySQL's do; MariaDB's read the table of that name, and one text is for both
        backslash_strings=True,
    ),
    "clickhouse": Grammar(
        Case.EXACT,
        Case.EXACT,
        Case.EXACT,
        alias_clauses=_REUSED | {"where", "prewhere", "joins"},  # there the alias wins,
        system_schemas=_STANDARD | {"system"},
        ctes_beside_own=False,
        in_reads_tables=True,
        backslash_strings=True,
    ),
    "snowflake": Grammar(
        Case.UPPER,
        Case.UPPER,
        Case.UPPER,
        alias_clauses=_REUSED,
        keyword_values=_IDENTITY | {"current_account", "current_warehouse"},
        pseudo_columns=frozenset({"level"}),
        system_schemas=_STANDARD | {"account_usage", "organization_usage", "snowflake"},
        backslash_strings=True,
        foreign_tokens=frozenset({"->>"}),  # chains statements without a semicolon
    ),
    "bigquery": Grammar(
        Case.EXACT,
        Case.IGNORED,
        Case.IGNORED,
        alias_clauses=frozenset({"group", "having", "order", "qualify"}),
        row_values=True,
        system_schemas=_STANDARD,
        system_prefixes=("__", "information_schema"),
        backslash_strings=True,
    ),
    "oracle": Grammar(
        Case.UPPER,
        Case.UPPER,
        Case.UPPER,
        keyword_values=_IDENTITY | {"uid", "ora_rowscn", "sessiontimezone", "dbtimezone"},
        system_schemas=frozenset({"sys", "system", "xdb", "ctxsys", "mdsys", "outln", "dbsnmp", "audsys"}),
        system_prefixes=("all_", "dba_", "user_", "cdb_", "v$", "gv$", "v_$", "x$", "session_", "role_"),
        pseudo_columns=frozenset({"rownum", "level", "connect_by_isleaf", "connect_by_iscycle"}),
        dummy_tables=frozenset({"dual"}),
        recursion=Recursion.COLUMNS,
    ),
}
