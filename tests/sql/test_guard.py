"""Verdicts of the guard. Every case is a line in `cases/`."""

import json
from pathlib import Path

import pytest

from sql_cases import CASES, by_dialect, headed, pairs
from text2sql.i18n import refusal, sentences
from text2sql.sql import check, check_count, check_page
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import Catalog, CheckedSql, Column, Policy, SqlRejected, Table

SHARED = Path(__file__).parents[3] / "shared" / "security"


@pytest.mark.parametrize(("dialect", "rule", "sql"), by_dialect("refused"))
@pytest.mark.fault("A09", "A10", "P15")
def test_a_hostile_statement_is_refused_by_the_rule_it_breaks(
    dialect: str, rule: str, sql: str, policy: Policy
) -> None:
    verdict = check(sql, dialect, None, policy)
    assert isinstance(verdict, SqlRejected), verdict
    assert verdict.rule == rule


@pytest.mark.parametrize(("dialect", "_", "sql"), by_dialect("allowed"))
def test_a_harmless_statement_passes_with_a_limit(dialect: str, _: str, sql: str, policy: Policy) -> None:
    verdict = check(sql, dialect, None, policy, rows=100)
    assert isinstance(verdict, CheckedSql), verdict
    assert verdict.limit is not None
    assert verdict.limit <= 100


@pytest.mark.parametrize(("dialect", "_", "sql"), by_dialect("allowed"))
@pytest.mark.fault("K06")
def test_what_passed_once_passes_again_unchanged(dialect: str, _: str, sql: str, policy: Policy) -> None:
    once = check(sql, dialect, None, policy)
    assert isinstance(once, CheckedSql)
    assert check(once.shown, dialect, None, policy) == once


@pytest.mark.parametrize(("dialect", "sql"), list(headed(CASES / "open" / "refused.sql")))
def test_without_a_policy_system_tables_are_still_refused(dialect: str, sql: str) -> None:
    assert isinstance(check(sql, dialect), SqlRejected)


@pytest.mark.parametrize(("dialect", "_", "sql"), by_dialect("allowed"))
def test_what_passes_under_a_policy_passes_without_one(dialect: str, _: str, sql: str) -> None:
    assert isinstance(check(sql, dialect), CheckedSql)


@pytest.mark.parametrize(("dialect", "query", "expected"), pairs("limit"))
def test_a_limit_is_always_there_and_never_too_large(dialect: str, query: str, expected: str) -> None:
    verdict = check(query, dialect, rows=100)
    assert isinstance(verdict, CheckedSql), verdict
    assert verdict.sql == expected


@pytest.mark.parametrize(("dialect", "query", "expected"), pairs("page"))
def test_a_page_has_a_stable_order(dialect: str, query: str, expected: str, policy: Policy) -> None:
    verdict = check_page(query, dialect, None, policy, number=3, size=10)
    assert isinstance(verdict, CheckedSql), verdict
    assert verdict.shown == expected


@pytest.mark.parametrize(("dialect", "query", "expected"), pairs("sorted"))
def test_a_page_can_be_sorted_by_a_column(dialect: str, query: str, expected: str, policy: Policy) -> None:
    verdict = check_page(query, dialect, None, policy, number=3, size=10, order=-1)
    assert isinstance(verdict, CheckedSql), verdict
    assert verdict.shown == expected
    other = check_page(query, dialect, None, policy, number=3, size=10, order=1)
    assert isinstance(other, CheckedSql), other
    assert other.shown == expected.replace("ORDER BY 1 DESC, 1", "ORDER BY 1, 1")


@pytest.mark.parametrize(("dialect", "query", "expected"), pairs("count"))
def test_a_count_query_counts_the_query(dialect: str, query: str, expected: str) -> None:
    verdict = check_count(query, dialect)
    assert isinstance(verdict, CheckedSql), verdict
    assert verdict.sql == expected


@pytest.mark.parametrize(("dialect", "query", "expected"), pairs("visible"))
def test_a_policy_makes_every_table_a_sub_query_of_its_visible_columns(
    dialect: str, query: str, expected: str, policy: Policy
) -> None:
    verdict = check(query, dialect, None, policy, rows=100)
    assert isinstance(verdict, CheckedSql), verdict
    assert verdict.sql == expected


def test_a_refusal_names_the_rule_the_piece_and_its_position(policy: Policy) -> None:
    verdict = check("SELECT id,\n       ssn\nFROM customers", "postgres", None, policy)
    assert verdict == SqlRejected("column", "ssn", line=2, column=8)


def test_a_refusal_has_a_message_in_both_languages(policy: Policy) -> None:
    verdict = check("SELECT ssn FROM customers", "postgres", None, policy)
    assert isinstance(verdict, SqlRejected)
    assert refusal(verdict, "en") == "This column does not exist or is not accessible: ssn (line 1, column 8)"
    assert refusal(verdict, "zh") == "没有该列，或无权查看：ssn （第 1 行，第 8 列）"


