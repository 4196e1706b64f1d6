"""The shop of `tests/sql/policy.json` on every engine, complete or as a copy without the hidden columns."""

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from contract.engine_databases import EngineDatabase
from text2sql.types import Policy

POLICY = json.loads((Path(__file__).parents[1] / "sql" / "policy.json").read_text(encoding="utf-8"))
HIDDEN: Mapping[str, tuple[str, ...]] = {
    "customers": ("ssn", "password_hash", "level"),
    "employees": ("salary", "bank_account", "level"),
}
_NUMBERS = frozenset(
    "id customer_id order_id product_id user_id quantity stock manager_id value salary level".split()
)
_MONEY = frozenset("total unit_price discount price".split())
_TIMES = frozenset("created_at updated_at deleted_at occurred_at".split())
_DATES = frozenset("order_date hire_date".split())
_JSON = frozenset("attributes payload".split())
_JSON_TYPE = {
    "postgres": "jsonb",
    "duckdb": "JSON",
    "mysql": "JSON",
    "sqlite": "TEXT",
    "clickhouse": "String",
    "oracle": "JSON",
    "snowflake": "VARIANT",
    "bigquery": "JSON",
}
_WORDS = {
    "status": ("new", "paid", "shipped"),
    "country": ("DE", "FR", "US", "JP"),
    "city": ("Berlin", "Paris", "Austin", "Tokyo"),
    "category": ("toys", "books", "food"),
    "currency": ("EUR",),
}


def policy_for(engine_db: EngineDatabase) -> Policy:
    tables = {name: tuple(columns) for name, columns in POLICY["tables"].items()}
    database = urlsplit(engine_db.url).path.strip("/")
    named = {engine_db.dialect: database} if not engine_db.facts.default_schema else {}
    return Policy(tables, {**POLICY["default_schema"], **named})


def fill(
    engine_db: EngineDatabase, *, with_hidden: bool, other_hidden: bool = False, backwards: bool = False
) -> None:
    """Replace the sample schema by the shop; the same rows, with or without the hidden columns. There are two
    sets of values for hidden columns; `backwards` inserts the rows in reverse order.
    """
    for name in ("uses", "orders", "customers", "parts"):
        engine_db.admin(f"DROP TABLE {name}" if name != "orders" else "DROP VIEW big_orders")
        if name == "orders":
            engine_db.admin("DROP TABLE orders")
    engine_db.admin(f"DROP TABLE {engine_db.facts.quote}order{engine_db.facts.quote}")
    for table, visible in POLICY["tables"].items():
        columns = [*visible, *(HIDDEN.get(table, ()) if with_hidden else ())]
        quoted = [engine_db.facts.quote + column + engine_db.facts.quote for column in columns]
        name = f"{engine_db.facts.quote}{table}{engine_db.facts.quote}"
        kinds = ", ".join(f"{q} {_type(c, engine_db)}" for q, c in zip(quoted, columns, strict=True))
        engine_db.admin(f"CREATE TABLE {name} ({kinds})")
        values = [
            [_value(c, 31 - row if other_hidden and c not in visible else row) for c in columns]
            for row in (range(30, 0, -1) if backwards else range(1, 31))
        ]
        rows = ", ".join(f"({', '.join(row)})" for row in values)
        engine_db.admin(f"INSERT INTO {name} ({', '.join(quoted)}) VALUES {rows}")


def _type(column: str, engine_db: EngineDatabase) -> str:
    if column in _NUMBERS:
        return "INTEGER"
    if column in _MONEY:
        return "DECIMAL(12,2)"
    if column in _DATES:
        return "DATE"
    if column in _TIMES:
        return "TIMESTAMP NULL" if engine_db.dialect == "mysql" else "TIMESTAMP"
    return _JSON_TYPE[engine_db.dialect] if column in _JSON else "VARCHAR(100)"


def _value(column: str, row: int) -> str:
    if column in ("id", "quantity", "stock", "value", "salary", "level"):
        return str(row)
    if column == "manager_id":
        return str(row // 3) if row > 2 else "NULL"
    if column in _NUMBERS:
        return str(1 + row % 10)
    if column in _MONEY:
        return f"{row}.5"
    if column in _DATES:
        return f"'2024-01-{row:02}'"
    if column in _TIMES:
        return "NULL" if column == "deleted_at" and row % 3 else f"'2024-01-{row:02} 10:00:00'"
    if column in _JSON:
        return f"""'{{"color": "red", "tags": ["a", "b"], "page": "/p{row}"}}'"""
    words = _WORDS.get(column)
    return f"'{words[row % len(words)]}'" if words else f"'{column} {row}'"
