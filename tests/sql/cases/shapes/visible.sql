-- A query, and what a policy makes of it: every table is a sub-query of its visible columns.

-- postgres
SELECT * FROM customers
SELECT * FROM (SELECT text2sql_base."id", text2sql_base."name", text2sql_base."email", text2sql_base."country", text2sql_base."city", text2sql_base."segment", text2sql_base."created_at", text2sql_base."updated_at" FROM customers AS text2sql_base) AS customers LIMIT 100

SELECT c.*, o.total FROM customers c JOIN orders o ON o.customer_id = c.id
SELECT c.*, o.total FROM (SELECT text2sql_base."id", text2sql_base."name", text2sql_base."email", text2sql_base."country", text2sql_base."city", text2sql_base."segment", text2sql_base."created_at", text2sql_base."updated_at" FROM customers AS text2sql_base) AS c JOIN (SELECT text2sql_base."id", text2sql_base."customer_id", text2sql_base."status", text2sql_base."total", text2sql_base."currency", text2sql_base."order_date", text2sql_base."created_at", text2sql_base."updated_at", text2sql_base."deleted_at", text2sql_base."notes" FROM orders AS text2sql_base) AS o ON o.customer_id = c.id LIMIT 100

SELECT COUNT(*) FROM customers
SELECT COUNT(*) FROM (SELECT text2sql_base."id", text2sql_base."name", text2sql_base."email", text2sql_base."country", text2sql_base."city", text2sql_base."segment", text2sql_base."created_at", text2sql_base."updated_at" FROM customers AS text2sql_base) AS customers LIMIT 100

SELECT extract(year FROM order_date) AS y, count(*) FROM orders GROUP BY y
SELECT EXTRACT(YEAR FROM order_date) AS y, COUNT(*) FROM (SELECT text2sql_base."id", text2sql_base."customer_id", text2sql_base."status", text2sql_base."total", text2sql_base."currency", text2sql_base."order_date", text2sql_base."created_at", text2sql_base."updated_at", text2sql_base."deleted_at", text2sql_base."notes" FROM orders AS text2sql_base) AS orders GROUP BY y LIMIT 100

SELECT name, quantity FROM products JOIN order_items ON product_id = products.id
SELECT name, quantity FROM (SELECT text2sql_base."id", text2sql_base."name", text2sql_base."category", text2sql_base."price", text2sql_base."stock", text2sql_base."attributes", text2sql_base."created_at" FROM products AS text2sql_base) AS products JOIN (SELECT text2sql_base."id", text2sql_base."order_id", text2sql_base."product_id", text2sql_base."quantity", text2sql_base."unit_price", text2sql_base."discount" FROM order_items AS text2sql_base) AS order_items ON product_id = products.id LIMIT 100

SELECT key FROM products, jsonb_each(attributes)
SELECT key FROM (SELECT text2sql_base."id", text2sql_base."name", text2sql_base."category", text2sql_base."price", text2sql_base."stock", text2sql_base."attributes", text2sql_base."created_at" FROM products AS text2sql_base) AS products, JSONB_EACH(attributes) LIMIT 100

-- sqlite
SELECT * FROM employees JOIN "order" ON name = "key"
SELECT * FROM (SELECT text2sql_base."id", text2sql_base."name", text2sql_base."title", text2sql_base."department", text2sql_base."manager_id", text2sql_base."hire_date" FROM employees AS text2sql_base) AS employees JOIN (SELECT text2sql_base."key", text2sql_base."value", text2sql_base."desc", text2sql_base."group" FROM "order" AS text2sql_base) AS "order" ON name = "key" LIMIT 100

SELECT * FROM "order" JOIN (SELECT 'a' AS "key", 2 AS extra) AS x USING ("key")
SELECT * FROM (SELECT text2sql_base."key", text2sql_base."value", text2sql_base."desc", text2sql_base."group" FROM "order" AS text2sql_base) AS "order" JOIN (SELECT 'a' AS "key", 2 AS extra) AS x USING ("key") LIMIT 100

-- duckdb
SELECT * EXCLUDE ("desc", "group") FROM "order"
SELECT * EXCLUDE ("desc", "group") FROM (SELECT text2sql_base."key", text2sql_base."value", text2sql_base."desc", text2sql_base."group" FROM "order" AS text2sql_base) AS "order" LIMIT 100

SELECT * REPLACE (upper("key") AS "key") FROM "order"
SELECT * REPLACE (UPPER("key") AS "key") FROM (SELECT text2sql_base."key", text2sql_base."value", text2sql_base."desc", text2sql_base."group" FROM "order" AS text2sql_base) AS "order" LIMIT 100

SELECT total * 2 AS twice, twice + 1 FROM orders
SELECT total * 2 AS twice, twice + 1 FROM (SELECT text2sql_base."id", text2sql_base."customer_id", text2sql_base."status", text2sql_base."total", text2sql_base."currency", text2sql_base."order_date", text2sql_base."created_at", text2sql_base."updated_at", text2sql_base."deleted_at", text2sql_base."notes" FROM orders AS text2sql_base) AS orders LIMIT 100

PIVOT "order" ON "key" USING sum("value")
SELECT * FROM (PIVOT (SELECT text2sql_base."key", text2sql_base."value", text2sql_base."desc", text2sql_base."group" FROM "order" AS text2sql_base) AS "order" ON "key" USING SUM("value")) AS text2sql_rows LIMIT 100

-- snowflake
SELECT * FROM "ORDER"
SELECT * FROM (SELECT text2sql_base."KEY", text2sql_base."VALUE", text2sql_base."DESC", text2sql_base."GROUP" FROM "ORDER" AS text2sql_base) AS "ORDER" LIMIT 100

-- clickhouse
WITH 10 AS least SELECT id FROM orders WHERE total > least
WITH 10 AS least SELECT id FROM (SELECT text2sql_base."id", text2sql_base."customer_id", text2sql_base."status", text2sql_base."total", text2sql_base."currency", text2sql_base."order_date", text2sql_base."created_at", text2sql_base."updated_at", text2sql_base."deleted_at", text2sql_base."notes" FROM orders AS text2sql_base) AS orders WHERE total > least LIMIT 100
