"""Tables with row policies for one user: with all rows, and as a copy with only the visible rows."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from contract.engine_databases import EngineDatabase
from text2sql.schema import SchemaContext, build
from text2sql.sql import policy_for, read_policies
from text2sql.types import Catalog, Policy

DOCUMENT: dict[str, dict[str, Any]] = {
    "tables": {
        "orders": ["id", "customer_id", "region", "total", "note"],
        "customers": ["id", "name", "region"],
        "items": ["id", "order_id", "product_id", "quantity"],
        "products": ["id", "name", "price"],
        "staff": ["id", "name", "boss_id", "salary"],
        "ruled_orders": ["id", "region", "total"],
        "dear_products": ["id", "name"],
        "every_order": ["id", "region"],
    },
    "rows": {
        "orders": "tenant = :tenant AND region IN (:regions)",
        "customers": "region = :regions OR name = :user",
        "items": "order_id IN (SELECT order_id FROM marks WHERE tenant = :tenant)",
        "staff": "EXISTS (SELECT 1 FROM marks AS m WHERE m.order_id = staff.id) AND salary < 50",
        "ruled_orders": "tenant = :tenant AND region IN (:regions)",
        "dear_products": "TRUE",
    },
}
CLAIMS: dict[str, object] = {"tenant": 1, "regions": ["north", "east"], "user": "O'Neil"}

# Hidden rows make these queries fail: a note that is not a number, 100 - 100, e to the 800th.
_ORDERS = [
    (1, 1, "north", 10, "5", 1),
    (2, 1, "east", 20, "6", 1),
    (3, 2, "south", 100, "bad", 1),
    (4, 2, "north", 100, "worse", 2),
    (5, 3, "north", 30, None, 1),
    (6, 3, None, 1, "null", 1),
    (7, 4, "east", 40, "7", 1),
    (8, 9, "North", 100, "no", 2),
    (9, 4, "north", 50, "8", 1),
]
_CUSTOMERS = [
    (1, "Ann", "north"),
    (2, "Bob", "south"),
    (3, "O'Neil", "west"),
    (4, "Eve", None),
    (5, "Joe", "east"),
]
_ITEMS = [(n, 1 + n % 9, 1 + n % 7, n) for n in range(1, 25)]
_PRODUCTS = [(n, f"product {n}", n * 10) for n in range(1, 9)]
_STAFF = [
    (1, "a", None, 10),
    (2, "b", 1, 99),
    (3, "c", 1, 20),
    (5, "d", 3, 30),
    (6, "e", 2, 40),
    (7, "f", 5, 10),
]
_MARKS = [
    (number, 1 if row[-1] == 1 and row[2] in ("north", "east") else 2)
    for number, row in enumerate(_ORDERS, 1)
]

_SHOWN_ORDERS = [row[:5] for row in _ORDERS if row[5] == 1 and row[2] in ("north", "east")]
_SHOWN_MARKS = {order for order, tenant in _MARKS if tenant == 1}


def fill(engine_db: EngineDatabase, *, whole: bool) -> None:
    for statement in _statements(engine_db, whole=whole):
        engine_db.admin(statement)


def knowledge_of(
    engine_db: EngineDatabase, catalog: Catalog, claims: dict[str, object] | None = None
) -> SchemaContext:
    document = json.dumps(DOCUMENT)
    policy = policy_for(read_policies(document), [], CLAIMS if claims is None else claims)
    return build(catalog, Policy(policy.tables, {engine_db.dialect: catalog.default_schema}, policy.rows))


def _statements(engine_db: EngineDatabase, *, whole: bool) -> Iterator[str]:
    for old in ("TABLE uses", "VIEW big_orders", "TABLE orders", "TABLE customers"):
        yield f"DROP {old}"
    hidden = ", tenant INTEGER" if whole else ""
    text, number = "VARCHAR(40)", "INTEGER"
    collation = " COLLATE utf8mb4_bin" if engine_db.dialect == "mysql" else ""
    engine = " ENGINE = ReplacingMergeTree" if engine_db.dialect == "clickhouse" else ""  # which knows FINAL
    yield (
        f"CREATE TABLE orders (id {number} NOT NULL PRIMARY KEY, customer_id {number}, "
        f"region {text}{collation}, total {number}, note {text}{hidden}){engine}"
    )
    yield f"CREATE TABLE customers (id {number}, name {text}, region {text}{collation})"
    yield f"CREATE TABLE items (id {number}, order_id {number}, product_id {number}, quantity {number})"
    yield f"CREATE TABLE products (id {number}, name {text}, price {number})"
    yield f"CREATE TABLE staff (id {number}, name {text}, boss_id {number}, salary {number})"
    yield f"CREATE TABLE marks (order_id {number}, tenant {number})"
    if "indexes" not in engine_db.facts.gaps:
        yield "CREATE INDEX by_total ON orders (total)"
    yield _insert(engine_db, "orders", _ORDERS if whole else _SHOWN_ORDERS)
    visible_customers = [row for row in _CUSTOMERS if row[2] in ("north", "east") or row[1] == CLAIMS["user"]]
    yield _insert(engine_db, "customers", _CUSTOMERS if whole else visible_customers)
    yield _insert(engine_db, "items", [row for row in _ITEMS if whole or row[1] in _SHOWN_MARKS])
    yield _insert(engine_db, "products", _PRODUCTS)
    marked_orders = {order for order, _ in _MARKS}
    yield _insert(
        engine_db, "staff", [row for row in _STAFF if whole or (row[0] in marked_orders and row[3] < 50)]
    )
    yield _insert(engine_db, "marks", _MARKS)
    yield f"CREATE VIEW ruled_orders AS SELECT id, region, total{', tenant' if whole else ''} FROM orders"
    yield "CREATE VIEW dear_products AS SELECT id, name FROM products WHERE price > 50"
    yield "CREATE VIEW every_order AS SELECT id, region FROM orders"
    if engine_db.dialect == "postgres":
        yield "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC"
        yield "ANALYZE"


def _insert(engine_db: EngineDatabase, table: str, rows: Sequence[tuple[object, ...]]) -> str:
    def literal(value: object) -> str:
        if isinstance(value, str):
            return "'" + value.replace("'", "\\'" if engine_db.dialect == "bigquery" else "''") + "'"
        return "NULL" if value is None else str(value)

    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    return f"INSERT INTO {table} VALUES {values}"
