"""Build the queries that fetch the distinct values of text columns. The caller passes them through the guard
like any other query.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from text2sql.naming import quoted
from text2sql.schema.profile.observations import TableSample
from text2sql.schema.profile.queries import LARGE, limit, size, source
from text2sql.types import Catalog, Column, Table

MOST_CHARACTERS = 60  # of a value that a user would type
MOST_VALUES_A_COLUMN = 2_000
MOST_QUERIES = 400
PREFIX = 100_000  # rows that are read of a table that is too large
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
    catalog: Catalog,
    *,
    most: int = MOST_VALUES_A_COLUMN,
    queries: int = MOST_QUERIES,
    known: Collection[str] = (),
) -> Iterator[ValueQuery]:
    """The queries, cheapest (smallest tables) first, as far as the engine knows the sizes. `known`: labels of
    tables whose values need no query.
    """
    remaining = queries
    for table, columns in sorted(text_columns(catalog), key=lambda entry: size(entry[0])):
        if remaining <= 0:
            return
        if catalog.label(table) not in known:
            for column in columns[:remaining]:
                yield _query(table, column, most, catalog)
            remaining -= len(columns)


def sample_domains(catalog: Catalog, samples: Iterable[TableSample]) -> Iterator[Domain]:
    """The values of tables that were sampled as a whole."""
    whole = {sample.table: sample for sample in samples if sample.is_whole}
    for table, columns in text_columns(catalog):
        sample = whole.get(catalog.label(table))
        if sample is None:
            continue
        for column in columns:
            texts = dict.fromkeys(value for value in sample.values(column) if isinstance(value, str))
            yield Domain(sample.table, column, tuple(texts), complete=True)


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
    name, rows = quoted(column, catalog.dialect), source(table, catalog)
    reads_all_rows = size(table) <= LARGE
    if not reads_all_rows:
        rows = f"(SELECT {name} FROM {rows} {limit(PREFIX, catalog.dialect)}) t"
    sql = f"SELECT DISTINCT {name} FROM {rows} WHERE {name} IS NOT NULL {limit(most + 1, catalog.dialect)}"
    return ValueQuery(catalog.label(table), column, sql, most, reads_all_rows)


def count_query(table: Table, catalog: Catalog) -> str:
    """The query that counts the rows of a table."""
    return f"SELECT COUNT(*) FROM {source(table, catalog)}"
