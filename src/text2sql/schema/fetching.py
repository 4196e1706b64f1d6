"""Which columns are worth knowing by value, and the queries that fetch them. They are texts: the caller sends
them through the guard like anybody's.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from text2sql.schema.names import label
from text2sql.types import Catalogue, Column, Table

MOST_CHARACTERS = 60  # of a value that somebody would type
MOST_VALUES_A_COLUMN = 2_000
MOST_QUERIES = 400
LARGE = 2_000_000  # rows: DISTINCT over more of them costs the database more than it is worth
PREFIX = 100_000  # rows that are looked at instead
_BACKTICKS = frozenset({"mysql", "bigquery", "hive", "spark", "databricks"})
_TEXT_TYPE = re.compile(r"(?i)char|text|string|enum|clob|^$")
_NOT_SAID = re.compile(
    r"""(?ix)
    [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}  # UUID
    | [0-9a-f]{24,} | [A-Za-z0-9+/_-]{32,}={0,2}  # digests, tokens
    | \w+://.* | [^@\s]+@[^@\s]+\.\w+ | [{\[].*  # addresses of the web and of mail, JSON
    | \+?[\d\s()-]{9,}  # telephones
    | \d{4}-\d\d-\d\d.* | \d{1,2}[/.]\d{1,2}[/.]\d{2,4}.* | \d\d:\d\d(:\d\d)?.*  # dates and times
    | -?\d+\.\d+
    """
)


@dataclass(frozen=True, slots=True)
class Domain:
    """What a column holds; `complete` if that is all of it. Plain values, so that it can be kept."""

    table: str
    column: str
    values: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class ValueQuery:
    """`sql` asks for one value more than `most`, so that whether all were seen is a fact."""

    table: str  # as `Domains` is asked for it: bare in the default schema, else `schema.name`
    column: str
    sql: str
    most: int
    whole: bool = True  # False: the query looks at the first rows of a large table only

    def domain(self, values: Iterable[object], *, truncated: bool = False) -> Domain:
        """What its rows tell. `truncated`: a limit of the run cut them off."""
        found = list(values)
        texts = tuple(value for value in found[: self.most] if isinstance(value, str))
        return Domain(
            self.table, self.column, texts, self.whole and not truncated and len(found) <= self.most
        )


def text_columns(catalogue: Catalogue) -> Iterator[tuple[Table, Sequence[str]]]:
    """The columns whose values people name, table by table."""
    for table in catalogue.tables:
        columns = [column.name for column in table.columns if _is_said(column)]
        if columns and table.kind == "table":
            yield table, columns


def value_queries(
    catalogue: Catalogue, *, most: int = MOST_VALUES_A_COLUMN, queries: int = MOST_QUERIES
) -> Iterator[ValueQuery]:
    """The smallest tables first, as far as the engine knows their size: what is cheap comes at once."""
    left = queries
    for table, columns in sorted(text_columns(catalogue), key=lambda held: _size(held[0])):
        for column in columns[:left]:
            yield _query(table, column, most, catalogue)
        left -= len(columns)
        if left <= 0:
            return


def _size(table: Table) -> float:
    return LARGE / 2 if table.rows is None else table.rows


def _is_said(column: Column) -> bool:
    if not _TEXT_TYPE.search(column.type):
        return False
    samples = [sample for sample in column.samples if sample]
    if not samples:
        return True
    if sum(map(len, samples)) / len(samples) > MOST_CHARACTERS:
        return False
    return not all(_NOT_SAID.fullmatch(sample) for sample in samples)


def _query(table: Table, column: str, most: int, catalogue: Catalogue) -> ValueQuery:
    quote = "`" if catalogue.dialect in _BACKTICKS else '"'
    name = _quoted(column, quote)
    whose = ".".join(_quoted(part, quote) for part in (table.schema, table.name) if part)
    whole = _size(table) <= LARGE
    if not whole:
        whose = f"(SELECT {name} FROM {whose} {_first(PREFIX, catalogue.dialect)}) t"
    sql = (
        f"SELECT DISTINCT {name} FROM {whose} WHERE {name} IS NOT NULL {_first(most + 1, catalogue.dialect)}"
    )
    return ValueQuery(label(table, catalogue), column, sql, most, whole)


def _first(count: int, dialect: str) -> str:
    return f"FETCH FIRST {count} ROWS ONLY" if dialect == "oracle" else f"LIMIT {count}"


def _quoted(name: str, quote: str) -> str:
    return quote + name.replace(quote, quote * 2) + quote
