"""Under a policy an engine without accounts hides tables and columns itself: the guard is taken away here."""

import pytest

from contract.engine_databases import EngineDatabase
from text2sql.database import Database
from text2sql.errors import DatabaseError, Forbidden, UnknownColumn, UnknownTable
from text2sql.types import Policy

POLICY = Policy(
    {
        "customers": ("id", "name"),
        "orders": ("id", "customer_id"),
        "big_orders": ("id", "amount"),
        "客户 表": ("姓 名",),
    }
)
HONEST = (
    "SELECT count(*) FROM customers",
    "SELECT id, name FROM customers ORDER BY id",
    "SELECT b.id FROM (SELECT c.id FROM customers AS c) AS b ORDER BY b.id",
    "WITH c AS (SELECT id FROM customers) SELECT count(*) FROM c",
    "SELECT id, amount FROM big_orders ORDER BY id",
    "SELECT count(*) FROM big_orders",
    'SELECT "姓 名" FROM "客户 表"',
    "SELECT c.name, o.id FROM customers c JOIN orders o ON o.customer_id = c.id ORDER BY o.id",
    "SELECT CUSTOMERS.NAME FROM Customers ORDER BY 1",
    "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id) ORDER BY 1",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n",
    "SELECT key, value FROM json_each('{\"a\": 1}')",
    "SELECT max(id) OVER (ORDER BY id) FROM orders ORDER BY 1",
    "SELECT * FROM (VALUES (1, 2)) v",
)
HIDDEN_COLUMN = (
    "SELECT city FROM customers",
    "SELECT c.city FROM customers c",
    "SELECT 1 FROM customers WHERE city = 'Oslo'",
    "SELECT 1 FROM customers ORDER BY born",
    "SELECT count(*) FROM customers GROUP BY city",
    "SELECT name FROM customers c JOIN orders o ON c.city = o.note",
    "SELECT name FROM customers c WHERE EXISTS (SELECT city)",
    "SELECT (SELECT city FROM (SELECT 1 AS a) x LIMIT 1) FROM customers",
    "SELECT sum(id) OVER (PARTITION BY city) FROM customers",
    "WITH w AS (SELECT city FROM customers) SELECT * FROM w",
    'SELECT "a.b" FROM "客户 表"',
    "SELECT note FROM orders UNION ALL SELECT name FROM customers",
)
HIDDEN_TABLE = (
    "SELECT * FROM parts",
    "SELECT count(*) FROM parts",
    "SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM parts)",
    "SELECT name FROM customers WHERE id IN (SELECT a FROM uses JOIN parts ON a = part_a)",
    "WITH p AS (SELECT name FROM parts) SELECT * FROM p",
)


@pytest.fixture(autouse=True)
def _engines_without_accounts(engine_db: EngineDatabase) -> None:
    if not engine_db.facts.enforces_policy:
        pytest.skip(f"{engine_db.facts.product}: an account of its own does this (doctor --grants)")


@pytest.mark.parametrize("sql", HONEST)
def test_what_the_policy_shows_is_read_as_without_it(
    sql: str, db: Database, engine_db: EngineDatabase
) -> None:
    query = engine_db.checked(sql)
    assert db.run(query, readable=POLICY).rows == db.run(query).rows
    assert db.explain(query, readable=POLICY).text


@pytest.mark.parametrize("sql", HIDDEN_COLUMN)
def test_a_hidden_column_does_not_exist(sql: str, db: Database, engine_db: EngineDatabase) -> None:
    db.run(engine_db.checked(sql))  # it is there, and compiled without the policy before
    for verb in (db.run, db.explain):
        with pytest.raises(UnknownColumn):
            verb(engine_db.checked(sql), readable=POLICY)


@pytest.mark.parametrize("sql", HIDDEN_TABLE)
def test_a_hidden_table_does_not_exist(sql: str, db: Database, engine_db: EngineDatabase) -> None:
    db.run(engine_db.checked(sql))
    for verb in (db.run, db.explain):
        with pytest.raises(UnknownTable):
            verb(engine_db.checked(sql), readable=POLICY)


def test_a_hidden_name_is_reported_like_one_that_was_never_there(
    db: Database, engine_db: EngineDatabase
) -> None:
    def error_of(sql: str) -> tuple[str, str, tuple[str, ...]]:
        with pytest.raises(DatabaseError) as caught:
            db.run(engine_db.checked(sql), readable=POLICY)
        return caught.value.kind, caught.value.detail, caught.value.identifiers

    for sql in ("SELECT {0} FROM customers", "SELECT c.{0} FROM customers c"):
        hidden, missing = error_of(sql.format("city")), error_of(sql.format("citx"))
        assert hidden == tuple(
            part.replace("citx", "city") if isinstance(part, str) else ("city",) for part in missing
        )
    hidden, missing = error_of("SELECT * FROM parts"), error_of("SELECT * FROM partz")
    assert hidden[1] == missing[1].replace("partz", "parts")
    assert "main" not in missing[1]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM customers",
        "SELECT * FROM customers c, (SELECT 1 AS k) c",
        "SELECT * FROM ((customers))",
        "SELECT c.* FROM customers c",
    ],
)
def test_a_star_never_brings_hidden_values(sql: str, db: Database, engine_db: EngineDatabase) -> None:
    try:
        rows = db.run(engine_db.checked(sql), readable=POLICY).rows
    except DatabaseError:
        return
    assert "Oslo" not in repr(rows)


def test_a_view_is_read_through_itself_only(db: Database, engine_db: EngineDatabase) -> None:
    """Of `orders` the policy hides the amount that `big_orders` shows."""
    for sql in (
        "SELECT amount FROM orders",
        "WITH big_orders AS (SELECT amount FROM orders) SELECT * FROM big_orders",
        'WITH "Big_Orders"/**/(a) AS MATERIALIZED (SELECT amount FROM orders) SELECT * FROM big_orders',
        "SELECT (WITH x AS (SELECT 1), BIG_ORDERS AS NOT MATERIALIZED (SELECT note FROM orders) "
        "SELECT max(note) FROM big_orders)",
    ):
        with pytest.raises((UnknownColumn, Forbidden)):
            db.run(engine_db.checked(sql), readable=POLICY)


def test_the_next_request_is_not_restricted(db: Database, engine_db: EngineDatabase) -> None:
    query = engine_db.checked("SELECT city FROM customers WHERE id = 2")
    for _ in range(3):
        with pytest.raises(UnknownColumn):
            db.run(query, readable=POLICY)
        assert db.run(query).rows == (("Oslo",),)
        assert db.run(query, readable=Policy({"customers": ("id", "city")})).rows == (("Oslo",),)
    assert db.catalog().table("parts") is not None


def test_an_empty_policy_shows_nothing_and_constants_still_work(
    db: Database, engine_db: EngineDatabase
) -> None:
    nothing = Policy({})
    assert db.run(engine_db.checked("SELECT 1 + 1"), readable=nothing).rows == ((2,),)
    with pytest.raises(UnknownTable):
        db.run(engine_db.checked("SELECT 1 FROM customers"), readable=nothing)
