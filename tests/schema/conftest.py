"""The demo's shop, known as the program knows it: values fetched through the guard, read-only."""

from pathlib import Path

import pytest

from text2sql.database import open_database
from text2sql.database.demo import build_demo
from text2sql.schema import Knowledge, build, value_queries
from text2sql.sql import check
from text2sql.types import CheckedSql, Limits


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("known") / "shop.db")


@pytest.fixture(scope="session")
def known(shop: Path) -> Knowledge:
    with open_database(str(shop)) as database:
        knowledge = build(database.catalogue())
        domains = []
        for query in value_queries(knowledge.catalogue):
            checked = check(query.sql, database.dialect, knowledge.catalogue, rows=query.most + 1)
            assert isinstance(checked, CheckedSql), query.sql
            result = database.run(checked, Limits(rows=query.most + 1))
            domains.append(query.domain(row[0] for row in result.rows))
        return knowledge.with_values(domains)
