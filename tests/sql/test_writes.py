"""Verdicts of the guard on writes. Every case is a line in `cases/writes/`."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from sql_cases import CASES, headed
from text2sql.i18n import refusal
from text2sql.sql import check, check_write
from text2sql.types import Catalog, CheckedSql, CheckedWrite, Column, Policy, SqlRejected, Table

WRITES = CASES / "writes"
HOMES = {"sqlite": "main", "duckdb": "main", "postgres": "public", "mysql": "shop"}
HIDDEN = {"customers": ("ssn", "password_hash"), "employees": ("salary",)}


def extended_policy(policy: Policy) -> Policy:
    """The policy of the read cases, with a view and a table that is no longer there."""
    return replace(policy, tables={**policy.tables, "order_totals": ("id", "total"), "gone": ("id",)})


def catalog(policy: Policy, dialect: str) -> Catalog:
    tables = [
        Table(name, tuple(Column(column, "text") for column in (*columns, *HIDDEN.get(name, ()))))
        for name, columns in policy.tables.items()
    ]
    hidden = Table("secrets", (Column("id", "int"),))
    view = Table("order_totals", (Column("id", "int"), Column("total", "int")), kind="view")
    return Catalog(dialect, HOMES[dialect], (*tables, hidden, view), "")


def verdict(sql: str, dialect: str, policy: Policy, nonce: str = "") -> CheckedWrite | SqlRejected:
    home = {**policy.default_schema, dialect: HOMES[dialect]}
    shown = replace(extended_policy(policy), default_schema=home)
    return check_write(sql, dialect, catalog(policy, dialect), shown, nonce=nonce)


def couples(name: str) -> list[tuple[str, str, str]]:
    lines = list(headed(WRITES / "allowed" / f"{name}.sql"))
    return [(head, sql, sent) for (head, sql), (_, sent) in list(pairwise(lines))[::2]]


ALLOWED = [(dialect, sql, sent) for dialect in HOMES for _, sql, sent in couples("any")] + couples("dialects")
REFUSED = [(dialect, *case) for dialect in HOMES for case in headed(WRITES / "refused" / "any.sql")] + [
    (*head.split(" "), sql) for head, sql in headed(WRITES / "refused" / "dialects.sql")
]


@pytest.mark.parametrize(("dialect", "sql", "sent"), ALLOWED)
def test_a_harmless_write_passes_and_is_generated_from_its_tree(
    dialect: str, sql: str, sent: str, policy: Policy
) -> None:
    result = verdict(sql, dialect, policy)
    assert isinstance(result, CheckedWrite), result
    assert result.shown == sent


@pytest.mark.parametrize(("dialect", "sql", "_"), ALLOWED)
def test_a_write_that_passed_passes_again_unchanged(dialect: str, sql: str, _: str, policy: Policy) -> None:
    once = verdict(sql, dialect, policy)
    assert isinstance(once, CheckedWrite)
    assert verdict(once.shown, dialect, policy) == once


@pytest.mark.parametrize(("dialect", "rule", "sql"), REFUSED)
def test_any_other_write_is_refused_by_the_rule_it_breaks(
    dialect: str, rule: str, sql: str, policy: Policy
) -> None:
    result = verdict(sql, dialect, policy)
    assert isinstance(result, SqlRejected), result
    assert result.rule == rule


@pytest.mark.parametrize(("dialect", "sql", "_"), ALLOWED)
def test_no_write_passes_for_a_read(dialect: str, sql: str, _: str, policy: Policy) -> None:
    assert not isinstance(check(sql, dialect, None, policy), CheckedSql)


@pytest.mark.parametrize("dialect", HOMES)
@pytest.mark.parametrize("sql", ["", *(sql for _, sql in headed(WRITES / "broken.sql"))])
def test_a_broken_write_is_refused_without_a_crash(dialect: str, sql: str, policy: Policy) -> None:
    result = verdict(sql, dialect, policy)
    assert isinstance(result, SqlRejected)
    assert result.rule != "internal"


def test_without_a_policy_the_catalog_decides_what_exists(policy: Policy) -> None:
    there = catalog(policy, "sqlite")
    assert isinstance(check_write("DELETE FROM secrets WHERE id = 1", "sqlite", there), CheckedWrite)
    assert check_write("DELETE FROM nowhere WHERE id = 1", "sqlite", there) == SqlRejected(
        "table", "nowhere", 1, 13
    )
    everything = check_write("UPDATE customers SET ssn = '' WHERE id = 1", "sqlite", there)
    assert isinstance(everything, CheckedWrite)


def test_a_checked_write_names_its_table_and_kind(policy: Policy) -> None:
    result = verdict("insert into ORDERS (id) values (1)", "postgres", policy)
    assert isinstance(result, CheckedWrite)
    assert (result.table, result.kind, result.dialect) == ("orders", "insert", "postgres")


def test_a_table_of_another_schema_keeps_its_schema() -> None:
    there = Catalog("postgres", "public", (Table("orders", (Column("id", "int"),), schema="sales"),), "")
    result = check_write("DELETE FROM sales.orders WHERE id = 1", "postgres", there)
    assert isinstance(result, CheckedWrite)
    assert result.table == "sales.orders"
    assert isinstance(check_write("DELETE FROM orders WHERE id = 1", "postgres", there), SqlRejected)


def test_a_key_names_one_statement_of_one_turn(policy: Policy) -> None:
    def key(sql: str, dialect: str = "sqlite", nonce: str = "") -> str:
        result = verdict(sql, dialect, policy, nonce)
        assert isinstance(result, CheckedWrite)
        return result.key

    delete = "DELETE FROM orders WHERE id = 1"
    assert key(delete) == key(f"  {delete.lower()} ; -- again") == key(delete)
    others = {
        key(delete.replace("1", "2")),
        key(delete, "postgres"),
        key(delete, nonce="turn 2"),
        key(delete, nonce="turn 3"),
    }
    assert len(others | {key(delete)}) == 5


def test_a_write_in_an_unsupported_dialect_is_refused(policy: Policy) -> None:
    there = Catalog("oracle", "", (), "")
    assert check_write("DELETE FROM t WHERE a = 1", "oracle", there, policy) == SqlRejected(
        "write_dialect", "oracle"
    )


def test_a_refused_write_has_a_message_in_both_languages(policy: Policy) -> None:
    result = verdict("DELETE FROM orders", "sqlite", policy)
    assert isinstance(result, SqlRejected)
    assert refusal(result, "en") == (
        "It does not say which rows, so it would change them all. "
        "Add a WHERE that names a column: DELETE FROM orders"
    )
    assert "WHERE" in refusal(result, "zh")


def test_only_the_guard_of_writes_builds_a_checked_write() -> None:
    source = Path(__file__).parents[2] / "src" / "text2sql"
    builders = {
        file.name for file in source.rglob("*.py") if "CheckedWrite(" in file.read_text(encoding="utf-8")
    }
    assert builders == {"writes.py"}
