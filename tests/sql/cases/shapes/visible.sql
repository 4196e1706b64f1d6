-- A query, and what a policy makes of it: stars written out, names that a hidden column could claim made certain.

-- postgres
SELECT * FROM customers
SELECT customers."id", customers."name", customers."email", customers."country", customers."city", customers."segment", customers."created_at", customers."updated_at" FROM customers LIMIT 100

SELECT c.*, o.total FROM customers c JOIN orders o ON o.customer_id = c.id
SELECT c."id", c."name", c."email", c."country", c."city", c."segment", c."created_at", c."updated_at", o.total FROM customers AS c JOIN orders AS o ON o.customer_id = c.id LIMIT 100

SELECT COUNT(*) FROM customers
SELECT COUNT(*) FROM customers LIMIT 100

SELECT extract(year FROM order_date) AS y, count(*) FROM orders GROUP BY y
SELECT EXTRACT(YEAR FROM order_date) AS y, COUNT(*) FROM orders GROUP BY 1 LIMIT 100

SELECT name, quantity FROM products JOIN order_items ON product_id = products.id
SELECT products.name, order_items.quantity FROM products JOIN order_items ON order_items.product_id = products.id LIMIT 100

SELECT key FROM products, jsonb_each(attributes)
SELECT jsonb_each.key FROM products, JSONB_EACH(attributes) LIMIT 100

-- sqlite
SELECT * FROM employees JOIN "order" ON name = "key"
SELECT employees."id", employees."name", employees."title", employees."department", employees."manager_id", employees."hire_date", "order"."key", "order"."value", "order"."desc", "order"."group" FROM employees JOIN "order" ON employees.name = "order"."key" LIMIT 100

SELECT * FROM "order" JOIN (SELECT 'a' AS "key", 2 AS extra) AS x USING ("key")
SELECT "key", "order"."value", "order"."desc", "order"."group", x."extra" FROM "order" JOIN (SELECT 'a' AS "key", 2 AS extra) AS x USING ("key") LIMIT 100

-- duckdb
SELECT * EXCLUDE ("desc", "group") FROM "order"
SELECT "order"."key", "order"."value" FROM "order" LIMIT 100

SELECT * REPLACE (upper("key") AS "key") FROM "order"
SELECT UPPER("key") AS "key", "order"."value", "order"."desc", "order"."group" FROM "order" LIMIT 100

SELECT total * 2 AS twice, twice + 1 FROM orders
SELECT total * 2 AS twice, (total * 2) + 1 FROM orders LIMIT 100

PIVOT "order" ON "key" USING sum("value")
SELECT * FROM (PIVOT (SELECT "key", "value", "desc", "group" FROM "order") ON "key" USING SUM("value")) AS text2sql_rows LIMIT 100

-- snowflake
SELECT * FROM "ORDER"
SELECT "ORDER"."KEY", "ORDER"."VALUE", "ORDER"."DESC", "ORDER"."GROUP" FROM "ORDER" LIMIT 100

-- clickhouse
WITH 10 AS least SELECT id FROM orders WHERE total > least
WITH 10 AS least SELECT id FROM orders WHERE total > 10 LIMIT 100
