-- A query, and its page 3 of 10 rows in an order that is the same every time. A comment names the dialect.

-- postgres
SELECT id, total FROM orders
SELECT id, total FROM orders ORDER BY 1, 2 LIMIT 10 OFFSET 20

SELECT id, total FROM orders ORDER BY total DESC;
SELECT id, total FROM orders ORDER BY total DESC, 1, 2 LIMIT 10 OFFSET 20

SELECT id FROM orders ORDER BY id LIMIT 25
SELECT * FROM (SELECT id FROM orders ORDER BY id LIMIT 25) AS text2sql_rows ORDER BY 1 LIMIT 10 OFFSET 20

SELECT id FROM orders UNION SELECT id FROM products
SELECT * FROM (SELECT id FROM orders UNION SELECT id FROM products) AS text2sql_rows ORDER BY 1 LIMIT 10 OFFSET 20

WITH o AS (SELECT id FROM orders) SELECT id FROM o -- and so on
WITH o AS (SELECT id FROM orders) SELECT id FROM o ORDER BY 1 LIMIT 10 OFFSET 20

SELECT * FROM "order"
SELECT * FROM "order" ORDER BY 1, 2, 3, 4 LIMIT 10 OFFSET 20

-- mysql
SELECT status, COUNT(*) FROM orders GROUP BY status ORDER BY COUNT(*) DESC
SELECT status, COUNT(*) FROM orders GROUP BY status ORDER BY COUNT(*) DESC, 1, 2 LIMIT 10 OFFSET 20

-- sqlite
SELECT DISTINCT status FROM orders
SELECT DISTINCT status FROM orders ORDER BY 1 LIMIT 10 OFFSET 20

-- duckdb
FROM orders SELECT status
SELECT status FROM orders ORDER BY 1 LIMIT 10 OFFSET 20

-- oracle
SELECT id FROM orders
SELECT id FROM orders ORDER BY 1 OFFSET 20 ROWS FETCH FIRST 10 ROWS ONLY

-- bigquery
SELECT id FROM shop.orders
SELECT id FROM shop.orders ORDER BY 1 LIMIT 10 OFFSET 20

-- snowflake
SELECT ID FROM ORDERS
SELECT ID FROM ORDERS ORDER BY 1 LIMIT 10 OFFSET 20

-- clickhouse
SELECT id FROM orders
SELECT id FROM orders ORDER BY 1 LIMIT 10 OFFSET 20
