"""The commands on every engine, with the contract suite's sample schema."""

import json
from collections.abc import Iterator

import pytest

from contract.engine_databases import EngineDatabase, spelled
from contract.making import ENGINE_PARAMS, engine_database
from terminal import run

pytestmark = pytest.mark.slow  # it needs servers, which `make check` does not start


@pytest.fixture(scope="module", params=ENGINE_PARAMS)
def engine_db(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EngineDatabase]:
    with engine_database(request.param, tmp_path_factory) as engine_db:
        yield engine_db


def test_the_schema_is_shown(engine_db: EngineDatabase) -> None:
    page = run("schema", "--db", engine_db.url, "--lang", "zh")
    assert (page.code, page.err) == (0, "")
    assert "客户 表" in page.out
    customers, identity, orders, big_orders = engine_db.named("customers", "id", "orders", "big_orders")
    assert (f"→ {customers}({identity})" in page.out) is ("keys" not in engine_db.facts.gaps)
    assert "'北京'" in page.out
    schema = json.loads(run("schema", "--db", engine_db.url, "--json").out)
    assert schema["dialect"] == engine_db.dialect
    dotted = spelled("dotted.name", engine_db.facts)
    assert {customers, orders, big_orders, "order", dotted} <= {table["name"] for table in schema["tables"]}


def test_the_doctor_reaches_it_and_hides_the_password(engine_db: EngineDatabase) -> None:
    ended = run("doctor", "--db", engine_db.url, "--json")
    seen = json.loads(ended.out)["database"]
    assert (ended.code, seen["reachable"], seen["error"]) == (0, True, "")
    assert engine_db.url == seen["source"] or "***" in seen["source"]


def test_a_statement_is_checked_for_the_database(engine_db: EngineDatabase) -> None:
    ended = run("check", "SELECT name FROM customers WHERE city = 'Oslo'", "--db", engine_db.url)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("LIMIT 1000\n")
    assert run("check", "DROP TABLE customers", "--db", engine_db.url).code == 3


def test_a_wrong_password_is_reported(engine_db: EngineDatabase) -> None:
    account, at, rest = engine_db.url.rpartition("@")
    if not at:
        pytest.skip("a file has no password")
    _fails(f"{account.rpartition(':')[0]}:wr0ng-pw@{rest}", "refused the account", "拒绝了该账号")


def test_a_wrong_database_is_reported(engine_db: EngineDatabase) -> None:
    if engine_db.dialect not in ("postgres", "clickhouse"):
        pytest.skip("MariaDB does not tell an account which databases there are not")
    _fails(f"{engine_db.url}_not", "no such database", "没有这个数据库")


def _fails(source: str, english: str, chinese: str) -> None:
    for lang, expected in (("en", english), ("zh", chinese)):
        ended = run("schema", "--db", source, "--lang", lang)
        assert (ended.code, ended.out) == (4, "")
        assert expected in ended.err
        assert "wr0ng-pw" not in ended.err
        assert len(ended.err.splitlines()) == 2
