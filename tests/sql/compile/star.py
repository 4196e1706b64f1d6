"""A small star schema with traps: rows, semantic model, catalog and profile, for any dialect.

Orders have several items and several payments; products have several categories; a customer, a category and
an employee have no orders; an order has no customer; months have no orders; employees refer to managers;
shipments refer to two places; dates are kept as timestamps, texts of three forms, numbers and seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace

from text2sql.types import (
    AnalyticQuery,
    Catalog,
    Column,
    ColumnProfile,
    DatabaseProfile,
    Dimension,
    DimensionKind,
    Entity,
    Measure,
    Relation,
    SemanticModel,
    Table,
    TableProfile,
    Value,
)

Rows = list[tuple[Value, ...]]


@dataclass(frozen=True)
class StarTable:
    name: str
    columns: tuple[tuple[str, str], ...]  # names and kinds: int, money, text, date, moment, real
    rows: Rows

    def column(self, name: str) -> list[Value]:
        index = [column for column, _ in self.columns].index(name)
        return [row[index] for row in self.rows]


def _table(name: str, columns: str, rows: Rows) -> StarTable:
    pairs = tuple((part.split(":")[0], part.split(":")[1]) for part in columns.split())
    return StarTable(name, pairs, rows)


TABLES = (
    _table("regions", "id:int name:text", [(1, "North"), (2, "South"), (3, "East")]),
    _table(
        "customers",
        "id:int name:text city:text region_id:int signup:date vip:int segment:text",
        [
            (1, "Ada", "Oslo", 1, "2024-01-15", 1, "retail "),
            (2, "Bo", "Rome", 2, "2024-02-20", 0, "retail"),
            (3, "Cy", "Oslo", 1, "2024-06-01", 0, "trade"),
            (4, "Di", None, None, "2025-01-05", 1, "trade "),
            (5, "Ada", "Lima", 3, "2025-03-09", 0, None),
        ],
    ),
    _table(
        "employees",
        "id:int name:text manager_id:int salary:int",
        [(1, "Eve", None, 90), (2, "Fay", 1, 60), (3, "Gus", 1, 55), (4, "Hal", 2, 40), (5, "Ivy", 2, 40)],
    ),
    _table(
        "orders",
        "id:int customer_id:int employee_id:int ordered_at:moment status:text total:int",
        [
            (1, 1, 2, "2024-11-05 09:30:00", "paid", 100),
            (2, 1, 2, "2024-12-24 18:00:00", "paid", 40),
            (3, 2, 3, "2025-01-10 08:15:00", "paid", 70),
            (4, 2, 3, "2025-01-31 23:59:59", "cancelled", 30),
            (5, 3, 2, "2025-02-01 00:00:00", "paid", 55),
            (6, None, 4, "2025-02-14 12:00:00", "open", 20),
            (7, 1, 4, "2025-04-02 10:45:00", "paid", 90),
            (8, 5, 3, "2025-04-30 17:20:00", None, 15),
            (9, 3, 2, "2025-07-07 07:07:07", "cancelled", 65),
            (10, 2, 5, "2025-07-20 20:20:20", "paid", 120),
        ],
    ),
    _table(
        "products",
        "id:int name:text brand:text price:money",
        [
            (1, "Lamp", "Lux", 20.5), (2, "Desk", "Oak", 100.0), (3, "Pen", None, 1.25),
            (4, "Chair", "Oak", 45.0), (5, "100%_wool rug", None, 80.0),
        ],
    ),
    _table("categories", "id:int name:text", [(1, "Office"), (2, "Home"), (3, "Light"), (4, "Garden")]),
    _table(
        "product_categories",
        "product_id:int category_id:int",
        [(1, 2), (1, 3), (2, 1), (3, 1), (4, 1), (4, 2), (5, 2)],
    ),
    _table(
        "order_items",
        "id:int order_id:int product_id:int quantity:int unit_price:money",
        [
            (1, 1, 2, 1, 90.0), (2, 1, 3, 8, 1.25), (3, 2, 1, 2, 20.0), (4, 3, 4, 1, 45.0),
            (5, 3, 1, 1, 20.5), (6, 3, 3, 3, 1.5), (7, 4, 3, 24, 1.25), (8, 5, 4, 1, 45.0),
            (9, 5, 3, 8, 1.25), (10, 6, 1, 1, 20.0), (11, 7, 2, 1, 90.0), (12, 8, 3, 12, 1.25),
            (13, 9, 4, 1, 45.0), (14, 9, 1, 1, 20.0), (15, 10, 2, 1, 100.0), (16, 10, 1, 1, None),
        ],
    ),
    _table(
        "payments",
        "id:int order_id:int amount:int method:text paid_on:text",
        [
            (1, 1, 60, "card", "11/05/2024"), (2, 1, 40, "cash", "11/20/2024"),
            (3, 2, 40, "card", "12/24/2024"), (4, 3, 70, "card", "1/11/2025"),
            (5, 5, 25, "cash", "02/01/2025"), (6, 5, 30, "card", "02/28/2025"),
            (7, 7, 90, "bank", "04/03/2025"), (8, 10, 60, "card", "07/21/2025"),
            (9, 10, 50, "card", "08/01/2025"), (10, None, 5, None, None),
        ],
    ),
    _table("places", "id:int name:text", [(1, "Hull"), (2, "Cork"), (3, "Brest")]),
    _table(
        "shipments",
        "id:int order_id:int origin_id:int destination_id:int shipped:int arrived:int weight:real",
        [
            (1, 1, 1, 2, 20241106, 1731024000, 2.5), (2, 3, 1, 3, 20250112, 1736899200, 1.5),
            (3, 5, 2, 3, 20250203, 1738800000, 4.0), (4, 7, 2, 1, 20250404, None, 0.25),
            (5, 10, 3, 2, 20250722, 1753488000, 3.5),
        ],
    ),
    _table(
        "visits",
        "id:int customer_id:int day:text minutes:int cost:text noted:text slashed:text closed:int",
        [
            (1, 1, "01.02.2025", 10, "$1,200.50", "2025年2月1日", "2025/2/1 10:05", 202502),
            (2, 1, "15.02.2025", 25, "$99.00", "2025年02月15日", "2025/02/15 09:30", 202502),
            (3, 2, "03.03.2025", 5, "$10.00", "2025年3月3日", "2025/3/3 23:59", 202503),
            (4, 2, "3.3.2025", 12, None, None, None, 202504),
            (5, 4, "31.12.2024", 7, "$0.50", "2024年12月31日", "2024/12/31 00:00", 202412),
        ],
    ),
    _table(
        "budgets", "id:int year:int amount:int", [(1, 2023, 10), (2, 2024, 25), (3, 2025, 40), (4, 2025, 2)]
    ),
)  # fmt: skip

_TYPES = {
    "sqlite": {"date": "TEXT", "moment": "TEXT", "money": "REAL"},
    "duckdb": {"moment": "TIMESTAMP"},
    "postgres": {"moment": "TIMESTAMP"},
    "mysql": {"moment": "DATETIME"},
    "clickhouse": {
        "int": "Nullable(Int64)", "text": "Nullable(String)", "date": "Nullable(Date)",
        "moment": "Nullable(DateTime('UTC'))", "real": "Nullable(Float64)",
        "money": "Nullable(Decimal(10, 2))",
    },
    "snowflake": {"moment": "TIMESTAMP_NTZ"},
    "bigquery": {
        "int": "INT64", "text": "STRING", "moment": "DATETIME", "real": "FLOAT64", "money": "NUMERIC",
    },
    "oracle": {"moment": "TIMESTAMP", "int": "NUMBER", "text": "VARCHAR2(40)"},
}  # fmt: skip
_COMMON = {
    "int": "INTEGER", "text": "VARCHAR(40)", "date": "DATE", "moment": "TIMESTAMP",
    "real": "DOUBLE PRECISION", "money": "DECIMAL(10,2)",
}  # fmt: skip
FORMATS = {
    "payments.paid_on": "date:%m/%d/%Y",
    "shipments.shipped": "date:%Y%m%d",
    "shipments.arrived": "epoch:s",
    "visits.day": "date:%d.%m.%Y",
    "visits.noted": "date:%Y年%m月%d日",
    "visits.slashed": "datetime:%Y/%m/%d %H:%M",
    "visits.closed": "date:%Y%m",
    "visits.cost": "number:$1,234.56",
    "budgets.year": "year",
}
_RANGES = {
    "payments.paid_on": ("2024-11-05", "2025-08-01"),
    "visits.day": ("2024-12-31", "2025-03-03"),
    "visits.noted": ("2024-12-31", "2025-03-03"),
    "visits.slashed": ("2024-12-31 00:00:00", "2025-03-03 23:59:00"),
    "visits.closed": ("2024-12-01", "2025-04-01"),
}
_TIMES = frozenset({"orders.ordered_at", "customers.signup", *FORMATS} - {"visits.cost"})


def column_type(dialect: str, kind: str) -> str:
    return _TYPES[dialect].get(kind, _COMMON[kind])


def statements(dialect: str) -> Iterator[str]:
    """What creates and fills the tables."""
    for table in TABLES:
        columns = ", ".join(f"{name} {column_type(dialect, kind)}" for name, kind in table.columns)
        yield f"CREATE TABLE {table.name} ({columns})"
        rows = ", ".join(f"({', '.join(_literal(value) for value in row)})" for row in table.rows)
        yield f"INSERT INTO {table.name} VALUES {rows}"


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _name(dialect: str, name: str) -> str:
    return name.upper() if dialect in ("snowflake", "oracle") else name


def spelled(query: AnalyticQuery, dialect: str) -> AnalyticQuery:
    """The query with names of tables as the dialect stores them."""
    known = {table.name for table in TABLES}

    def spell(value: object) -> object:
        if isinstance(value, str):
            return ">".join(_name(dialect, part) if part in known else part for part in value.split(">"))
        if isinstance(value, tuple):
            return tuple(map(spell, value))
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{each.name: spell(getattr(value, each.name)) for each in fields(value)})
        return value

    result = spell(query)
    assert isinstance(result, AnalyticQuery)
    return result


def catalog(dialect: str) -> Catalog:
    tables = tuple(
        Table(
            _name(dialect, table.name),
            tuple(Column(_name(dialect, name), column_type(dialect, kind)) for name, kind in table.columns),
        )
        for table in TABLES
    )
    return Catalog(dialect, "public", tables, "star")


def profile(dialect: str) -> DatabaseProfile:
    tables = tuple(
        TableProfile(
            _name(dialect, table.name),
            len(table.rows),
            len(table.rows),
            tuple(_column_profile(dialect, table, name) for name, _ in table.columns),
        )
        for table in TABLES
    )
    return DatabaseProfile("star", tables)


def _column_profile(dialect: str, table: StarTable, name: str) -> ColumnProfile:
    full, values = f"{table.name}.{name}", [value for value in table.column(name) if value is not None]
    smallest, largest = _RANGES.get(full) or (min(values), max(values))  # type: ignore[type-var]
    return ColumnProfile(
        _name(dialect, name),
        distinct=len(set(map(str, values))),
        smallest=smallest,
        largest=largest,
        format=FORMATS.get(full, ""),
        is_padded=full == "customers.segment",
    )


_LABELS = {
    "customers": ("name",), "employees": ("name",), "products": ("name",), "categories": ("name",),
    "regions": ("name",), "places": ("name",),
}  # fmt: skip
_ENTITY_TIMES = {
    "orders": "orders.ordered_at",
    "customers": "customers.signup",
    "payments": "payments.paid_on",
}


def model(dialect: str) -> SemanticModel:
    def name(text: str) -> str:
        return _name(dialect, text)

    def kind_of(full: str, kind: str) -> DimensionKind:
        return "time" if full in _TIMES else "number" if kind in ("int", "real", "money") else "category"

    dimensions = tuple(
        Dimension(
            f"{table.name}.{column}",
            name(table.name),
            name(column),
            kind_of(f"{table.name}.{column}", kind),
            FORMATS.get(f"{table.name}.{column}", ""),
        )
        for table in TABLES
        for column, kind in table.columns
    )
    entities = tuple(
        Entity(
            name(table.name),
            ("product_id", "category_id") if table.name == "product_categories" else (name("id"),),
            tuple(name(label) for label in _LABELS.get(table.name, ())),
            _ENTITY_TIMES.get(table.name, ""),
        )
        for table in TABLES
    )
    return SemanticModel(dialect, entities, dimensions, _measures(name), _relations(name))


def _measures(name: "object") -> tuple[Measure, ...]:
    assert callable(name)

    def own(full: str, unit: str = "") -> Measure:
        table, column = full.split(".")
        return Measure(full, name(table), name(column), unit=unit)

    revenue = Measure(
        "revenue", name("order_items"), f"{name('quantity')} * {name('unit_price')}", unit="EUR"
    )
    return (
        own("orders.total"), own("payments.amount", "EUR"), own("order_items.quantity"),
        own("products.price"), own("employees.salary"), own("visits.minutes", "min"), own("visits.cost"),
        own("shipments.weight"), own("budgets.amount"),
        revenue,
        Measure("discount", name("order_items"),
                f"{name('quantity')} * ({name('products')}.{name('price')} - {name('unit_price')})"),
        Measure("paid", name("orders"), name("total"), filter=f"{name('status')} = 'paid'"),
        Measure("basket", name("orders"), f"SUM({name('total')}) * 1.0 / COUNT(*)", is_aggregate=True),
        Measure("revenue_per_item", name("order_items"), "", numerator="revenue",
                denominator="order_items.quantity"),
    )  # fmt: skip


_REFERENCES = (
    "customers.region_id regions", "employees.manager_id employees manager", "orders.customer_id customers",
    "orders.employee_id employees", "product_categories.product_id products",
    "product_categories.category_id categories", "order_items.order_id orders",
    "order_items.product_id products", "payments.order_id orders", "shipments.order_id orders",
    "shipments.origin_id places origin", "shipments.destination_id places destination",
    "visits.customer_id customers",
)  # fmt: skip


def _relations(name: "object") -> tuple[Relation, ...]:
    assert callable(name)
    relations = []
    for reference in _REFERENCES:
        source, to, *role = reference.split()
        table, column = source.split(".")
        relations.append(
            Relation(name(table), (name(column),), name(to), (name("id"),), role[0] if role else "")
        )
    return tuple(relations)
