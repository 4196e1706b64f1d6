"""Row rules in the text that is sent: what is refused, how it looks, and that it is looked for again."""

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
    policy_for,
    predicates,
    read_policies,
    rows,
    trees,
)
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import Catalogue, CheckedSql, Column, Policy, RowRule, SqlRejected, Table

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


def catalogue(dialect: str) -> Catalogue:
    """As the engine would tell it: in capitals where it stores those."""
    grammar = GRAMMARS[dialect]
    tables = tuple(
        Table(
            grammar.tables.stored(name),
            tuple(Column(grammar.columns.stored(one), "text") for one in columns),
            kind="view" if name in VIEWS else "table",
        )
        for name, columns in POLICY.tables.items()
    )
    return Catalogue(dialect, "", tables, "f")


def refused() -> list[tuple[str, str]]:
    cases = headed(CASES / "rows" / "refused.sql")
    return [(dialect, sql) for dialects, sql in cases for dialect in dialects.split()]


@pytest.mark.parametrize(("dialect", "sql"), refused())
def test_what_would_reach_around_a_rule_is_refused(dialect: str, sql: str) -> None:
    assert isinstance(check(sql, dialect, catalogue(dialect), POLICY), SqlRejected)


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_every_evasion_holds_as_many_rules_as_it_reads_policed_tables(dialect: str) -> None:
    """Where no engine is at hand the text is all there is: the sub-query stands around every mention."""
    accepted = 0
    for sql in evasions(dialect):
        made = check(sql, dialect, catalogue(dialect), POLICY)
        if isinstance(made, CheckedSql):
            accepted += 1
            policed = set(made.tables) & {rows_key(name, dialect) for name in POLICY.rows} - {
                rows_key("dear_products", dialect)
            }
            assert (predicates.BASE in made.sql) is bool(policed), sql
            assert predicates.BASE not in made.shown
            assert isinstance(check(made.shown, dialect, catalogue(dialect), POLICY), CheckedSql), made.shown
    assert accepted >= 110


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_nothing_of_a_dialects_own_is_refused_that_answers_by_the_rules(dialect: str) -> None:
    policy = replace(POLICY, default_schema={dialect: _HOME.get(dialect, "main")})
    for _, sql in headed(CASES / "rows" / f"{dialect}.sql"):
        assert isinstance(check(sql, dialect, catalogue(dialect), policy), CheckedSql), sql


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
    made = check("SELECT o.id FROM items o", dialect, None, POLICY)
    assert isinstance(made, CheckedSql)
    assert made.sql == WRAPPED[dialect]
    assert made.shown == made.sql[:17] + {"sqlite": "items AS o LIMIT 1000"}.get(
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
    made = check("SELECT id FROM customers", dialect, None, POLICY)
    assert isinstance(made, CheckedSql)
    assert condition in made.sql


def test_what_belongs_to_the_table_stays_with_it() -> None:
    made = check("SELECT o.id FROM orders AS o FINAL", "clickhouse", None, POLICY)
    assert isinstance(made, CheckedSql)
    assert "FROM orders AS text2sql_base FINAL WHERE" in made.sql
    assert made.shown == "SELECT o.id FROM orders AS o FINAL LIMIT 1000"
    made = check("SELECT id FROM ONLY orders", "postgres", None, POLICY)
    assert isinstance(made, CheckedSql)
    assert "FROM ONLY orders AS text2sql_base WHERE" in made.sql


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_roles_that_add_up_are_joined_by_or(dialect: str) -> None:
    rules = (RowRule("a = :x", (("x", 1),)), RowRule("b = :y OR a IS NULL", (("y", -2.5),)))
    policy = Policy({"t": ("a",)}, {}, {"t": rules})
    made = check("SELECT a FROM t", dialect, None, policy)
    assert isinstance(made, CheckedSql)
    wanted = "(text2sql_base.a = 1) OR (text2sql_base.b = -2.5 OR text2sql_base.a IS NULL)"
    assert wanted in made.sql


def test_no_rule_left_shows_no_row() -> None:
    made = check("SELECT a FROM t", "sqlite", None, Policy({"t": ("a",)}, {}, {"t": ()}))
    assert isinstance(made, CheckedSql)
    assert "WHERE 1 = 0" in made.sql


def test_a_rule_that_is_true_is_no_sub_query() -> None:
    made = check("SELECT id FROM dear_products", "sqlite", None, POLICY)
    assert isinstance(made, CheckedSql)
    assert made.sql == made.shown == "SELECT id FROM dear_products LIMIT 1000"


@pytest.mark.parametrize(
    ("dialect", "name"), [("sqlite", "Orders"), ("postgres", "public.orders"), ("snowflake", "ORDERS")]
)
def test_one_table_under_two_names_is_refused(dialect: str, name: str) -> None:
    policy = replace(POLICY, tables={**POLICY.tables, name: ("id",)}, default_schema={"postgres": "public"})
    found = check("SELECT id FROM orders", dialect, None, policy)
    assert isinstance(found, SqlRejected)
    assert found.rule == "row_policy"


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
    found = check_write(sql, dialect, catalogue(dialect), POLICY)
    assert found == SqlRejected("row_write")


@pytest.mark.parametrize("dialect", GRAMMARS)
def test_pages_and_counts_hold_the_rules_too(dialect: str) -> None:
    sql = "SELECT id, region FROM orders"
    for made in (
        check_count(sql, dialect, None, POLICY),
        check_page(sql, dialect, None, POLICY, number=2, size=10, order=-2),
    ):
        assert isinstance(made, CheckedSql)
        assert "text2sql_base.tenant = 1" in made.sql


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
    """As if a rewrite before it had lost them."""
    policy = replace(POLICY, default_schema={"postgres": "public"})
    statement = trees.read(sql, "postgres", None, policy)

    def work() -> CheckedSql:
        rows.verify(statement, statement.tree)
        return CheckedSql("", "")

    found = trees.verdict(sql, work)
    assert isinstance(found, SqlRejected)
    assert found.rule == "row_policy"


def test_a_finished_text_that_was_loosened_is_refused() -> None:
    made = check("SELECT id FROM orders", "postgres", None, POLICY)
    assert isinstance(made, CheckedSql)
    for less in (
        made.sql.replace("tenant = 1 AND", "tenant = 1 OR"),
        made.sql.replace("tenant = 1", "tenant = 2"),
        made.sql.replace(" OFFSET 0", ""),
        made.sql.replace("'east'", "'East'"),
        made.sql.replace('text2sql_base."id",', 'text2sql_base."id", text2sql_base.tenant,'),
        made.sql.replace("orders AS text2sql_base", "products AS text2sql_base"),
    ):
        assert less != made.sql
        statement = trees.read(less, "postgres", None, POLICY)
        found = trees.verdict(less, partial(rows.verify, statement, statement.tree))
        assert isinstance(found, SqlRejected), less
