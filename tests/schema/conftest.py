"""Fixtures: the demo database and its schema context, with values fetched through the guard."""

from pathlib import Path

import pytest

from text2sql.database import open_database
from text2sql.database.demo import build_demo
from text2sql.schema import SchemaContext, build, value_queries
from text2sql.sql import check
from text2sql.types import CheckedSql, Limits


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("known") / "shop.db")


@pytest.fixture(scope="session")
def known(shop: Path) -> SchemaContext:
    with open_database(str(shop)) as database:
        schema_context = build(database.catalog())
        domains = []
        for query in value_queries(schema_context.catalog):
            checked = check(query.sql, database.dialect, schema_context.catalog, rows=query.most + 1)
            assert isinstance(checked, CheckedSql), query.sql
            result = database.run(checked, Limits(rows=query.most + 1))
            domains.append(query.domain(row[0] for row in result.rows))
        return schema_context.with_values(domains)
