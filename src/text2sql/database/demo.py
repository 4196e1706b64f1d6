"""Builds the demo shop: two languages, fourteen tables, three years of orders, byte-identical on every build.
It is in this package because only this package may import a driver.
"""

import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from text2sql.errors import UsageError

SEED = 20260101
FIRST_DAY, LAST_DAY = date(2023, 1, 1), date(2025, 12, 31)
STORES, CUSTOMERS, ORDERS = 24, 4_000, 32_000

Row = tuple[Any, ...]

SCHEMA = """
CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_zh TEXT NOT NULL);
CREATE TABLE cities (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_zh TEXT NOT NULL, country TEXT NOT NULL,
  region_id INTEGER NOT NULL REFERENCES regions(id), population INTEGER);
CREATE TABLE stores (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, city_id INTEGER NOT NULL REFERENCES cities(id),
  opened_on DATE NOT NULL, floor_area REAL);
CREATE TABLE employees (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL,
  store_id INTEGER NOT NULL REFERENCES stores(id), manager_id INTEGER REFERENCES employees(id),
  hired_on DATE NOT NULL, salary NUMERIC NOT NULL);
CREATE TABLE customers (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, gender TEXT, birth_year INTEGER, email TEXT, phone TEXT,
  city_id INTEGER NOT NULL REFERENCES cities(id), level TEXT NOT NULL, joined_on DATE NOT NULL);
CREATE TABLE categories (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_zh TEXT NOT NULL,
  parent_id INTEGER REFERENCES categories(id));
CREATE TABLE suppliers (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, city_id INTEGER NOT NULL REFERENCES cities(id), rating REAL);
CREATE TABLE products (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_zh TEXT NOT NULL,
  category_id INTEGER NOT NULL REFERENCES categories(id),
  supplier_id INTEGER NOT NULL REFERENCES suppliers(id), price NUMERIC NOT NULL, cost NUMERIC NOT NULL,
  stock INTEGER NOT NULL, discontinued INTEGER NOT NULL DEFAULT 0);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id),
  store_id INTEGER NOT NULL REFERENCES stores(id), employee_id INTEGER REFERENCES employees(id),
  ordered_on DATE NOT NULL, status TEXT NOT NULL, channel TEXT NOT NULL);
CREATE TABLE order_items (
  order_id INTEGER NOT NULL REFERENCES orders(id), product_id INTEGER NOT NULL REFERENCES products(id),
  quantity INTEGER NOT NULL, unit_price NUMERIC NOT NULL, discount REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (order_id, product_id));
CREATE TABLE payments (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id), method TEXT NOT NULL,
  amount NUMERIC NOT NULL, paid_on DATE NOT NULL);
CREATE TABLE shipments (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id), carrier TEXT NOT NULL,
  shipped_on DATE NOT NULL, delivered_on DATE);
CREATE TABLE returns (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id),
  product_id INTEGER NOT NULL REFERENCES products(id), returned_on DATE NOT NULL, reason TEXT NOT NULL);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products(id),
  customer_id INTEGER NOT NULL REFERENCES customers(id), rating INTEGER NOT NULL, comment TEXT,
  written_on DATE NOT NULL);
CREATE INDEX orders_by_day ON orders(ordered_on);
CREATE INDEX orders_by_customer ON orders(customer_id);
CREATE INDEX items_by_product ON order_items(product_id);
"""

