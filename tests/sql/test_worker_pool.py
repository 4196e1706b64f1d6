"""Worker processes for SQL text: limits, crashes and cleanup."""

import ast
import itertools
import logging
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import costly
from sql_cases import by_dialect
from text2sql.schema.value_index import ValueIndex
from text2sql.sql import FixedSql, check, close_workers, fix_sql, in_worker_now, worker_pool
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import Catalog, CheckedSql, Column, SqlRejected, Table

SHOP = Catalog(
    "sqlite",
    "main",
    (Table("customers", (Column("id", "INTEGER"), Column("city", "TEXT"))),),
    "1",
)


@pytest.fixture(autouse=True)
def one_worker() -> Iterator[None]:
    """Sequential calls use the same process; start each test with a new one."""
    close_workers()
    yield
    close_workers()


def has_exited(pid: int) -> bool:
    """Whether a process has exited; a zombie counts as exited."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def until_gone(*pids: int) -> None:
    end = time.monotonic() + 20
    while not all(map(has_exited, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    assert all(map(has_exited, pids))


def test_a_worker_returns_the_verdict_of_the_guard() -> None:
    for folder in ("allowed", "refused"):
        for dialect, _, sql in by_dialect(folder)[::25]:
            assert in_worker_now(check, sql, dialect) == check(sql, dialect)


def test_a_call_with_too_much_cpu_time_is_killed_and_the_worker_replaced() -> None:
    server, host = in_worker_now(costly.process_ids, "x")  # type: ignore[misc]
    began = time.process_time()
    assert in_worker_now(costly.spin, "x", 60.0) == SqlRejected("too_costly")
    assert time.process_time() - began < 0.05  # no CPU time was spent in this process
    other, same = in_worker_now(costly.process_ids, "x")  # type: ignore[misc]
    assert (same, other != server) == (host, True)
    until_gone(server)


def test_a_call_with_too_much_wall_clock_time_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    server, host = in_worker_now(costly.process_ids, "x")  # type: ignore[misc]
    monkeypatch.setattr(worker_pool, "_CLOCK", 0.2)
    assert in_worker_now(costly.sleep, "x", 60.0) == SqlRejected("too_costly")
    until_gone(server, host)
    monkeypatch.undo()
    assert in_worker_now(costly.echo, "x") == "x"


def test_a_call_with_too_much_memory_is_refused() -> None:
    assert in_worker_now(costly.allocate, "x", 20) == 21
    assert in_worker_now(costly.allocate, "x", 200) == SqlRejected("too_costly")
    assert in_worker_now(costly.long_reply, "x") == SqlRejected("too_costly")


def test_a_worker_that_crashes_refuses_and_is_replaced() -> None:
    assert in_worker_now(costly.crash, "x") == SqlRejected("too_costly")
    assert in_worker_now(costly.echo, "x") == "x"


@pytest.mark.parametrize("of_host", [False, True])
def test_a_worker_killed_while_idle_never_mixes_up_replies(of_host: bool) -> None:
    for number in range(2):
        server, host = in_worker_now(costly.process_ids, "x")  # type: ignore[misc]
        victim = host if of_host else server
        os.kill(victim, signal.SIGKILL)
        until_gone(victim)
        time.sleep(0.1)
        for text in (f"{number} a", f"{number} b"):
            assert in_worker_now(costly.echo, text) in (text, SqlRejected("too_costly"))


def test_a_worker_that_cannot_start_refuses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert in_worker_now(check, "SELECT 1", "sqlite") == SqlRejected("unavailable")
    assert "/nowhere/python" in caplog.text


def test_an_import_that_fails_in_a_worker_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker_pool, "_MAIN", "raise SystemExit(3)  # {path} {dialect}")
    assert in_worker_now(check, "SELECT 1", "sqlite") == SqlRejected("unavailable")
    assert "no process could work on a statement" in caplog.text


def test_a_fault_of_the_guard_is_logged_without_the_statement(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        result = in_worker_now(costly.broken_check, "SELECT 1", "sqlite")
    assert isinstance(result, SqlRejected)
    assert result.rule == "internal"
    assert "IndexError at costly.py" in caplog.text
    assert "a piece of the statement" not in caplog.text


def test_a_catalog_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []

    def noted(value: object, protocol: int) -> bytes:
        sent.append(value)
        return pickle.dumps(value, protocol)

    monkeypatch.setattr(worker_pool, "dumps", noted)
    for _ in range(3):
        assert isinstance(in_worker_now(check, "SELECT id FROM customers", "sqlite", SHOP), CheckedSql)
    assert sent == [SHOP]
    in_worker_now(costly.spin, "x", 60.0)  # the next worker needs the catalog again
    assert isinstance(in_worker_now(check, "SELECT id FROM customers", "sqlite", SHOP), CheckedSql)
    assert sent == [SHOP, SHOP]


def test_a_query_on_a_thousand_tables_is_fixed_within_the_limit_of_a_call() -> None:
    columns = tuple(Column(f"field_{number}", "TEXT") for number in range(20))
    wide = [Table(f"thing_{number}", columns, primary_key=("field_0",)) for number in range(1_000)]
    catalog = Catalog("sqlite", "main", (*wide, *SHOP.tables), "wide")
    fixed = in_worker_now(fix_sql, "SELECT city FROM customer", "sqlite", catalog)
    assert fixed == FixedSql("SELECT city FROM customers", ("near_table",))


def test_a_fix_requests_values_from_the_parent() -> None:
    values = ValueIndex()
    values.add("customers", "city", ["Oslo", "Paris"], complete=True)
    sql = "SELECT id FROM customers WHERE city = 'oslo'"
    fixed = in_worker_now(fix_sql, sql, "sqlite", SHOP, values)
    assert fixed == fix_sql(sql, "sqlite", SHOP, values)
    assert isinstance(fixed, FixedSql)
    assert fixed.fixes


STARTED = """
import os, signal, costly
from text2sql.sql import in_worker_now
print(*in_worker_now(costly.process_ids, "x"), flush=True)
{end}
"""


@pytest.mark.parametrize(
    "end", ["", "os.kill(os.getpid(), signal.SIGKILL)", "os._exit(1)", "raise SystemExit"]
)
def test_nothing_is_left_of_a_worker_however_its_parent_ends(end: str) -> None:
    """A script without a `__main__` guard, too: nothing of it is imported by the worker."""
    environment = {**os.environ, "PYTHONPATH": str(Path(costly.__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", STARTED.format(end=end)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )
    until_gone(*map(int, done.stdout.split()))
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork there")
def test_a_forked_process_has_its_own_workers() -> None:
    code = """
