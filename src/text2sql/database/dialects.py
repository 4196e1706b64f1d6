"""Table of facts about each supported database. Differences between engines that are data, not code, belong
here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol, TypeAlias, cast

from text2sql.config import Settings
from text2sql.database.engine import Engine
from text2sql.database.source import Source
from text2sql.errors import MissingDriver, UsageError

Gap: TypeAlias = Literal[
    "comments",
    "schemas",
    "server",
    "own_time_limit",
    "privileges",
    "row_estimates",
    "plan_rows",
    "plan_cost",
    "plan_text",
    "result_types",
    "error_position",
    "strict_types",
    "arrays",
    "keys",
    "indexes",
    "twin_names",
    "odd_names",
    "streams",
    "writes",
]

# What each gap means to a user. The contract suite skips a test only for a gap listed here.
GAPS: Mapping[Gap, str] = {
    "comments": "tables and columns carry no comments",
    "schemas": "a database has one schema",
    "server": "the engine runs in text2sql's own processes: there is no server to observe it on",
    "own_time_limit": "the engine has no time limit of its own; ours stops the statement",
    "privileges": "there are no accounts: whoever can read the file can read all of it",
    "row_estimates": "row counts are known only after ANALYZE",
    "plan_rows": "EXPLAIN estimates no rows",
    "plan_cost": "EXPLAIN estimates no cost",
    "plan_text": "a query is parsed and its names are resolved before it runs, but there is no plan to show",
    "result_types": "a result's columns have no type",
    "error_position": "errors have no position in the query",
    "strict_types": "comparing or casting values of different types is not an error",
    "arrays": "there are no arrays, maps or structs",
    "keys": "keys are not enforced: their values may repeat, and there are no foreign keys",
    "indexes": "there are no indexes",
    "twin_names": "two columns of a result cannot share a name",
    "odd_names": "a name cannot contain a dot or a quotation mark",
    "streams": "a result is complete on the server before its first row arrives",
    "writes": "a change cannot be rehearsed and rolled back, so text2sql makes none",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """Bytes that every file of the format has at a fixed offset."""

    offset: int
    magic: bytes


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about one database product."""

    name: str  # sqlglot's name of the dialect, used everywhere
    product: str
    engine: str  # "module:class"; imported on first use, so that a missing driver costs only its users
    schemes: tuple[str, ...]
    extra: str = ""  # of `pip install text2sql-kit[…]`; "" if the driver is always installed
    suffixes: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()  # suffixes of data files that the engine reads into a copy
    signature: Signature | None = None
    port: int | None = None
    default_schema: str = ""  # "" if the URL names it as its database
    quote: str = '"'
    escapes_names: bool = False  # a backslash in a quoted name is an escape
    probe: str = "SELECT 1"
    gaps: frozenset[Gap] = frozenset()

    seen: bool = True  # tested: the contract suite has run on it
    enforces_policy: bool = False  # its sessions are `RestrictedSession`s: the engine enforces a policy too
    exclusive_writes: bool = False  # while it writes, nothing else in this process may have the file open

    @property
    def is_file(self) -> bool:
        return bool(self.suffixes)

    def quoted(self, name: str, schema: str = "") -> str:
        """Quote a name as an identifier, qualified by its schema if there is one."""
        if self.escapes_names:
            name = name.replace("\\", "\\\\")
        marked = self.quote + name.replace(self.quote, self.quote * 2) + self.quote
        return f"{self.quoted(schema)}.{marked}" if schema else marked