_REGIONS = (
    ("East China", "华东"), ("North China", "华北"), ("South China", "华南"),
    ("Southwest China", "西南"), ("Europe", "欧洲"), ("North America", "北美"),
)  # fmt: skip
_CITIES = (
    ("Shanghai", "上海", "China", 1, 24_870_000), ("Hangzhou", "杭州", "China", 1, 12_200_000),
    ("Nanjing", "南京", "China", 1, 9_420_000), ("Beijing", "北京", "China", 2, 21_890_000),
    ("Tianjin", "天津", "China", 2, 13_870_000), ("Guangzhou", "广州", "China", 3, 18_680_000),
    ("Shenzhen", "深圳", "China", 3, 17_560_000), ("Chengdu", "成都", "China", 4, 20_940_000),
    ("Chongqing", "重庆", "China", 4, 32_050_000), ("Berlin", "柏林", "Germany", 5, 3_770_000),
    ("Paris", "巴黎", "France", 5, 2_100_000), ("London", "伦敦", "United Kingdom", 5, 8_870_000),
    ("New York", "纽约", "United States", 6, 8_340_000), ("Seattle", "西雅图", "United States", 6, 750_000),
)  # fmt: skip
_CATEGORIES = (
    ("Food", "食品", None), ("Electronics", "电子产品", None), ("Home", "家居", None), ("Tea", "茶叶", 1),
    ("Snacks", "零食", 1), ("Coffee", "咖啡", 1), ("Phones", "手机", 2), ("Audio", "音响", 2),
    ("Kitchen", "厨具", 3), ("Stationery", "文具", 3),
)  # fmt: skip
_PRODUCTS = {
    4: (("Green tea", "绿茶"), ("Black tea", "红茶"), ("Oolong tea", "乌龙茶"), ("Pu'er tea", "普洱茶")),
    5: (("Rice crackers", "米饼"), ("Dried mango", "芒果干"), ("Nuts", "坚果"), ("Chocolate", "巧克力")),
    6: (("Espresso beans", "意式咖啡豆"), ("Drip coffee", "挂耳咖啡"), ("Instant coffee", "速溶咖啡")),
    7: (("Phone X1", "手机X1"), ("Phone X2", "手机X2"), ("Phone Mini", "迷你手机"), ("Phone case", "手机壳")),
    8: (("Headphones", "头戴耳机"), ("Earbuds", "无线耳机"), ("Speaker", "音箱")),
    9: (("Wok", "炒锅"), ("Chef's knife", "菜刀"), ("Tea kettle", "茶壶"), ("Rice cooker", "电饭煲")),
    10: (("Fountain pen", "钢笔"), ("Notebook", "笔记本"), ("Desk lamp", "台灯")),
}
_PRICES = {4: (20, 180), 5: (8, 60), 6: (30, 120), 7: (40, 6000), 8: (150, 2500), 9: (60, 800), 10: (10, 300)}
_FAMILY_NAMES, _GIVEN_NAMES = "王李张刘陈杨黄赵周吴", "伟芳娜敏静强磊洋艳杰涛明霞平刚"
_FIRST = ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry", "Ida", "Jack", "Laura", "Max")
_LAST = ("Smith", "Miller", "Schmidt", "Martin", "Brown", "Dubois", "Wilson", "Fischer", "Moore", "Taylor")
_STATUSES = (("completed", 86), ("shipped", 5), ("pending", 4), ("cancelled", 5))
_CHANNELS = (("store", 45), ("web", 35), ("app", 20))
_METHODS = (("alipay", 40), ("wechat", 30), ("card", 25), ("cash", 5))
_TITLES = ("Sales assistant", "Cashier", "Stock clerk")
_LEVELS = (("regular", 70), ("silver", 18), ("gold", 9), ("platinum", 3))
_REASONS = ("damaged", "wrong item", "not as described", "changed mind")
_COMMENTS = ("很好，会再买", "Great value", "一般", "Not what I expected", "包装精美", "Fast delivery", None)


