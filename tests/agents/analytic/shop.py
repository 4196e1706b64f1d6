"""A shop as an analyst sees it: its catalog, its values and its semantic model."""

from text2sql.agents.analytic.reading import AnalyticContext, analytic_context
from text2sql.schema import Domain, build
from text2sql.semantics import discover
from text2sql.types import Catalog, Column, ForeignKey, Table


def _table(name: str, columns: str, *keys: tuple[str, str]) -> Table:
    """`columns`: `name TYPE, …`; the first one is the primary key."""
    parts = [part.split() for part in columns.split(", ")]
    return Table(
        name,
        tuple(Column(column, kind) for column, kind in parts),
        primary_key=(parts[0][0],),
        foreign_keys=tuple(ForeignKey((column,), table, ("id",)) for column, table in keys),
    )


CATALOG = Catalog(
    "sqlite",
    "main",
    (
        _table("customers", "id INTEGER, name TEXT, city TEXT, country TEXT, signed_up_on DATE"),
        _table("products", "id INTEGER, name TEXT, category TEXT, price REAL, cost REAL"),
        _table(
            "orders",
            "id INTEGER, customer_id INTEGER, ordered_on DATE, status TEXT, shipped_on DATE",
            ("customer_id", "customers"),
        ),
        _table(
            "order_items",
            "id INTEGER, order_id INTEGER, product_id INTEGER, quantity INTEGER, unit_price REAL",
            ("order_id", "orders"),
            ("product_id", "products"),
        ),
    ),
    "shop",
)
VALUES = (
    Domain("customers", "country", ("Germany", "Brazil", "France"), complete=True),
    Domain("customers", "city", ("Berlin", "Paris", "Oslo"), complete=True),
    Domain("products", "category", ("Furniture", "Kitchen", "Garden"), complete=True),
    Domain("orders", "status", ("paid", "cancelled", "open"), complete=True),
)


def shop_context() -> AnalyticContext:
    return analytic_context(build(CATALOG).with_values(VALUES), discover(CATALOG, None))
