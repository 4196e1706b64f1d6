-- The same, for what only MySQL and MariaDB have.
SELECT id FROM orders WHERE CAST(total AS UNSIGNED) - 3 > 0 OR id = 0
SELECT id FROM orders WHERE EXP(total * 8) > 0
SELECT EXP(total) > 0 FROM orders
SELECT o.id FROM customers c JOIN orders o ON EXP(o.total * 8) > c.id
SELECT `id` FROM `orders`
SELECT ID FROM orders
SELECT id, region, total, name FROM orders NATURAL JOIN customers
SELECT STRAIGHT_JOIN o.id FROM orders o JOIN customers c ON o.customer_id = c.id
SELECT id FROM orders USE INDEX (by_total) WHERE total > 5
SELECT GROUP_CONCAT(id ORDER BY id) FROM orders
SELECT region, COUNT(*) FROM orders GROUP BY region WITH ROLLUP
SELECT SQL_NO_CACHE id FROM orders
SELECT id FROM orders WHERE (id, region) IN (SELECT id, region FROM orders)
SELECT id FROM orders WHERE id IN (SELECT id FROM (SELECT id FROM orders) AS x)
WITH orders AS (SELECT * FROM orders) SELECT * FROM orders
SELECT * FROM (VALUES ((SELECT COUNT(*) FROM orders)), (2)) AS v
WITH orders AS (SELECT 1 AS id) SELECT x.id FROM (WITH y AS (SELECT id FROM orders) SELECT id FROM y) AS x
WITH orders AS (SELECT 1 AS id) SELECT x.id FROM (WITH y AS (SELECT 2 AS id) SELECT orders.id FROM orders, y) AS x
