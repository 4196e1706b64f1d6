"""What `make demo` shows: a shop asked honestly, attacked five ways, and once with the guard switched off."""

import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from text2sql.cli import main
from text2sql.database import Database, open_database
from text2sql.errors import DatabaseError
from text2sql.messages import explain, refusal
from text2sql.sql import check
from text2sql.types import Catalogue, CheckedSql, Policy, QueryResult

SCHEMA = """
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, phone TEXT);
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price NUMERIC);
    CREATE TABLE orders (
        id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, day DATE NOT NULL,
        status TEXT NOT NULL);
    CREATE TABLE order_items (
        order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES products, quantity INTEGER NOT NULL,
        PRIMARY KEY (order_id, product_id));
    CREATE INDEX orders_by_day ON orders (day);
"""
CITIES = ("上海", "北京", "广州", "成都", "Berlin", "Oslo")
NAMES = ("王芳", "李雷", "张伟", "刘洋", "Ann", "Bo", "Carla", "Dmitri")
PRODUCTS = (
    ("绿茶", "茶", 28), ("红茶", "茶", 32), ("普洱", "茶", 88), ("Espresso", "coffee", 18),
    ("Filter coffee", "coffee", 15), ("笔记本", "文具", 12), ("Fountain pen", "文具", 120),
)  # fmt: skip
STATUSES = ("paid", "paid", "paid", "shipped", "refunded")

HONEST = (
    (
        "Which products earn the most? 哪些商品收入最高？",
        "SELECT p.name, sum(i.quantity * p.price) AS revenue FROM order_items i "
        "JOIN products p ON p.id = i.product_id GROUP BY p.name ORDER BY revenue DESC LIMIT 4;",
    ),
    (
        "How many customers are in each city? 每个城市有多少客户？",
        "SELECT city, count(*) AS 客户数 FROM customers GROUP BY city ORDER BY 2 DESC, 1",
    ),
    (
        "Orders a month, of the first half-year? 上半年每月订单数？",
        "WITH m AS (SELECT strftime('%Y-%m', day) AS month FROM orders) "
        "SELECT month, count(*) AS orders FROM m WHERE month < '2025-07' GROUP BY month ORDER BY month",
    ),
)
HOSTILE = (
    "DROP TABLE orders",
    "SELECT 1; DELETE FROM customers",
    "SELECT name, phone FROM customers",
    "SELECT sql FROM sqlite_master",
    "SELECT load_extension('/tmp/evil.so')",
)
NEXT = ('check "SELECT sleep(5)" --dialect mysql --lang zh', "schema --db YOUR-OWN.db", "doctor")
WRITE = "UPDATE orders SET status = 'refunded'"
POLICY = Policy(
    {  # all but a customer's telephone number
        "customers": ("id", "name", "city"),
        "products": ("id", "name", "category", "price"),
        "orders": ("id", "customer_id", "day", "status"),
        "order_items": ("order_id", "product_id", "quantity"),
    }
)
console = Console(highlight=False, markup=False, soft_wrap=True)


def make_shop(path: Path) -> None:
    """A few thousand rows from arithmetic: no chance, so no two runs differ."""
    people = [(n, f"{NAMES[n % 8]} {n}", CITIES[n * n % 6], f"+86 1{n:010d}") for n in range(1, 301)]
    orders = [
        (n, 1 + n * 7 % 300, f"2025-{1 + n % 12:02d}-{1 + n % 28:02d}", STATUSES[n % 5])
        for n in range(1, 2001)
    ]
    items = [(n, 1 + (n + k) % 7, 1 + (n * k) % 3) for n in range(1, 2001) for k in range(1 + n % 2)]
    with closing(sqlite3.connect(path)) as shop, shop:
        shop.executescript(SCHEMA)
        shop.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", people)
        shop.executemany(
            "INSERT INTO products VALUES (?, ?, ?, ?)", [(n, *p) for n, p in enumerate(PRODUCTS, 1)]
        )
        shop.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", orders)
        shop.executemany("INSERT INTO order_items VALUES (?, ?, ?)", items)
        shop.execute("ANALYZE")


def show_rows(result: QueryResult) -> None:
    grid = Grid(*(column.name for column in result.columns))
    for row in result.rows:
        grid.add_row(*map(str, row))
    console.print(grid)
    console.print(f"{result.row_count} rows in {result.seconds * 1000:.1f} ms\n", style="dim")


def ask(shop: Database, schema: Catalogue, question: str, sql: str) -> None:
    console.print(question, style="bold")
    found = check(sql, shop.dialect, schema, POLICY, rows=100)
    if not isinstance(found, CheckedSql):
        raise SystemExit(f"an honest query was refused: {found}")
    console.print(f"→ {found.sql}", style="cyan")
    show_rows(shop.run(found))


def attack(shop: Database, schema: Catalogue, statements: Iterable[str]) -> None:
    for sql in statements:
        found = check(sql, shop.dialect, schema, POLICY)
        if isinstance(found, CheckedSql):
            raise SystemExit(f"a hostile statement was allowed: {sql}")
        console.print(f"✗ {sql}", style="red")
        console.print(f"  {refusal(found, 'en')}\n  {refusal(found, 'zh')}")


def attack_without_the_guard(shop: Database) -> None:
    console.print(f"✗ {WRITE}", style="red")
    try:
        shop.run(CheckedSql(WRITE, shop.dialect))  # what only the guard may do
    except DatabaseError as error:
        for line in (explain(error, "en") + "\n" + explain(error, "zh")).splitlines():
            console.print(f"  {line}")
    else:
        raise SystemExit("the database let a write through")


def demo() -> None:
    with tempfile.TemporaryDirectory(prefix="text2sql-demo-") as directory:
        path = Path(directory) / "shop.db"
        make_shop(path)
        console.rule("A small shop · 一家小店")
        main(["schema", "--db", str(path)])
        with open_database(str(path)) as shop:
            schema = shop.catalogue()
            console.rule("Three honest queries · 三个正常查询")
            for question, sql in HONEST:
                ask(shop, schema, question, sql)
            console.rule("Five hostile ones, refused by the guard · 五条恶意语句，被检查拒绝")
            attack(shop, schema, HOSTILE)
            console.rule("The guard switched off, the database refuses · 关闭检查，数据库拒绝")
            attack_without_the_guard(shop)
    console.rule("Next · 下一步")
    console.print("\n".join(f".venv/bin/text2sql {command}" for command in NEXT))


if __name__ == "__main__":
    demo()
