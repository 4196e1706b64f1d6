-- A query, and its page 3 of 10 rows sorted by its first column, descending. A comment names the dialect.

-- postgres
SELECT id, total FROM orders
SELECT id, total FROM orders ORDER BY 1 DESC, 1, 2 LIMIT 10 OFFSET 20

SELECT id, total FROM orders ORDER BY total
SELECT id, total FROM orders ORDER BY 1 DESC, 1, 2 LIMIT 10 OFFSET 20

SELECT id FROM orders ORDER BY id LIMIT 25
SELECT * FROM (SELECT id FROM orders ORDER BY id LIMIT 25) AS text2sql_rows ORDER BY 1 DESC, 1 LIMIT 10 OFFSET 20

-- mysql
SELECT status, COUNT(*) FROM orders GROUP BY status
SELECT status, COUNT(*) FROM orders GROUP BY status ORDER BY 1 DESC, 1, 2 LIMIT 10 OFFSET 20

-- sqlite
SELECT DISTINCT status FROM orders
SELECT DISTINCT status FROM orders ORDER BY 1 DESC, 1 LIMIT 10 OFFSET 20

-- duckdb
SELECT id FROM orders UNION SELECT id FROM products
SELECT * FROM (SELECT id FROM orders UNION SELECT id FROM products) AS text2sql_rows ORDER BY 1 DESC, 1 LIMIT 10 OFFSET 20

-- oracle
SELECT id, total FROM orders
SELECT id, total FROM orders ORDER BY 1 DESC, 1, 2 OFFSET 20 ROWS FETCH FIRST 10 ROWS ONLY
