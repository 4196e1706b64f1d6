-- A query, and the query that counts its rows. A comment names the dialect.

-- postgres
SELECT id FROM orders ORDER BY total;
SELECT COUNT(*) AS row_count FROM (SELECT id FROM orders) AS text2sql_rows

SELECT id FROM orders ORDER BY total LIMIT 5
SELECT COUNT(*) AS row_count FROM (SELECT id FROM orders ORDER BY total LIMIT 5) AS text2sql_rows

SELECT id FROM orders UNION ALL SELECT id FROM products
SELECT COUNT(*) AS row_count FROM (SELECT id FROM orders UNION ALL SELECT id FROM products) AS text2sql_rows

WITH o AS (SELECT id FROM orders) SELECT id FROM o
SELECT COUNT(*) AS row_count FROM (WITH o AS (SELECT id FROM orders) SELECT id FROM o) AS text2sql_rows

VALUES (1), (2)
SELECT COUNT(*) AS row_count FROM (VALUES (1), (2)) AS text2sql_rows

-- mysql
SELECT status FROM orders GROUP BY status
SELECT COUNT(*) AS row_count FROM (SELECT status FROM orders GROUP BY status) AS text2sql_rows

-- oracle
SELECT id FROM orders
SELECT COUNT(*) AS row_count FROM (SELECT id FROM orders) text2sql_rows
