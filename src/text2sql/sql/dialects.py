"""The properties of each dialect that the guard depends on. A dialect without an entry is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class CaseFolding(Enum):
    """How an engine folds the case of a name, `Orders` or `"Orders"`, before it looks it up."""

    LOWER = "unquoted names fold to lower case, quoted ones stand as written"
    UPPER = "unquoted names fold to upper case, quoted ones stand as written"
    IGNORED = "case never matters"
    EXACT = "case always matters"

    def key(self, name: str, quoted: bool) -> str:
        """The normalized form of a name in a statement."""
        if self is CaseFolding.EXACT or (quoted and self is not CaseFolding.IGNORED):
            return name
        return ascii_upper(name) if self is CaseFolding.UPPER else ascii_lower(name)

    def stored(self, name: str, exact: bool = False) -> str:
        """The stored form of a name in a policy. Policies use lower case in all dialects, which an engine
        that folds to upper case stores in upper case. An exact name comes from the engine itself.
        """
        if self is CaseFolding.UPPER and name.islower() and not exact:
            return name.upper()
        return ascii_lower(name) if self is CaseFolding.IGNORED else name


# Engines fold ASCII only. Python's str.lower also maps other characters to ASCII, such as the Kelvin sign to
# k.
_LOWER = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}
_UPPER = {small: small - 32 for small in range(ord("a"), ord("z") + 1)}


def ascii_lower(name: str) -> str:
    return name.lower() if name.isascii() else name.translate(_LOWER)


def ascii_upper(name: str) -> str:
    return name.upper() if name.isascii() else name.translate(_UPPER)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The name resolution rules of a dialect."""

    tables: CaseFolding
    aliases: CaseFolding
    columns: CaseFolding
    # schemas and name prefixes of system tables, in lower case
    system_schemas: frozenset[str]
    system_prefixes: tuple[str, ...] = ()
    # system tables, and functions that read like tables, without such a prefix, in lower case
    system_tables: frozenset[str] = frozenset()
    # names that look like columns but are built in
    pseudo_columns: frozenset[str] = frozenset()
    # functions without brackets that reveal the user or the database
    keyword_values: frozenset[str] = frozenset()
    # tables that always exist and contain no data
    dummy_tables: frozenset[str] = frozenset()
    # whether `WITH t AS (… FROM t)` without RECURSIVE refers to itself
    recursion: "Recursion" = field(default_factory=lambda: Recursion.KEYWORD)
    # a CTE in a sub-query's WITH sees the CTEs of the outer queries
    nested_ctes: bool = True
    # an arm of a UNION with its own WITH still sees the CTEs of the UNION
    ctes_beside_own: bool = True
    # the clauses of a SELECT that may use one of its aliases even if a hidden column has the same name; a
    # whole ORDER BY item always may, as all engines prefer the alias there
    alias_clauses: frozenset[str] = frozenset()
    # an unqualified name may mean a whole row of the source of that name: row_to_json(t)
    row_values: bool = False
    # … even if the source has a column of that name
    rows_before_columns: bool = False
    # a name that is no column calls a function of that name, also after the name of a package or schema
    calls_without_brackets: bool = False
    # `a.b.c` may mean the field `c` of a column, also after the name of its source
    field_paths: bool = False
    # a sub-query in FROM sees its neighbors without LATERAL
    implicit_lateral: bool = False
    # `x IN name` reads the table `name`
    in_reads_tables: bool = False
    # a backslash may escape a quote, depending on a setting of the session
    backslash_strings: bool = False
    # tokens whose meaning in this dialect differs from the parser's
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
        CaseFolding.IGNORED,
        CaseFolding.IGNORED,
        CaseFolding.IGNORED,
        alias_clauses=frozenset({"group", "having", "order"}),
        system_schemas=_STANDARD | {"temp"},
        system_prefixes=("sqlite_", "pragma_", "dbstat", "bytecode", "tables_used"),
        # functions that are also tables, with their arguments as hidden columns
        system_tables=frozenset({"generate_series", "json_each", "json_tree", "jsonb_each", "jsonb_tree"}),
        recursion=Recursion.ALWAYS,
        in_reads_tables=True,
    ),
    "duckdb": Grammar(
        CaseFolding.IGNORED,
        CaseFolding.IGNORED,
        CaseFolding.IGNORED,
        alias_clauses=_REUSED | {"where"},
        keyword_values=_IDENTITY | {"current_schema", "current_database"},
        field_paths=True,
        row_values=True,
        implicit_lateral=True,
        system_schemas=_STANDARD | {"pg_catalog", "system", "temp"},
        system_prefixes=("duckdb_", "pragma_", "sqlite_", "pg_"),
    ),
    "postgres": Grammar(
        CaseFolding.LOWER,
        CaseFolding.LOWER,
        CaseFolding.LOWER,
        alias_clauses=frozenset({"group", "distinct"}),
        keyword_values=_IDENTITY | {"current_schema"},
        row_values=True,
        system_schemas=_STANDARD | {"pg_catalog", "pg_toast", "pg_temp", "_timescaledb_catalog"},
        system_prefixes=("pg_",),
    ),
    "mysql": Grammar(
        CaseFolding.EXACT,
        CaseFolding.EXACT,
        CaseFolding.IGNORED,
        alias_clauses=frozenset({"group", "having", "order"}),
        keyword_values=frozenset({"current_user", "current_role", "session_user", "system_user"}),
        system_schemas=_STANDARD | {"mysql", "performance_schema", "sys"},
        system_prefixes=("seq_",),
        dummy_tables=frozenset({"dual"}),
        nested_ctes=False,  # true in MySQL, but in MariaDB the name means a table, and both use this entry
        backslash_strings=True,
    ),
    "clickhouse": Grammar(
        CaseFolding.EXACT,
        CaseFolding.EXACT,
        CaseFolding.EXACT,
        alias_clauses=_REUSED | {"where", "prewhere", "joins"},  # the alias wins there
        system_schemas=_STANDARD | {"system", "_temporary_and_external_tables"},
        ctes_beside_own=False,
        in_reads_tables=True,
        backslash_strings=True,
    ),
    "snowflake": Grammar(
        CaseFolding.UPPER,
        CaseFolding.UPPER,
        CaseFolding.UPPER,
        alias_clauses=_REUSED,
        keyword_values=_IDENTITY
        | {"current_account", "current_warehouse", "current_schema", "current_region", "current_database"},
        pseudo_columns=frozenset({"level"}),
        system_schemas=_STANDARD | {"account_usage", "organization_usage", "snowflake"},
        backslash_strings=True,
        foreign_tokens=frozenset({"->>"}),  # chains statements without a semicolon
    ),
    "bigquery": Grammar(
        CaseFolding.EXACT,
        CaseFolding.IGNORED,
        CaseFolding.IGNORED,
        alias_clauses=frozenset({"group", "having", "order", "qualify"}),
        field_paths=True,
        row_values=True,
        rows_before_columns=True,
        system_schemas=_STANDARD,
        system_prefixes=("__", "information_schema"),
        backslash_strings=True,
    ),
    "oracle": Grammar(
        CaseFolding.UPPER,
        CaseFolding.UPPER,
        CaseFolding.UPPER,
        keyword_values=_IDENTITY
        | {"uid", "ora_rowscn", "sessiontimezone", "dbtimezone", "ora_invoking_user", "ora_invoking_userid"},
        field_paths=True,
        calls_without_brackets=True,
        system_schemas=frozenset({"sys", "system", "xdb", "ctxsys", "mdsys", "outln", "dbsnmp", "audsys"}),
        system_prefixes=(
            "all_",
            "dba_",
            "user_",
            "cdb_",
            "v$",
            "gv$",
            "v_$",
            "x$",
            "session_",
            "role_",
            "nls_",
            "product_component_version",
            "logstdby_",
            "sm$",
        ),
        system_tables=frozenset(
            {"tab", "tabs", "cols", "global_name", "cat", "syn", "obj", "ind", "seq", "clu", "recyclebin"}
            | {"publicsyn", "catalog", "syscatalog", "sysfiles", "plan_table", "plan_table$", "proxy_users"}
            | {"database_properties", "system_privilege_map", "table_privilege_map", "resource_cost"}
            | {
                "public_dependency",
                "tabquotas",
                "index_stats",
                "index_histogram",
                "flashback_transaction_query",
            }
            | {"dict", "dictionary", "dict_columns", "audit_actions", "stmt_audit_option_map"}
            | {"redaction_columns", "redaction_policies", "unified_audit_trail"}
        ),
        pseudo_columns=frozenset({"rownum", "level", "connect_by_isleaf", "connect_by_iscycle"}),
        dummy_tables=frozenset({"dual"}),
        recursion=Recursion.COLUMNS,
    ),
}
