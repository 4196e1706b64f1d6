"""Row rules: refused queries, the generated wrappers, and their verification in the generated text."""

import json
from dataclasses import replace
from functools import partial

import pytest

from sql_cases import CASES, evasions, headed
from text2sql.sql import (
    check,
    check_count,
    check_page,
    check_write,
    parse,
    policy_for,
    predicates,
    read_policies,
    wrapper_verification,
)
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import Catalog, CheckedSql, Column, Policy, RowRule, SqlRejected, Table

DOCUMENT = {
    "tables": {
        "orders": ["id", "customer_id", "region", "total", "note"],
        "customers": ["id", "name", "region"],
        "items": ["id", "order_id", "product_id", "quantity"],
        "products": ["id", "name", "price"],
        "every_order": ["id", "region"],
        "staff": ["id", "name", "boss_id", "salary"],
        "ruled_orders": ["id", "region", "total"],
        "dear_products": ["id", "name"],
    },
    "rows": {
        "orders": "tenant = :tenant AND region IN (:regions)",
        "customers": "region = :regions",
        "items": "order_id IN (SELECT order_id FROM marks WHERE tenant = :tenant)",
        "staff": "salary < 50",
        "ruled_orders": "region IN (:regions)",
        "dear_products": "TRUE",
    },
}
POLICY = policy_for(read_policies(json.dumps(DOCUMENT)), [], {"tenant": 1, "regions": ["it's", "east"]})
VIEWS = ("every_order", "ruled_orders", "dear_products")


def catalog(dialect: str) -> Catalog:
    """The catalog as the engine would report it, in upper case if it stores names that way."""
    grammar = GRAMMARS[dialect]
    tables = tuple(
        Table(
            grammar.tables.stored(name),
            tuple(Column(grammar.columns.stored(column), "text") for column in columns),
            kind="view" if name in VIEWS else "table",
        )
        for name, columns in POLICY.tables.items()
    )
    return Catalog(dialect, "", tables, "f")


def refused() -> list[tuple[str, str]]:
    cases = headed(CASES / "rows" / "refused.sql")
    return [(dialect, sql) for dialects, sql in cases for dialect in dialects.split()]


@pytest.mark.parametrize(("dialect", "sql"), refused())
def test_a_query_that_could_bypass_a_rule_is_refused(dialect: str, sql: str) -> None:
    assert isinstance(check(sql, dialect, catalog(dialect), POLICY), SqlRejected)


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_every_evasion_holds_as_many_rules_as_it_reads_policed_tables(dialect: str) -> None:
    """Checks the text only, for dialects without an engine here: every mention of a table must be wrapped."""
    accepted = 0
    for sql in evasions(dialect):
        checked = check(sql, dialect, catalog(dialect), POLICY)
        if isinstance(checked, CheckedSql):
            accepted += 1
            policed = set(checked.tables) & {rows_key(name, dialect) for name in POLICY.rows} - {
                rows_key("dear_products", dialect)
            }
            assert (predicates.BASE in checked.sql) is bool(checked.tables), sql
            assert ("WHERE (" in checked.sql) >= bool(policed), sql
            assert predicates.BASE not in checked.shown
            assert isinstance(check(checked.shown, dialect, catalog(dialect), POLICY), CheckedSql), (
                checked.shown
            )
    assert accepted >= 110


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_dialect_specific_queries_that_respect_the_rules_are_allowed(dialect: str) -> None:
    policy = replace(POLICY, default_schema={dialect: _HOME.get(dialect, "main")})
    for _, sql in headed(CASES / "rows" / f"{dialect}.sql"):
        assert isinstance(check(sql, dialect, catalog(dialect), policy), CheckedSql), sql


_HOME = {"postgres": "public", "snowflake": "PUBLIC"}


def rows_key(name: str, dialect: str) -> str:
    return GRAMMARS[dialect].tables.stored(name)


WRAPPED = {
    "sqlite": """SELECT o.id FROM (SELECT text2sql_base."id", text2sql_base."order_id", """
    """text2sql_base."product_id", text2sql_base."quantity" FROM items AS text2sql_base WHERE """
    """(text2sql_base.order_id IN (SELECT text2sql_base_1.order_id FROM marks AS text2sql_base_1 """
    """WHERE text2sql_base_1.tenant = 1)) LIMIT -1) AS o LIMIT 1000""",
    "oracle": """SELECT o.id FROM (SELECT text2sql_base."ID", text2sql_base."ORDER_ID", """
    """text2sql_base."PRODUCT_ID", text2sql_base."QUANTITY" FROM items text2sql_base WHERE """
    """(text2sql_base.order_id IN (SELECT text2sql_base_1.order_id FROM marks text2sql_base_1 """
    """WHERE text2sql_base_1.tenant = 1)) FETCH FIRST 9223372036854775807 ROWS ONLY) o """
    """FETCH FIRST 1000 ROWS ONLY""",
}


@pytest.mark.parametrize("dialect", WRAPPED)
def test_a_policed_table_is_a_sub_query_of_its_visible_columns_and_rows(dialect: str) -> None:
    checked = check("SELECT o.id FROM items o", dialect, None, POLICY)
    assert isinstance(checked, CheckedSql)
    assert checked.sql == WRAPPED[dialect]
    assert checked.shown == checked.sql[:17] + {"sqlite": "items AS o LIMIT 1000"}.get(
        dialect, "items o FETCH FIRST 1000 ROWS ONLY"
    )


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("postgres", "text2sql_base.region IN ('east', 'it''s')"),
        ("mysql", "text2sql_base.region IN ('east', 'it''s')"),
        ("snowflake", "text2sql_base.region IN ('east', 'it\\'s')"),
        ("bigquery", "text2sql_base.region IN ('east', 'it\\'s')"),
        ("clickhouse", "text2sql_base.region IN ('east', 'it''s')"),
    ],
)
def test_claims_are_literals_of_the_dialect(dialect: str, condition: str) -> None:
    checked = check("SELECT id FROM customers", dialect, None, POLICY)
    assert isinstance(checked, CheckedSql)
    assert condition in checked.sql


