"""Test on values which of the joins that names suggest exist."""

from collections.abc import Iterable, Mapping

from text2sql.naming.joins import JoinCandidate, join_candidates
from text2sql.schema.profile.observations import TableObservation
from text2sql.types import Catalog, InferredJoin, Row, Value

INCLUDED = 0.95  # least share of the values that the key contains
_VALUES = 1_000  # distinct values that are tested


def candidates(catalog: Catalog, tables: Mapping[str, TableObservation]) -> list[JoinCandidate]:
    """The candidates whose column has values and whose key is unique."""
    keys = {catalog.label(table): table.primary_key for table in catalog.tables}
    return [
        join
        for join in join_candidates(catalog)
        if values_of(join, tables) and (keys[join.to] == (join.referred,) or _is_unique(join, tables))
    ]


def values_of(join: JoinCandidate, tables: Mapping[str, TableObservation]) -> list[Value]:
    table = tables.get(join.table)
    seen = table.columns.get(join.column) if table is not None else None
    return list(dict.fromkeys(seen.sample))[:_VALUES] if seen is not None else []


def included_in_sample(join: JoinCandidate, tables: Mapping[str, TableObservation]) -> InferredJoin | None:
    """The join, if all rows of the key are known and contain the values."""
    keys = set(tables[join.to].columns[join.referred].sample)
    values = values_of(join, tables)
    return inferred(join, sum(value in keys for value in values), len(values))


def has_whole_key(join: JoinCandidate, tables: Mapping[str, TableObservation]) -> bool:
    table = tables.get(join.to)
    return table is not None and table.is_whole and join.referred in table.columns


def counted(join: JoinCandidate, values: int, row: Row) -> InferredJoin | None:
    """The join from the row of its query: rows and distinct values of the key among the values."""
    rows, distinct = (int(str(cell)) for cell in row[:2])
    return inferred(join, distinct, values) if rows == distinct else None


def inferred(join: JoinCandidate, included: int, values: int) -> InferredJoin | None:
    share = included / values if values else 0.0
    if share < INCLUDED:
        return None
    return InferredJoin(join.table, join.column, join.to, join.referred, round(share, 4))


def _is_unique(join: JoinCandidate, tables: Mapping[str, TableObservation]) -> bool:
    seen = tables[join.to].columns.get(join.referred) if join.to in tables else None
    return seen is not None and seen.distinct is not None and 0 < seen.distinct == seen.present


def without_repeats(joins: Iterable[InferredJoin | None]) -> tuple[InferredJoin, ...]:
    return tuple(dict.fromkeys(join for join in joins if join is not None))