import os, costly
from text2sql.sql import in_worker_now
mine = in_worker_now(costly.process_ids, "x")
child = os.fork()
theirs = in_worker_now(costly.process_ids, "x")
if child == 0:
    os._exit(0 if theirs[1] != mine[1] else 1)
_, status = os.waitpid(child, 0)
print(status, theirs == mine)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(costly.__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert done.stdout == "0 True\n", done.stderr


# Pieces that nest or repeat, and their closing parts.
PIECES = {
    "date(": ")", "timestamp(": ")", "char(": ")", "tuple(": ")", "SAFE.f(": ")", "CAST(": " AS INT)",
    "(": ")", "f((": "))", "STRUCT(": ")", "OBJECT(": ")", "ARRAY[": "]", "[": "]", "{'a': ": "}",
    "x -> ": "", "CASE WHEN ": " THEN 1 END", "NOT ": "", "- ": "", "(SELECT ": ")", "a[": "]",
    "INTERVAL ": "",
    "EXISTS(SELECT ": ")", "1 + ": "", "a || ": "", "a AND ": "", "a, ": "", "*, ": "", "a IN (": ")",
    "1::int::": "int", "a -> 'b' -> ": "'c'", "SELECT 1 UNION ALL ": " SELECT 1",
    "f() OVER (PARTITION BY ": ")",
    "ARRAY<STRUCT<a ": ">>", "/* x */ ": "", "'a' ": "", "a.": "", "MAP {'a': ": "}", "DECIMAL(": ")",
}  # fmt: skip


def nasty(seed: int) -> str:
    draw = random.Random(seed)
    text, budget = "id", draw.choice([60, 400, 4_000, 90_000])
    while True:
        piece = draw.choice(list(PIECES))
        times = draw.choice([1, 2, 8, 20, 58, 500])
        longer = piece * times + text + (PIECES[piece] * times if draw.random() < 0.9 else "")
        if len(longer) > budget:
            return f"SELECT {text} FROM customers"
        text = longer


@pytest.mark.parametrize("dialect", sorted(GRAMMARS))
def test_no_shape_of_a_statement_costs_this_process_or_a_worker_more_than_its_budget(dialect: str) -> None:
    in_worker_now(check, "SELECT 1", dialect)
    for seed in range(40):
        text = nasty(seed)
        began, cost = time.process_time(), time.thread_time()
        result = in_worker_now(check, text, dialect, SHOP if dialect == "sqlite" else None)
        assert isinstance(result, CheckedSql | SqlRejected)
        assert time.thread_time() - cost < 0.05, text[:200]
        assert time.process_time() - began < 0.05, text[:200]


def test_functions_that_parse_are_only_called_in_workers() -> None:
    """A function that any module hands to `in_worker` is used in no other way outside `sql/`."""
    trees = {
        file: ast.parse(file.read_text(encoding="utf-8"))
        for file in (Path(worker_pool.__file__).parents[1]).rglob("*.py")
        if not {"sql", "demo.py"} & set(file.parts)  # the demo's statement is its own
    }
    calls = {
        file: [node for node in ast.walk(tree) if isinstance(node, ast.Call)] for file, tree in trees.items()
    }
    entered = {
        call.args[0]
        for call in itertools.chain(*calls.values())
        if call.args and ast.unparse(call.func) in ("in_worker", "in_worker_now", "partial")
    }
    names = {node.id for node in entered if isinstance(node, ast.Name)} & set(_sql_functions())
    assert {"check", "fix_sql", "outline"} <= names
    others = []
    for file, tree in trees.items():
        here = names & _imported(tree)
        uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in here]
        others += [f"{file.name}:{node.lineno} {node.id}" for node in uses if node not in entered]
    assert others == []


def _sql_functions() -> Iterator[str]:
    for file in Path(worker_pool.__file__).parent.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                yield node.name


def _imported(tree: ast.AST) -> set[str]:
    modules = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {
        name.asname or name.name
        for node in modules
        if (node.module or "").startswith("text2sql.sql")
        for name in node.names
    }
