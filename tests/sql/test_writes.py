"""Verdicts on writes. Every case is a line in `cases/writes/`."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from sql_cases import CASES, headed
from text2sql.messages import refusal
from text2sql.sql import check, check_write
from text2sql.types import Catalogue, CheckedSql, CheckedWrite, Column, Policy, SqlRejected, Table

WRITES = CASES / "writes"
HOMES = {"sqlite": "main", "duckdb": "main", "postgres": "public", "mysql": "shop"}
HIDDEN = {"customers": ("ssn", "password_hash"), "employees": ("salary",)}


def seen(policy: Policy) -> Policy:
    """The policy of the read cases, with a view and a table that is no longer there."""
    return replace(policy, tables={**policy.tables, "order_totals": ("id", "total"), "gone": ("id",)})


def catalogue(policy: Policy, dialect: str) -> Catalogue:
    tables = [
        Table(name, tuple(Column(one, "text") for one in (*columns, *HIDDEN.get(name, ()))))
        for name, columns in policy.tables.items()
    ]
    hidden = Table("secrets", (Column("id", "int"),))
    view = Table("order_totals", (Column("id", "int"), Column("total", "int")), kind="view")
    return Catalogue(dialect, HOMES[dialect], (*tables, hidden, view), "")


def verdict(sql: str, dialect: str, policy: Policy, nonce: str = "") -> CheckedWrite | SqlRejected:
    home = {**policy.default_schema, dialect: HOMES[dialect]}
    shown = replace(seen(policy), default_schema=home)
    return check_write(sql, dialect, catalogue(policy, dialect), shown, nonce=nonce)


def couples(name: str) -> list[tuple[str, str, str]]:
    lines = list(headed(WRITES / "allowed" / f"{name}.sql"))
    return [(head, sql, sent) for (head, sql), (_, sent) in list(pairwise(lines))[::2]]


ALLOWED = [(dialect, sql, sent) for dialect in HOMES for _, sql, sent in couples("any")] + couples("dialects")
REFUSED = [(dialect, *case) for dialect in HOMES for case in headed(WRITES / "refused" / "any.sql")] + [
    (*head.split(" "), sql) for head, sql in headed(WRITES / "refused" / "dialects.sql")
]


@pytest.mark.parametrize(("dialect", "sql", "sent"), ALLOWED)
def test_an_honest_write_passes_and_is_written_anew(
    dialect: str, sql: str, sent: str, policy: Policy
) -> None:
    found = verdict(sql, dialect, policy)
    assert isinstance(found, CheckedWrite), found
    assert found.sql == sent


@pytest.mark.parametrize(("dialect", "sql", "_"), ALLOWED)
def test_a_write_that_passed_passes_again_unchanged(dialect: str, sql: str, _: str, policy: Policy) -> None:
    once = verdict(sql, dialect, policy)
    assert isinstance(once, CheckedWrite)
    assert verdict(once.sql, dialect, policy) == once


@pytest.mark.parametrize(("dialect", "rule", "sql"), REFUSED)
def test_any_other_write_is_refused_by_the_rule_it_breaks(
    dialect: str, rule: str, sql: str, policy: Policy
) -> None:
    found = verdict(sql, dialect, policy)
    assert isinstance(found, SqlRejected), found
    assert found.rule == rule


@pytest.mark.parametrize(("dialect", "sql", "_"), ALLOWED)
def test_no_write_passes_for_a_read(dialect: str, sql: str, _: str, policy: Policy) -> None:
    assert not isinstance(check(sql, dialect, None, policy), CheckedSql)


@pytest.mark.parametrize("dialect", HOMES)
@pytest.mark.parametrize("sql", ["", *(sql for _, sql in headed(WRITES / "broken.sql"))])
def test_a_broken_write_is_refused_without_a_crash(dialect: str, sql: str, policy: Policy) -> None:
    found = verdict(sql, dialect, policy)
    assert isinstance(found, SqlRejected)
    assert found.rule != "internal"


def test_without_a_policy_the_catalogue_says_what_is_there(policy: Policy) -> None:
    there = catalogue(policy, "sqlite")
    assert isinstance(check_write("DELETE FROM secrets WHERE id = 1", "sqlite", there), CheckedWrite)
    assert check_write("DELETE FROM nowhere WHERE id = 1", "sqlite", there) == SqlRejected(
        "table", "nowhere", 1, 13
    )
    everything = check_write("UPDATE customers SET ssn = '' WHERE id = 1", "sqlite", there)
    assert isinstance(everything, CheckedWrite)


def test_the_table_and_the_kind_are_told(policy: Policy) -> None:
    found = verdict("insert into ORDERS (id) values (1)", "postgres", policy)
    assert isinstance(found, CheckedWrite)
    assert (found.table, found.kind, found.dialect) == ("orders", "insert", "postgres")


def test_a_table_of_another_schema_keeps_its_schema() -> None:
    there = Catalogue("postgres", "public", (Table("orders", (Column("id", "int"),), schema="sales"),), "")
    found = check_write("DELETE FROM sales.orders WHERE id = 1", "postgres", there)
    assert isinstance(found, CheckedWrite)
    assert found.table == "sales.orders"
    assert isinstance(check_write("DELETE FROM orders WHERE id = 1", "postgres", there), SqlRejected)


def test_a_key_names_one_statement_of_one_turn(policy: Policy) -> None:
    def key(sql: str, dialect: str = "sqlite", nonce: str = "") -> str:
        found = verdict(sql, dialect, policy, nonce)
        assert isinstance(found, CheckedWrite)
        return found.key

    one = "DELETE FROM orders WHERE id = 1"
    assert key(one) == key(f"  {one.lower()} ; -- again") == key(one)
    others = {
        key(one.replace("1", "2")),
        key(one, "postgres"),
        key(one, nonce="turn 2"),
        key(one, nonce="turn 3"),
    }
    assert len(others | {key(one)}) == 5


def test_a_dialect_whose_writes_nobody_thought_through_is_refused(policy: Policy) -> None:
    there = Catalogue("oracle", "", (), "")
    assert check_write("DELETE FROM t WHERE a = 1", "oracle", there, policy) == SqlRejected(
        "write_dialect", "oracle"
    )


def test_a_refused_write_is_said_in_both_languages(policy: Policy) -> None:
    found = verdict("DELETE FROM orders", "sqlite", policy)
    assert isinstance(found, SqlRejected)
    assert refusal(found, "en") == (
        "It does not say which rows, so it would change them all. "
        "Add a WHERE that names a column: DELETE FROM orders"
    )
    assert "WHERE" in refusal(found, "zh")


def test_only_the_guard_of_writes_builds_a_checked_write() -> None:
    source = Path(__file__).parents[2] / "src" / "text2sql"
    builders = {
        file.name for file in source.rglob("*.py") if "CheckedWrite(" in file.read_text(encoding="utf-8")
    }
    assert builders == {"writes.py"}
