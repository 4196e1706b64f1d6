"""Catalogs of small databases, read from their DDL."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

from text2sql.database import open_database
from text2sql.types import Catalog

SHOP = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT,
    city TEXT, created_at TIMESTAMP);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT, price NUMERIC(10,2),
    unit_cost NUMERIC(10,2), units_in_stock INTEGER, weight_kg REAL, duration_ms INTEGER);
CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, title TEXT,
    birth_date DATE, hire_date DATE, salary_usd NUMERIC, manager_id INTEGER REFERENCES employees);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, order_number TEXT UNIQUE,
    customer_id INTEGER REFERENCES customers, referrer_customer_id INTEGER REFERENCES customers,
    order_date DATE, shipped_date DATE, updated_at TIMESTAMP, ship_name TEXT, freight NUMERIC,
    is_gift INTEGER, status TEXT);
CREATE TABLE order_items (order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES products,
    quantity INTEGER, unit_price NUMERIC(10,2), discount REAL NOT NULL, PRIMARY KEY (order_id, product_id));
CREATE TABLE tags (tag_id INTEGER PRIMARY KEY, tag TEXT);
CREATE TABLE product_tags (product_id INTEGER REFERENCES products, tag_id INTEGER REFERENCES tags,
    last_update TIMESTAMP, PRIMARY KEY (product_id, tag_id));
CREATE TABLE inventory (inventory_id INTEGER PRIMARY KEY, product_id INTEGER, counted_at DATE,
    quantity INTEGER, unit_price NUMERIC);
CREATE VIEW order_list AS SELECT order_id, order_date, status FROM orders;
CREATE VIEW sales_by_city AS SELECT city AS town, 0.0 AS total_sales FROM customers;
"""

CHINESE_SHOP = """
CREATE TABLE 客户信息表 (客户编号 INTEGER PRIMARY KEY, 客户姓名 TEXT, 手机号 TEXT, 城市 TEXT, 注册日期 DATE);
CREATE TABLE 商品 (商品编号 INTEGER PRIMARY KEY, 商品名称 TEXT, 简称 TEXT, 成本价 DECIMAL(10,2), 类别 TEXT);
CREATE TABLE 订单 (订单编号 INTEGER PRIMARY KEY, 客户编号 INTEGER, 下单日期 DATE, 发货日期 DATE,
    订单金额 DECIMAL(10,2), 是否退货 TEXT, 备注 TEXT);
CREATE TABLE 订单明细 (订单编号 INTEGER, 商品编号 INTEGER, 数量 INTEGER, "单价(元)" DECIMAL(10,2));
"""


def catalog(ddl: str) -> Catalog:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "database.db"
        connection = sqlite3.connect(path)
        connection.executescript(ddl)
        connection.close()
        with open_database(str(path)) as database:
            return database.catalog()
