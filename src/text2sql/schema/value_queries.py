"""Build the queries that fetch the distinct values of text columns. The caller passes them through the guard
like any other query.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from text2sql.schema.table_labels import label
from text2sql.types import Catalog, Column, Table

MOST_CHARACTERS = 60  # of a value that a user would type
MOST_VALUES_A_COLUMN = 2_000
MOST_QUERIES = 400
LARGE = 2_000_000  # rows: DISTINCT over more of them costs the database more than it is worth
PREFIX = 100_000  # rows that are read instead
_BACKTICKS = frozenset({"mysql", "bigquery", "hive", "spark", "databricks"})
_TEXT_TYPE = re.compile(r"(?i)char|text|string|enum|clob|^$")
_NEVER_TYPED = re.compile(
    r"""(?ix)
    [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}  # UUID
    | [0-9a-f]{24,} | [A-Za-z0-9+/_-]{32,}={0,2}  # digests, tokens
    | \w+://.* | [^@\s]+@[^@\s]+\.\w+ | [{\[].*  # URLs, e-mail addresses, JSON
    | \+?[\d\s()-]{9,}  # telephones
    | \d{4}-\d\d-\d\d.* | \d{1,2}[/.]\d{1,2}[/.]\d{2,4}.* | \d\d:\d\d(:\d\d)?.*  # dates and times
    | -?\d+\.\d+
    """
)


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a column; `complete` if these are all of them. Plain data, so that it can be stored."""

    table: str
    column: str
    values: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class ValueQuery:
    """A query for one value more than `most`, so that the result shows whether it is complete."""

    table: str  # the label of the table: bare in the default schema, else `schema.name`
    column: str
    sql: str
    most: int
    reads_all_rows: bool = True  # False: the query reads only the first rows of a large table

    def domain(self, values: Iterable[object], *, truncated: bool = False) -> Domain:
        """The domain from the values of the result. `truncated`: a limit of the run cut the result off."""
        all_values = list(values)
        texts = tuple(value for value in all_values[: self.most] if isinstance(value, str))
        return Domain(
            self.table,
            self.column,
            texts,
            self.reads_all_rows and not truncated and len(all_values) <= self.most,
        )


def text_columns(catalog: Catalog) -> Iterator[tuple[Table, Sequence[str]]]:
    """The text columns whose values users are likely to type, by table."""
    for table in catalog.tables:
        columns = [column.name for column in table.columns if _is_typed(column)]
        if columns and table.kind == "table":
            yield table, columns


def value_queries(
    catalog: Catalog, *, most: int = MOST_VALUES_A_COLUMN, queries: int = MOST_QUERIES
) -> Iterator[ValueQuery]:
    """The queries, cheapest (smallest tables) first, as far as the engine knows the sizes."""
    remaining = queries
    for table, columns in sorted(text_columns(catalog), key=lambda entry: _size(entry[0])):
        for column in columns[:remaining]:
            yield _query(table, column, most, catalog)
        remaining -= len(columns)
        if remaining <= 0:
            return


def _size(table: Table) -> float:
    return LARGE / 2 if table.rows is None else table.rows


def _is_typed(column: Column) -> bool:
    if column.hidden or not _TEXT_TYPE.search(column.type):
        return False
    samples = [sample for sample in column.samples if sample]
    if not samples:
        return True
    if sum(map(len, samples)) / len(samples) > MOST_CHARACTERS:
        return False
    return not all(_NEVER_TYPED.fullmatch(sample) for sample in samples)


def _query(table: Table, column: str, most: int, catalog: Catalog) -> ValueQuery:
    quote = "`" if catalog.dialect in _BACKTICKS else '"'
    name = _quoted(column, quote)
    source = ".".join(_quoted(part, quote) for part in (table.schema, table.name) if part)
    reads_all_rows = _size(table) <= LARGE
    if not reads_all_rows:
        source = f"(SELECT {name} FROM {source} {_limit(PREFIX, catalog.dialect)}) t"
    sql = f"SELECT DISTINCT {name} FROM {source} WHERE {name} IS NOT NULL {_limit(most + 1, catalog.dialect)}"
    return ValueQuery(label(table, catalog), column, sql, most, reads_all_rows)


def _limit(count: int, dialect: str) -> str:
    return f"FETCH FIRST {count} ROWS ONLY" if dialect == "oracle" else f"LIMIT {count}"


def _quoted(name: str, quote: str) -> str:
    return quote + name.replace(quote, quote * 2) + quote
