"""Faults of the guard itself (K01–K08): whatever happens to it, nothing passes, and no other
request waits.
"""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from sqlglot.parser import Parser

from agents.asking import make_shop, scripted
from costly import broken_check
from server.people import TOKENS, bearer, token
from server.serving import COUNT, served
from terminal import run
from text2sql.cli.sources import policies_from
from text2sql.sql import check
from text2sql.types import CheckedSql, SqlRejected

NAMES = "SELECT name FROM customers ORDER BY id"
# What a parser might be slow at, each just within the bounds that are checked before it is asked.
LONGEST = {
    "list": "SELECT 1 WHERE 1 IN (" + ", ".join(map(str, range(1_990))) + ")",
    "unions": "SELECT 1 " + "UNION ALL SELECT 1 " * 900,
    "conditions": "SELECT 1 WHERE " + " AND ".join(["1 = 1"] * 990),
    "columns": "SELECT " + ", ".join(f"1 AS c{number}" for number in range(990)),
    "doubling": "SELECT " + "date(" * 58 + "id" + ")" * 58 + " FROM t",
    "types": "SELECT " + "STRUCT(" * 6 + "id" + ")" * 6 + " FROM t",
    "casts": "SELECT 1" + "::int" * 60,
    "subscripts": "SELECT " + ", ".join(["a" + "[1]" * 16] * 12) + " FROM t",
    "one value": "SELECT a" + "[1]" * 3_000 + " FROM t",
    "through names": "SELECT a" + "[1].b" * 1_900 + " FROM t",
    "lengths": "SELECT replace(c, 'a', 'b') AS r FROM ("
    + "".join(
        f"SELECT c || 'x' AS c{''.join(f', c AS d{level}_{item}' for item in range(12))} FROM ("
        for level in range(50)
    )
    + "SELECT 'x' AS c"
    + "".join(f") AS t{number}" for number in range(51)),
    "sized calls": "SELECT "
    + "replace(" * 57
    + "coalesce("
    + ", ".join(["'x'"] * 1_600)
    + ")"
    + ", 'a', 'b')" * 57,
    "through calls": "SELECT " + "f(" * 50 + "a" + ("[1]" * 15 + ", 1)") * 50 + " FROM t",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.db")


@pytest.mark.parametrize("error", [IndexError, KeyError, MemoryError, ValueError, AssertionError])
def test_k03_whatever_the_parser_raises_is_a_refusal(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise error("broken")

    monkeypatch.setattr("text2sql.sql.parse.tree_of", broken)
    verdict = check("SELECT 1", "postgres")
    assert isinstance(verdict, SqlRejected)
    assert verdict.rule == ("too_costly" if error is MemoryError else "internal")
    monkeypatch.undo()
    monkeypatch.setattr(Parser, "parse", broken)
    assert isinstance(check("SELECT 1", "postgres"), SqlRejected)


def test_k03_a_rule_that_breaks_refuses_over_http_and_nothing_runs(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> tuple[int, dict[str, Any]]:
        async with served(shop, scripted([])) as server:
            app = server.here.sources.named(None).app
            await app.catalog()
            monkeypatch.setattr("text2sql.agents.query_check.check", broken_check)
            response = await server.client.post("/api/v1/sql", json={"sql": COUNT})
            return response.status_code, response.json()

    status, answer = asyncio.run(run())
    assert (status, answer["status"], answer["error"]["kind"]) == (200, "refused", "internal")
    assert answer["receipt"]["statements"] == 0


@pytest.mark.parametrize("dialect", ["postgres", "duckdb", "clickhouse"])
@pytest.mark.parametrize("shape", sorted(LONGEST))
def test_k02_k04_no_statement_keeps_the_parser_for_long(dialect: str, shape: str) -> None:
    """Seconds of this thread, because the machine has other work; before its bound, one took 90. The issue's
    250 ms hold on a machine that does nothing else: `benchmarks/guard.py`.
    """
    check("SELECT 1", dialect)
    began = time.thread_time()
    check(LONGEST[shape], dialect)
    assert time.thread_time() - began < 2.0  # in process; a worker is ended after 0.2 s


def test_k02_lengths_are_estimated_in_a_bounded_number_of_steps() -> None:
    for shape in ("lengths", "sized calls"):
        verdict = check(LONGEST[shape], "postgres")
        assert isinstance(verdict, SqlRejected)
        assert verdict.rule == "too_costly"


def test_k04_a_long_statement_does_not_hold_up_the_others(shop: Path) -> None:
    """A worker reads it; how often the loop comes round meanwhile says whether anybody had to wait."""

    async def run() -> tuple[str, int]:
        async with served(shop, scripted([])) as server:
            await server.here.sources.named(None).app.catalog()
            body = {"sql": LONGEST["columns"]}
            asking = asyncio.create_task(server.client.post("/api/v1/sql", json=body))
            rounds = 0
            while not asking.done():
                await asyncio.sleep(0.005)
                rounds += 1
            return (await asking).json()["status"], rounds

    status, rounds = asyncio.run(run())
    assert status in ("answered", "failed")
    assert rounds > 5


def test_k05_an_unknown_dialect_is_refused() -> None:
    for name in ("foo", "", "POSTGRES", "tsql"):
        assert check("SELECT 1", name) == SqlRejected("dialect", name)


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"tables": 1}', '{"tables": {"t": "*"}}', "\x00"])
def test_k07_without_a_policy_that_can_be_read_nothing_is_served(
    shop: Path, tmp_path: Path, text: str | None
) -> None:
    """It does not even begin to listen, which no probe takes for ready."""
    path = tmp_path / "policy.json"
    if text is not None:
        path.write_text(text)
    ended = run("serve", "--db", str(shop), "--policy", str(path), "--port", "0")
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 2  # what is wrong, and what to do


def test_k07_a_policy_without_tables_shows_nothing(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text('{"tables": {}}')

    async def run() -> tuple[int, str]:
        policies = {"shop": policies_from(str(path))}
        async with served(shop, scripted([]), policies=policies) as server:
            response = await server.client.post("/api/v1/sql", json={"sql": COUNT})
            return response.status_code, response.json()["kind"]

    assert asyncio.run(run()) == (404, "usage.source")


def test_k08_a_policy_file_that_changes_does_not_affect_a_running_server(shop: Path, tmp_path: Path) -> None:
    """It is read once, when the server starts: a request cannot see half of one and half of another."""
    path = tmp_path / "policy.json"
    narrow = {"roles": {"clerk": {"tables": {"customers": ["id", "name"]}}}}
    wide = {"roles": {"clerk": {"tables": {"customers": ["id", "name", "level"], "orders": ["id"]}}}}
    path.write_text(json.dumps(narrow))

    async def run() -> set[tuple[str, str]]:
        policies = {"shop": policies_from(str(path))}
        seen = set[tuple[str, str]]()
        async with served(shop, scripted([]), policies=policies, **TOKENS) as server:
            clerk = bearer(token("ann", roles=["clerk"]))

            async def ask(number: int) -> None:
                path.write_text(("", "{", json.dumps(wide), json.dumps(narrow))[number % 4])
                if number % 7 == 0:
                    path.unlink()
                for sql in (NAMES, "SELECT level FROM customers", "SELECT id FROM orders"):
                    response = await server.client.post("/api/v1/sql", json={"sql": sql}, headers=clerk)
                    seen.add((sql, response.json()["status"]))

            await asyncio.gather(*(ask(number) for number in range(20)))
        return seen

    assert asyncio.run(run()) == {
        (NAMES, "answered"),
        ("SELECT level FROM customers", "refused"),
        ("SELECT id FROM orders", "refused"),
    }


def test_k06_the_generated_sql_that_is_sent_parses_to_the_same_tree() -> None:
    text = "select /* hidden */ NAME from customers where id = 1 -- and more"
    checked = check(text, "sqlite")
    assert isinstance(checked, CheckedSql)
    assert "hidden" not in checked.sql
    assert "more" not in checked.sql
    again = check(checked.sql, "sqlite")
    assert isinstance(again, CheckedSql)
    assert again.sql == checked.sql
