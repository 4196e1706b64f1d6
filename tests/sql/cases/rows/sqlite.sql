-- The same, for what only SQLite has.
SELECT region, COUNT(*) AS orders FROM orders GROUP BY region HAVING orders > 1 ORDER BY orders + 1, region
SELECT id FROM orders WHERE JSON(note) > 0
SELECT id FROM orders WHERE id = 3 AND JSON(note) > 0
SELECT ABS(total - 100) FROM orders
SELECT id FROM main.orders
SELECT main.orders.id FROM main.orders
SELECT [id] FROM [orders]
SELECT `id` FROM `ORDERS`
SELECT "id" FROM "Orders" AS "x"
SELECT * FROM orders NATURAL JOIN customers
SELECT region, id, MAX(total) FROM orders GROUP BY region
SELECT GROUP_CONCAT(id) FROM (SELECT id FROM orders ORDER BY id)
SELECT id FROM orders NOT INDEXED
SELECT o.id, j.value FROM orders o, JSON_EACH('[1,2]') j
VALUES ((SELECT COUNT(*) FROM orders)), (2)
SELECT id FROM orders WHERE (id, region) IN (SELECT id, region FROM orders)
SELECT id FROM orders WHERE id IN (WITH x AS (SELECT id FROM orders) SELECT id FROM x)
WITH x AS (SELECT id FROM orders) SELECT id FROM products WHERE id IN x
