"""The queries that a profile is read with. The caller passes them through the guard like any other query.

Each table is sampled first, in one query: of a table that is smaller than the sample, that is everything.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from text2sql.naming import quoted, type_class
from text2sql.naming.joins import JoinCandidate
from text2sql.types import Catalog, Column, Table

SAMPLE_ROWS = 1_000
LARGE = 2_000_000  # rows: a table that the engine says is larger is never read as a whole
MOST_VALUES = 50  # of a column whose values are listed
_COLUMNS = 20  # in one query of statistics
_JOINED = 1_000  # distinct values that are looked up in the key


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A query about columns of one table, which returns at most `rows` rows."""

    table: str  # its label
    columns: tuple[str, ...]
    sql: str
    rows: int


def size(table: Table) -> float:
    """The rows of a table as far as the engine knows them."""
    return LARGE / 2 if table.rows is None else table.rows


def smallest_first(catalog: Catalog, *, views: bool) -> Iterable[Table]:
    tables = [table for table in catalog.tables if views or table.kind == "table"]
    return sorted(tables, key=lambda table: (table.kind == "view", size(table)))


def sample_query(table: Table, catalog: Catalog) -> TableQuery | None:
    """The first rows of a table, one more than are kept, which shows whether these are all."""
    columns = tuple(column.name for column in table.columns if _is_readable(column))
    if not columns:
        return None
    names = ", ".join(quoted(name, catalog.dialect) for name in columns)
    sql = f"SELECT {names} FROM {source(table, catalog)} {limit(SAMPLE_ROWS + 1, catalog.dialect)}"
    return TableQuery(catalog.label(table), columns, sql, SAMPLE_ROWS + 1)


def statistics_queries(table: Table, catalog: Catalog, rows: int) -> Iterator[TableQuery]:
    """One scan over the first `rows` rows: their number, and for each column the number of values and of
    distinct values, and the smallest and largest value.
    """
    columns = [column for column in table.columns if _is_readable(column)]
    for start in range(0, len(columns), _COLUMNS):
        chunk = columns[start : start + _COLUMNS]
        facts = [fact for column in chunk for fact in _facts(column, catalog.dialect)]
        inner = ", ".join(quoted(column.name, catalog.dialect) for column in chunk)
        head = f"SELECT {inner} FROM {source(table, catalog)} {limit(rows, catalog.dialect)}"
        sql = f"SELECT {', '.join(_numbered(['COUNT(*)', *facts]))} FROM ({head}) t"
        yield TableQuery(catalog.label(table), tuple(column.name for column in chunk), sql, 1)


def range_query(table: Table, times: Sequence[str], catalog: Catalog) -> TableQuery | None:
    """The number of rows and the range of each time over the whole table, unless that is too large. The first
    rows say nothing about the last day.
    """
    if size(table) > LARGE or (table.rows is not None and not times):
        return None
    facts = [f"{f}({quoted(name, catalog.dialect)})" for name in times for f in ("MIN", "MAX")]
    sql = f"SELECT {', '.join(_numbered(['COUNT(*)', *facts]))} FROM {source(table, catalog)}"
    return TableQuery(catalog.label(table), tuple(times), sql, 1)


def count_query(table: Table, column: str, catalog: Catalog, rows: int) -> TableQuery:
    """The values of a column with their counts, within the first `rows` rows."""
    name = quoted(column, catalog.dialect)
    head = f"SELECT {name} FROM {source(table, catalog)} {limit(rows, catalog.dialect)}"
    sql = f"SELECT {name}, COUNT(*) AS c1 FROM ({head}) t WHERE {name} IS NOT NULL GROUP BY {name}"
    return TableQuery(catalog.label(table), (column,), sql, MOST_VALUES + 1)


def inclusion_query(join: JoinCandidate, values: Sequence[object], catalog: Catalog) -> TableQuery | None:
    """How many of these values the key contains; only for numbers and short texts."""
    table = next(table for table in catalog.tables if catalog.label(table) == join.to)
    literals = [literal for value in values[:_JOINED] if (literal := _literal(value))]
    if not literals:
        return None
    key = quoted(join.referred, catalog.dialect)
    sql = (
        f"SELECT COUNT(*) AS c0, COUNT(DISTINCT {key}) AS c1 FROM {source(table, catalog)}"
        f" WHERE {key} IN ({', '.join(literals)})"
    )
    return TableQuery(join.to, (join.referred,), sql, 1)


def source(table: Table, catalog: Catalog) -> str:
    return ".".join(quoted(part, catalog.dialect) for part in (table.schema, table.name) if part)


def limit(count: int, dialect: str) -> str:
    return f"FETCH FIRST {count} ROWS ONLY" if dialect == "oracle" else f"LIMIT {count}"


def _facts(column: Column, dialect: str) -> tuple[str, ...]:
    name = quoted(column.name, dialect)
    ranged = is_ranged(column)
    ends = (f"MIN({name})", f"MAX({name})") if ranged else ("NULL", "NULL")
    return (f"COUNT({name})", f"COUNT(DISTINCT {name})", *ends)


def is_ranged(column: Column) -> bool:
    """Whether MIN and MAX are defined in every engine: PostgreSQL has none of booleans and UUIDs."""
    return type_class(column.type) != "boolean" and "uuid" not in column.type.lower()


def _is_readable(column: Column) -> bool:
    if column.hidden:
        return False
    if "lob" in column.type.lower():
        return column.samples != () and "clob" not in column.type.lower()
    return type_class(column.type) not in ("binary", "other")


def _numbered(expressions: Sequence[str]) -> list[str]:
    return [f"{expression} AS c{number}" for number, expression in enumerate(expressions)]


def _literal(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    if isinstance(value, int):
        return str(value)
    if len(value) > 60 or "\\" in value or not value.isprintable():
        return ""
    return "'" + value.replace("'", "''") + "'"
