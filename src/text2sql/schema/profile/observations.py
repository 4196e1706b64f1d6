"""What the rows of the queries say about single columns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from text2sql.schema.profile.queries import MOST_VALUES, SAMPLE_ROWS, TableQuery
from text2sql.types import Row, Value


@dataclass(frozen=True, slots=True)
class Observation:
    """Facts about the values of a column, not yet interpreted."""

    scanned: int = 0  # rows
    present: int = 0  # of them with a value
    distinct: int | None = None
    smallest: Value = None
    largest: Value = None
    counts: tuple[tuple[Value, int], ...] = ()  # all values with their counts, if there are few
    sample: tuple[Value, ...] = ()  # in the order of the rows


@dataclass(frozen=True, slots=True)
class TableSample:
    """The first rows of a table."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    is_whole: bool  # these are all rows

    def values(self, column: str) -> list[Value]:
        """The values that are present, in the order of the rows."""
        if column not in self.columns:
            return []
        index = self.columns.index(column)
        return [row[index] for row in self.rows if row[index] is not None]


@dataclass(frozen=True, slots=True)
class TableObservation:
    table: str
    rows: int | None = None
    scanned: int = 0
    is_whole: bool = False  # all rows were read
    columns: Mapping[str, Observation] = field(default_factory=dict)


def table_sample(query: TableQuery, rows: Sequence[Row], *, truncated: bool) -> TableSample:
    whole = len(rows) <= SAMPLE_ROWS and not truncated
    return TableSample(query.table, query.columns, tuple(rows[:SAMPLE_ROWS]), whole)


def observed(sample: TableSample) -> TableObservation:
    """The facts that follow from a sample; for a whole table these are all."""
    columns = {name: _observed_column(sample, name) for name in sample.columns}
    rows = len(sample.rows)
    return TableObservation(sample.table, rows if sample.is_whole else None, rows, sample.is_whole, columns)


def _observed_column(sample: TableSample, name: str) -> Observation:
    values = sample.values(name)
    counts = Counter(values) if not any(isinstance(value, list | dict) for value in values) else Counter()
    listed = tuple(counts.most_common()) if len(counts) <= MOST_VALUES else ()
    comparable = _comparable(counts)
    return Observation(
        len(sample.rows),
        len(values),
        len(counts),
        min(comparable, default=None),  # type: ignore[type-var]  # all numbers, or all texts
        max(comparable, default=None),  # type: ignore[type-var]
        listed,
        tuple(values),
    )


def _comparable(values: Mapping[Value, int]) -> list[Value]:
    numbers: list[Value] = [value for value in values if isinstance(value, int | float)]
    texts: list[Value] = [value for value in values if isinstance(value, str)]
    return numbers if len(numbers) >= len(texts) else texts


def with_statistics(table: TableObservation, query: TableQuery, row: Row) -> TableObservation:
    """The facts of a scan over more rows replace those of the sample."""
    scanned = _integer(row[0]) or 0
    columns = dict(table.columns)
    for number, name in enumerate(query.columns):
        present, distinct, smallest, largest = row[1 + 4 * number : 5 + 4 * number]
        columns[name] = replace(
            columns.get(name, Observation()),
            scanned=scanned,
            present=_integer(present) or 0,
            distinct=_integer(distinct),
            smallest=smallest,
            largest=largest,
            counts=(),
        )
    return replace(table, scanned=max(scanned, table.scanned), columns=columns)


def with_ranges(table: TableObservation, query: TableQuery, row: Row) -> TableObservation:
    """The number of rows, and the ranges of times over the whole table."""
    columns = dict(table.columns)
    for number, name in enumerate(query.columns):
        smallest, largest = row[1 + 2 * number : 3 + 2 * number]
        columns[name] = replace(columns.get(name, Observation()), smallest=smallest, largest=largest)
    return replace(table, rows=_integer(row[0]), columns=columns)


def with_counts(table: TableObservation, column: str, rows: Sequence[Row]) -> TableObservation:
    counts = sorted(((row[0], _integer(row[1]) or 0) for row in rows), key=lambda entry: -entry[1])
    if len(counts) > MOST_VALUES or column not in table.columns:
        return table
    columns = {**table.columns, column: replace(table.columns[column], counts=tuple(counts))}
    return replace(table, columns=columns)


def _integer(value: Value) -> int | None:
    return int(value) if isinstance(value, int | float | str) and str(value).lstrip("-").isdigit() else None
