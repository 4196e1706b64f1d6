"""One row of facts per database. What differs between engines and is not code stands here, and only here."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol, TypeAlias, cast

from text2sql.config import Settings
from text2sql.database.engine import Engine
from text2sql.database.source import Source
from text2sql.errors import MissingDriver

Gap: TypeAlias = Literal[
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
]

# What each gap means to a user; the contract suite skips a test only for a gap that is named here.
GAPS: Mapping[Gap, str] = {
    "comments": "tables and columns carry no comments",
    "schemas": "a database has one schema",
    "server": "the engine runs inside this process: there is no server's side to look from",
    "own_time_limit": "the engine has no time limit of its own; ours stops the statement",
    "privileges": "there are no accounts: whoever can read the file can read all of it",
    "row_estimates": "row counts are known only after ANALYZE",
    "plan_rows": "EXPLAIN estimates no rows",
    "plan_cost": "EXPLAIN estimates no cost",
    "result_types": "a result's columns have no type",
    "error_position": "errors do not say where in the query they stand",
    "strict_types": "comparing or casting values of different types is not an error",
    "arrays": "there are no arrays, maps or structs",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """Bytes that every file of the format has at one place."""

    offset: int
    magic: bytes


@dataclass(frozen=True, slots=True)
class Facts:
    name: str  # sqlglot's word, and ours everywhere
    product: str
    engine: str  # "module:class"; imported on first use, so that a missing driver costs only its users
    schemes: tuple[str, ...]
    extra: str = ""  # of `pip install text2sql[…]`; "" where the driver is always there
    suffixes: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()  # suffixes of data files that the engine reads into a copy
    signature: Signature | None = None
    port: int | None = None
    default_schema: str = ""  # "" where it is the database that the URL names
    quote: str = '"'
    probe: str = "SELECT 1"
    gaps: frozenset[Gap] = frozenset()

    writes_alone: bool = False  # while it writes, nothing else in this process may have the file open

    @property
    def is_file(self) -> bool:
        return bool(self.suffixes)

    def quoted(self, name: str, schema: str = "") -> str:
        """A name as an identifier, in its schema where it has one."""
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
        converted=(".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"),
        signature=Signature(8, b"DUCK"),
        default_schema="main",
        writes_alone=True,
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
)

BY_NAME: Mapping[str, Facts] = {one.name: one for one in FACTS}
BY_SCHEME: Mapping[str, Facts] = {scheme: one for one in FACTS for scheme in one.schemes}
BY_SUFFIX: Mapping[str, Facts] = {suffix: one for one in FACTS for suffix in (*one.suffixes, *one.converted)}


class _OpensEngine(Protocol):
    def __call__(self, source: Source, settings: Settings) -> Engine: ...


def load_engine(facts: Facts, source: Source, settings: Settings) -> Engine:
    """The engine of a source. Its driver is imported here and nowhere earlier."""
    module, _, name = facts.engine.partition(":")
    try:
        kind = cast("_OpensEngine", getattr(import_module(module), name))
    except ImportError as error:
        if (error.name or "").startswith("text2sql"):
            raise  # a fault of ours, not a driver that is missing
        raise MissingDriver(database=facts.product, extra=facts.extra) from error
    return kind(source, settings)