def test_what_belongs_to_the_table_stays_with_it() -> None:
    checked = check("SELECT o.id FROM orders AS o FINAL", "clickhouse", None, POLICY)
    assert isinstance(checked, CheckedSql)
    assert "FROM orders AS text2sql_base FINAL WHERE" in checked.sql
    assert checked.shown == "SELECT o.id FROM orders AS o FINAL LIMIT 1000"
    checked = check("SELECT id FROM ONLY orders", "postgres", None, POLICY)
    assert isinstance(checked, CheckedSql)
    assert "FROM ONLY orders AS text2sql_base WHERE" in checked.sql


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_roles_that_add_up_are_joined_by_or(dialect: str) -> None:
    rules = (RowRule("a = :x", (("x", 1),)), RowRule("b = :y OR a IS NULL", (("y", -2.5),)))
    policy = Policy({"t": ("a",)}, {}, {"t": rules})
    checked = check("SELECT a FROM t", dialect, None, policy)
    assert isinstance(checked, CheckedSql)
    expected = "(text2sql_base.a = 1) OR (text2sql_base.b = -2.5 OR text2sql_base.a IS NULL)"
    assert expected in checked.sql


def test_a_table_without_remaining_rules_shows_no_row() -> None:
    checked = check("SELECT a FROM t", "sqlite", None, Policy({"t": ("a",)}, {}, {"t": ()}))
    assert isinstance(checked, CheckedSql)
    assert "WHERE 1 = 0" in checked.sql


def test_a_rule_that_is_true_adds_no_condition() -> None:
    checked = check("SELECT id FROM dear_products", "sqlite", None, POLICY)
    assert isinstance(checked, CheckedSql)
    assert checked.shown == "SELECT id FROM dear_products LIMIT 1000"
    assert "WHERE" not in checked.sql


@pytest.mark.parametrize(
    ("dialect", "name"), [("sqlite", "Orders"), ("postgres", "public.orders"), ("snowflake", "ORDERS")]
)
def test_one_table_under_two_names_is_refused(dialect: str, name: str) -> None:
    policy = replace(POLICY, tables={**POLICY.tables, name: ("id",)}, default_schema={"postgres": "public"})
    result = check("SELECT id FROM orders", dialect, None, policy)
    assert isinstance(result, SqlRejected)
    assert result.rule == "row_policy"


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE orders SET total = 1 WHERE id = 1",
        "DELETE FROM products WHERE id = 1",
        "INSERT INTO products (id) SELECT id FROM orders",
    ],
)
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql"])
def test_nothing_is_written_where_only_some_rows_may_be_seen(dialect: str, sql: str) -> None:
    result = check_write(sql, dialect, catalog(dialect), POLICY)
    assert result == SqlRejected("row_write")


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_pages_and_counts_hold_the_rules_too(dialect: str) -> None:
    sql = "SELECT id, region FROM orders"
    for checked in (
        check_count(sql, dialect, None, POLICY),
        check_page(sql, dialect, None, POLICY, number=2, size=10, order=-2),
    ):
        assert isinstance(checked, CheckedSql)
        assert "text2sql_base.tenant = 1" in checked.sql


FORGED = [
    "SELECT id FROM orders",
    "SELECT id FROM (SELECT text2sql_base.id FROM orders AS text2sql_base) AS orders",
    "SELECT id FROM (SELECT text2sql_base.id FROM orders AS text2sql_base WHERE TRUE OFFSET 0) AS orders",
    "SELECT id FROM products WHERE id IN (SELECT id FROM public.orders)",
    "WITH x AS (SELECT 1 AS id) SELECT id FROM x UNION SELECT id FROM orders",
    "WITH orders AS (SELECT id FROM orders) SELECT id FROM orders",
    "SELECT (WITH orders AS (SELECT 1 AS id) SELECT id FROM orders), id FROM orders",
]


@pytest.mark.parametrize("sql", FORGED)
@pytest.mark.fault("K06")
def test_a_finished_text_without_its_rules_is_refused(sql: str) -> None:
    """Simulates a bug in an earlier rewrite that lost the wrappers."""
    policy = replace(POLICY, default_schema={"postgres": "public"})
    statement = parse.parse_statement(sql, "postgres", None, policy)

    def work() -> CheckedSql:
        wrapper_verification.verify(statement, statement.tree)
        return CheckedSql("", "")

    result = parse.verdict(sql, work)
    assert isinstance(result, SqlRejected)
    assert result.rule in ("unresolved", "row_policy")


def test_a_finished_text_that_was_loosened_is_refused() -> None:
    checked = check("SELECT id FROM orders", "postgres", None, POLICY)
    assert isinstance(checked, CheckedSql)
    for less in (
        checked.sql.replace("tenant = 1 AND", "tenant = 1 OR"),
        checked.sql.replace("tenant = 1", "tenant = 2"),
        checked.sql.replace(" OFFSET 0", ""),
        checked.sql.replace("'east'", "'East'"),
        checked.sql.replace('text2sql_base."id",', 'text2sql_base."id", text2sql_base.tenant,'),
        checked.sql.replace("orders AS text2sql_base", "products AS text2sql_base"),
    ):
        assert less != checked.sql
        statement = parse.parse_statement(less, "postgres", None, POLICY)
        result = parse.verdict(less, partial(wrapper_verification.verify, statement, statement.tree))
        assert isinstance(result, SqlRejected), less
