"""The queries of a profile pass the guard and mean the same in every engine."""

import pytest

from contract.engine_databases import EngineDatabase
from contract.test_introspection import table_of
from text2sql.database import Database
from text2sql.schema.profile import (
    TableQuery,
    count_query,
    observed,
    range_query,
    sample_query,
    statistics_queries,
    table_profile,
    table_sample,
    with_counts,
    with_ranges,
    with_statistics,
)
from text2sql.sql import check
from text2sql.types import Catalog, CheckedSql, ColumnProfile, Limits, QueryResult


def run(query: TableQuery | None, db: Database, catalog: Catalog) -> QueryResult:
    assert query is not None
    checked = check(query.sql, catalog.dialect, catalog, rows=query.rows)
    assert isinstance(checked, CheckedSql), (query.sql, checked)
    return db.run(checked, Limits(rows=query.rows))


@pytest.mark.parametrize("is_scanned", [False, True])
def test_a_table_is_described_by_its_sample_and_by_a_scan(
    db: Database, engine_db: EngineDatabase, is_scanned: bool
) -> None:
    catalog = db.catalog()
    table = table_of(catalog, "customers")
    key, name, city, born = (column.name for column in table.columns)
    query = sample_query(table, catalog)
    assert query is not None
    seen = observed(table_sample(query, run(query, db, catalog).rows, truncated=False))
    if is_scanned:
        for query in statistics_queries(table, catalog, 100):
            seen = with_statistics(seen, query, run(query, db, catalog).rows[0])
        for column in (city, born):
            rows = run(count_query(table, column, catalog, 100), db, catalog).rows
            seen = with_counts(seen, column, rows)
        query = range_query(table, [born], catalog)
        assert query is not None
        seen = with_ranges(seen, query, run(query, db, catalog).rows[0])
    profile = table_profile(table, catalog, seen)
    assert (profile.rows, profile.scanned) == (3, 3)
    columns = {column.name: column for column in profile.columns}

    def facts(column: ColumnProfile) -> tuple[object, ...]:
        return column.kind, column.distinct, round(column.nulls, 2), column.is_unique

    assert facts(columns[key])[:3] == ("identifier", 3, 0.0)
    assert facts(columns[name]) == ("label", 3, 0.0, True)
    assert facts(columns[city]) == ("category", 2, 0.0, False)
    assert columns[city].values == (("Oslo", 2), ("北京", 1))
    assert columns[born].kind == "date"
    assert str(columns[born].smallest).startswith("1990-02-03")