def test_every_rule_has_a_message() -> None:
    source = "".join(
        file.read_text() for file in (Path(__file__).parents[2] / "src/text2sql/sql").glob("*.py")
    )
    rules = {part.split('"')[0] for part in source.split('refuse("')[1:]}
    assert {f"guard.{rule}" for rule in rules} <= set(sentences())


def test_the_tables_of_a_query_are_reported_without_its_ctes(policy: Policy) -> None:
    sql = "WITH o AS (SELECT * FROM orders) SELECT c.name FROM o JOIN customers c ON c.id = o.customer_id"
    verdict = check(sql, "postgres", None, policy)
    assert isinstance(verdict, CheckedSql)
    assert verdict.tables == ("customers", "orders")


def test_a_known_catalog_lets_a_natural_join_of_open_tables_pass() -> None:
    policy = Policy({"a": ("id", "x"), "b": ("id", "y"), "c": ("id",)})
    columns = {"a": ("id", "x"), "b": ("id", "y"), "c": ("id", "secret")}
    tables = tuple(
        Table(name, tuple(Column(column, "int") for column in names)) for name, names in columns.items()
    )
    catalog = Catalog("duckdb", "", tables, "")
    assert isinstance(check("SELECT id FROM a NATURAL JOIN b", "duckdb", catalog, policy), CheckedSql)
    assert isinstance(check("SELECT id FROM a NATURAL JOIN c", "duckdb", catalog, policy), SqlRejected)
    assert isinstance(check("SELECT id FROM a NATURAL JOIN b", "duckdb", None, policy), SqlRejected)


@pytest.mark.parametrize("dialect", sorted(GRAMMARS))
@pytest.mark.parametrize(
    "sql",
    [
        "",
        "   \n",
        ";",
        "--",
        "SELECT",
        "SELECT (" * 500,
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT " + "NOT " * 5_000 + "1",
        "SELECT " + "-" * 3_000 + "1",
        "SELECT 1 " + "UNION SELECT 1 " * 9_000,
        "SELECT " + "CASE WHEN 1 = 1 THEN " * 2_000 + "1" + " END" * 2_000,
        "SELECT a" + "[1]" * 3_000 + " FROM t",
        "SELECT a" + "[1].b" * 1_900 + " FROM t",
        "SELECT " + "f(" * 50 + "a" + ("[1]" * 15 + ", 1)") * 50 + " FROM t",
        "x" * 200_000,
        "SELECT '" + "x" * 90_000,
        "SELECT \x00 1",
        "SELECT \ufeff1",
        "SELECT \ud800",
        "SELECT 1\u202e",
        "SELECT /*",
        "SELECT {{",
        "`",
        "'",
        '"',
        "\\",
    ],
    ids=range(26),
)
@pytest.mark.fault("K01", "K02")
def test_a_broken_or_huge_text_is_refused_without_a_crash(dialect: str, sql: str) -> None:
    verdict = check(sql, dialect)
    assert isinstance(verdict, SqlRejected)
    assert verdict.rule != "internal"


def test_only_the_guard_builds_a_checked_query() -> None:
    source = Path(__file__).parents[2] / "src" / "text2sql"
    builders = {
        file.name for file in source.rglob("*.py") if "CheckedSql(" in file.read_text(encoding="utf-8")
    }
    assert builders == {"guard.py"}


def test_an_unknown_dialect_is_refused() -> None:
    assert check("SELECT 1", "cobol") == SqlRejected("dialect", "cobol")


@pytest.mark.parametrize("kind", ["hostile", "honest"])
@pytest.mark.fault("K06", "P15")
def test_the_shared_sample_of_attacks_is_held(kind: str, policy: Policy) -> None:
    """The sample is not part of the repository; if it is available, every case must pass."""
    file = SHARED / f"{kind}-sample.jsonl"
    if not file.exists():
        pytest.skip("no ../shared/security beside the checkout: the project's own cases stand alone")
    wrong = []
    for line in file.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        verdict = check(case["sql"], case["dialect"], None, policy)
        allowed = isinstance(verdict, CheckedSql)
        bad = allowed and case["expect"] == "refuse" if kind == "hostile" else not allowed
        if bad or (isinstance(verdict, SqlRejected) and verdict.rule == "internal"):
            wrong.append((case["id"], verdict))
    assert wrong == []


@pytest.mark.parametrize(("partial", "joined"), [(True, "natural_join"), (False, "")])
def test_a_catalog_that_was_cut_down_does_not_vouch_for_what_it_leaves_out(
    partial: bool, joined: str
) -> None:
    """Callers may pass a partial catalog, which lists the visible columns only."""
    tables = tuple(Table(name, (Column("id", "int"),), partial=partial) for name in ("a", "b"))
    known, shown = Catalog("postgres", "public", tables, "f"), Policy({"a": ("id",), "b": ("id",)})
    natural = check("SELECT id FROM a NATURAL JOIN b", "postgres", known, shown)
    assert (natural.rule if isinstance(natural, SqlRejected) else "") == joined