def build_demo(path: Path) -> Path:
    """Write the demo database to `path`, completely or not at all; an existing file is replaced."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(unfinished)) as connection:
            connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + SCHEMA)
            for table, rows in _rows(random.Random(SEED)):  # noqa: S311 - the data must be reproducible
                placeholders = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO {table} VALUES ({placeholders})", rows)
            connection.execute("ANALYZE")
            connection.commit()
        unfinished.replace(path)
    except (OSError, sqlite3.OperationalError) as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise UsageError("usage.demo", path=str(path), detail=str(error)) from error
    return path


def _rows(rng: random.Random) -> Iterator[tuple[str, list[Row]]]:
    yield "regions", [(i, *row) for i, row in enumerate(_REGIONS, 1)]
    yield "cities", [(i, *row) for i, row in enumerate(_CITIES, 1)]
    stores = [_store(rng, number) for number in range(1, STORES + 1)]
    yield "stores", stores
    yield "employees", _employees(rng, len(stores))
    yield "customers", [_customer(rng, i) for i in range(1, CUSTOMERS + 1)]
    yield "categories", [(i, *row) for i, row in enumerate(_CATEGORIES, 1)]
    yield "suppliers", [_supplier(rng, i) for i in range(1, 13)]
    products = _products(rng)
    yield "products", products
    yield from _sales(rng, products, len(stores))


def _store(rng: random.Random, number: int) -> Row:
    round_, city = divmod(number - 1, len(_CITIES))
    name, opened = f"{_CITIES[city][0]} Store {round_ + 1}", _day(rng, date(2015, 1, 1), date(2022, 12, 31))
    return number, name, city + 1, opened, round(rng.uniform(80, 900), 1)


def _supplier(rng: random.Random, number: int) -> Row:
    return number, f"Supplier {chr(64 + number)}", rng.randint(1, len(_CITIES)), round(rng.uniform(2.5, 5), 1)


def _employees(rng: random.Random, stores: int) -> list[Row]:
    rows: list[Row] = []
    for store in range(1, stores + 1):
        manager = len(rows) + 1
        for position in range(6):
            is_manager = position == 0
            title = "Store manager" if is_manager else rng.choice(_TITLES)
            salary = rng.randint(14_000, 22_000) if is_manager else rng.randint(4_500, 9_500)
            hired, above = _day(rng, date(2016, 1, 1), date(2024, 12, 31)), None if is_manager else manager
            rows.append((len(rows) + 1, _name(rng), title, store, above, hired, salary))
    return rows


def _customer(rng: random.Random, number: int) -> Row:
    name = _name(rng)
    email = f"user{number}@example.com" if rng.random() < 0.9 else None
    phone = f"13{rng.randint(100_000_000, 999_999_999)}" if rng.random() < 0.8 else None
    return (
        number, name, rng.choice(("F", "M", None)), rng.randint(1950, 2006), email, phone,
        min(len(_CITIES), 1 + int(rng.expovariate(0.25))), _weighted(rng, _LEVELS),
        _day(rng, date(2021, 1, 1), LAST_DAY),
    )  # fmt: skip


def _products(rng: random.Random) -> list[Row]:
    rows: list[Row] = []
    for category, names in _PRODUCTS.items():
        for name, name_zh in names:
            for size, size_zh, factor in (("small", "小份", 1.0), ("large", "大份", 1.7)):
                price = round(rng.uniform(*_PRICES[category]) * factor, 2)
                cost = round(price * rng.uniform(0.45, 0.8), 2)
                labels = (f"{name} ({size})", f"{name_zh}（{size_zh}）")
                discontinued, supplier = int(rng.random() < 0.06), rng.randint(1, 12)
                facts = (category, supplier, price, cost, rng.randint(0, 500), discontinued)
                rows.append((len(rows) + 1, *labels, *facts))
    return rows


def _sales(rng: random.Random, products: list[Row], stores: int) -> Iterator[tuple[str, list[Row]]]:
    tables: dict[str, list[Row]] = {
        name: [] for name in ("orders", "order_items", "payments", "shipments", "returns", "reviews")
    }
    orders, items, payments, shipments, returns, reviews = tables.values()
    popular = [1 / (1 + i % 11) for i in range(len(products))]
    for number in range(1, ORDERS + 1):
        customer, store = min(CUSTOMERS, 1 + int(rng.expovariate(1 / 900))), rng.randint(1, stores)
        day = _busy_day(rng)
        status, channel = _weighted(rng, _STATUSES), _weighted(rng, _CHANNELS)
        employee = (store - 1) * 6 + rng.randint(1, 6) if channel == "store" else None
        orders.append((number, customer, store, employee, day, status, channel))
        total = 0.0
        basket = rng.choices(products, popular, k=rng.choice((1, 1, 2, 2, 3, 4)))
        for product in dict.fromkeys(basket):  # without duplicates; not a set, whose order differs by process
            quantity, discount = rng.choice((1, 1, 1, 2, 2, 3, 5)), rng.choice((0, 0, 0, 0, 0.1, 0.2))
            price = product[5]
            items.append((number, product[0], quantity, price, discount))
            total += quantity * price * (1 - discount)
            if status == "completed" and rng.random() < 0.03:
                returned_on = _after(rng, day, 20)
                returns.append((len(returns) + 1, number, product[0], returned_on, rng.choice(_REASONS)))
            if status == "completed" and rng.random() < 0.12:
                stars = rng.choices((1, 2, 3, 4, 5), (4, 6, 15, 35, 40))[0]
                text = rng.choice(_COMMENTS)
                reviews.append((len(reviews) + 1, product[0], customer, stars, text, _after(rng, day, 30)))
        if status in ("completed", "shipped"):
            method = _weighted(rng, _METHODS)
            payments.append((len(payments) + 1, number, method, round(total, 2), day))
            if channel != "store":
                shipped_on = _after(rng, day, 3)
                delivered_on = _after(rng, shipped_on, 6) if status == "completed" else None
                carrier = rng.choice(("SF Express", "ZTO", "DHL", "UPS"))
                shipments.append((len(shipments) + 1, number, carrier, shipped_on, delivered_on))
    items.sort()
    yield from tables.items()


def _name(rng: random.Random) -> str:
    if rng.random() < 0.6:
        return rng.choice(_FAMILY_NAMES) + "".join(rng.choices(_GIVEN_NAMES, k=rng.choice((1, 2))))
    return f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"


def _weighted(rng: random.Random, choices: Iterable[tuple[str, int]]) -> str:
    words, weights = zip(*choices, strict=True)
    return str(rng.choices(words, weights)[0])


def _day(rng: random.Random, first: date, last: date) -> str:
    return (first + timedelta(days=rng.randint(0, (last - first).days))).isoformat()


def _busy_day(rng: random.Random) -> str:
    """More orders every year, most of them in November and December."""
    span = (LAST_DAY - FIRST_DAY).days
    while True:
        day = FIRST_DAY + timedelta(days=int(span * rng.random() ** 0.8))
        if rng.random() < (1.0 if day.month >= 11 else 0.6):
            return day.isoformat()


def _after(rng: random.Random, day: str | date, days: int) -> str:
    start = day if isinstance(day, date) else date.fromisoformat(day)
    return (start + timedelta(days=rng.randint(1, days))).isoformat()