FACTS: tuple[Facts, ...] = (
    Facts(
        name="sqlite",
        product="SQLite",
        engine="text2sql.database.engines.sqlite:SqliteEngine",
        schemes=("sqlite", "sqlite3"),
        suffixes=(".db", ".sqlite", ".sqlite3", ".db3"),
        signature=Signature(0, b"SQLite format 3\0"),
        default_schema="main",
        enforces_policy=True,
        gaps=frozenset(
            {
                "comments",
                "schemas",
                "server",
                "own_time_limit",
                "privileges",
                "row_estimates",
                "plan_rows",
                "plan_cost",
                "result_types",
                "error_position",
                "strict_types",
                "arrays",
            }
        ),
    ),
    Facts(
        name="duckdb",
        product="DuckDB",
        engine="text2sql.database.engines.duckdb:DuckEngine",
        schemes=("duckdb",),
        suffixes=(".duckdb", ".ddb"),
        converted=(
            *(".csv", ".tsv", ".tab", ".psv", ".parquet", ".json", ".jsonl", ".ndjson"),
            *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        ),
        signature=Signature(8, b"DUCK"),
        default_schema="main",
        enforces_policy=True,
        exclusive_writes=True,
        gaps=frozenset({"server", "own_time_limit", "privileges", "plan_cost"}),
    ),
    Facts(
        name="postgres",
        product="PostgreSQL",
        engine="text2sql.database.engines.postgres:PostgresEngine",
        schemes=("postgresql", "postgres", "postgresql+psycopg"),
        extra="postgres",
        port=5432,
        default_schema="public",
    ),
    Facts(
        name="mysql",
        product="MySQL/MariaDB",
        engine="text2sql.database.engines.mysql:MysqlEngine",
        schemes=("mysql", "mysql+pymysql", "mariadb", "mariadb+pymysql"),
        extra="mysql",
        port=3306,
        quote="`",
        gaps=frozenset({"error_position", "arrays", "plan_cost", "strict_types"}),
    ),
    Facts(
        name="clickhouse",
        product="ClickHouse",
        engine="text2sql.database.engines.clickhouse:ClickhouseEngine",
        schemes=("clickhouse", "clickhousedb", "clickhouse+http"),
        extra="clickhouse",
        port=8123,
        quote="`",
        escapes_names=True,
        gaps=frozenset(
            {"error_position", "plan_rows", "plan_cost", "keys", "indexes", "twin_names", "writes"}
        ),
    ),
    Facts(
        name="oracle",
        product="Oracle",
        engine="text2sql.database.engines.oracle:OracleEngine",
        schemes=("oracle", "oracle+oracledb"),
        extra="oracle",
        port=1521,
        seen=False,
        probe="SELECT 1 FROM dual",
        gaps=frozenset(
            {"own_time_limit", "row_estimates", "plan_rows", "plan_cost", "plan_text", "arrays", "writes"}
        ),
    ),
    Facts(
        name="bigquery",
        product="BigQuery",
        engine="text2sql.database.engines.bigquery:BigqueryEngine",
        schemes=("bigquery",),
        extra="bigquery",
        quote="`",
        escapes_names=True,
        seen=False,
        gaps=frozenset({"plan_rows", "indexes", "twin_names", "odd_names", "streams", "writes"}),
    ),
    Facts(
        name="snowflake",
        product="Snowflake",
        engine="text2sql.database.engines.snowflake:SnowflakeEngine",
        schemes=("snowflake",),
        extra="snowflake",
        default_schema="PUBLIC",
        seen=False,
        gaps=frozenset({"plan_rows", "plan_cost", "indexes", "streams", "writes"}),
    ),
)

# Products that use the engine of a tested one. A statement that they do not support fails before it runs.
UNTESTED: tuple[Facts, ...] = (
    Facts(
        name="doris",
        product="Apache Doris",
        engine="text2sql.database.engines.mysql:MysqlEngine",
        schemes=("doris",),
        extra="mysql",
        port=9030,
        quote="`",
        seen=False,
    ),
    Facts(
        name="starrocks",
        product="StarRocks",
        engine="text2sql.database.engines.mysql:MysqlEngine",
        schemes=("starrocks",),
        extra="mysql",
        port=9030,
        quote="`",
        seen=False,
    ),
    Facts(
        name="trino",
        product="Trino",
        engine="",  # no engine yet: opening one raises an error that says so
        schemes=("trino",),
        port=8080,
        seen=False,
    ),
)

BY_NAME: Mapping[str, Facts] = {facts.name: facts for facts in (*FACTS, *UNTESTED)}
BY_SCHEME: Mapping[str, Facts] = {scheme: facts for facts in (*FACTS, *UNTESTED) for scheme in facts.schemes}
BY_SUFFIX: Mapping[str, Facts] = {
    suffix: facts for facts in FACTS for suffix in (*facts.suffixes, *facts.converted)
}


class _EngineFactory(Protocol):
    def __call__(self, source: Source, settings: Settings) -> Engine: ...


def load_engine(facts: Facts, source: Source, settings: Settings) -> Engine:
    """Return the engine of a source. Its driver is imported here and nowhere else."""
    if not facts.engine:
        raise UsageError("usage.db_untested", product=facts.product)
    module, _, name = facts.engine.partition(":")
    try:
        engine_class = cast("_EngineFactory", getattr(import_module(module), name))
    except ImportError as error:
        if (error.name or "").startswith("text2sql"):
            raise  # a bug in this package, not a missing driver
        raise MissingDriver(database=facts.product, extra=facts.extra) from error
    return engine_class(source, settings)
