-- The same, for what only ClickHouse has.
-- errors that hidden rows would make
SELECT id FROM orders WHERE intDiv(1, total - 100) < 5
SELECT intDiv(1, total - 100) FROM orders
SELECT id FROM orders WHERE toInt32(note) > 0
SELECT o.id FROM customers AS c JOIN orders AS o ON o.customer_id = c.id WHERE intDiv(1, o.total - 100) < c.id
SELECT region FROM orders GROUP BY region HAVING MAX(intDiv(1, total - 100)) < 5
-- what belongs to the table, or looks as if
SELECT id FROM orders FINAL
SELECT o.id FROM orders AS o FINAL WHERE o.total > 15
SELECT id FROM orders PREWHERE total > 15
SELECT id FROM orders PREWHERE total > 15 OR id = 1 WHERE id < 7 OR id = 9
SELECT o.id FROM orders AS o FINAL PREWHERE o.total > 15 WHERE o.id < 9
SELECT p.id FROM products AS p JOIN orders AS o ON o.id = p.id PREWHERE p.price > 10
SELECT c.id FROM customers AS c JOIN orders AS o ON o.customer_id = c.id PREWHERE c.id < 3
-- joins of its own
SELECT id, a FROM orders ARRAY JOIN [1, 2] AS a
SELECT id, a FROM orders LEFT ARRAY JOIN [id, total] AS a
SELECT c.id FROM customers AS c ANY LEFT JOIN orders AS o ON o.customer_id = c.id
SELECT c.id FROM customers AS c LEFT SEMI JOIN orders AS o ON o.customer_id = c.id
SELECT c.id FROM customers AS c LEFT ANTI JOIN orders AS o ON o.customer_id = c.id
SELECT c.id, o.id FROM customers AS c ASOF JOIN orders AS o ON o.customer_id = c.id AND o.id >= c.id
SELECT c.id, o.id FROM customers AS c ASOF LEFT JOIN orders AS o ON o.customer_id = c.id AND o.id >= c.id
SELECT c.id, o.id FROM customers AS c GLOBAL LEFT JOIN orders AS o ON o.customer_id = c.id
SELECT id, o.total, c.name FROM orders AS o JOIN customers AS c USING id
SELECT id FROM products WHERE id GLOBAL IN (SELECT customer_id FROM orders)
SELECT id FROM products WHERE id GLOBAL NOT IN (SELECT customer_id FROM orders)
SELECT * FROM orders FULL JOIN customers ON orders.customer_id = customers.id
-- limits of its own
SELECT id, region FROM orders ORDER BY id LIMIT 1 BY region
SELECT id, region FROM orders ORDER BY id LIMIT 1 OFFSET 1 BY region
SELECT id FROM orders ORDER BY region LIMIT 1 WITH TIES
SELECT id FROM orders ORDER BY id WITH FILL
-- names
WITH (SELECT COUNT(*) FROM orders) AS n SELECT id, n FROM products
WITH (SELECT MAX(total) FROM orders) AS top SELECT id FROM orders WHERE total = top
WITH 1 AS tenant SELECT id, tenant FROM orders
WITH 'north' AS region SELECT id FROM orders
SELECT 1 AS tenant, 'south' AS area, id FROM orders WHERE tenant = 1
SELECT id, total AS t, t + 1 FROM orders
SELECT `id` FROM `orders`
WITH orders AS (SELECT * FROM orders) SELECT * FROM orders
WITH orders AS (SELECT 1 AS id) SELECT id FROM products WHERE id IN orders
WITH orders AS (SELECT 1 AS id) SELECT id FROM orders UNION ALL (SELECT id FROM orders)
WITH RECURSIVE orders AS (SELECT id FROM orders UNION ALL SELECT id + 100 FROM orders WHERE id < 50) SELECT * FROM orders
WITH RECURSIVE x AS (SELECT 1 AS a), orders AS (SELECT id FROM orders UNION ALL SELECT a FROM x) SELECT * FROM orders
-- stars and aggregates of its own
SELECT * EXCEPT (region) FROM orders
SELECT * EXCEPT region FROM orders
SELECT * REPLACE (total + 1 AS total) FROM orders
SELECT region, COUNT(*) FROM orders GROUP BY region WITH ROLLUP
SELECT region, COUNT(*) FROM orders GROUP BY region WITH CUBE
SELECT sumIf(total, region = 'south'), countIf(region = 'south'), uniqExact(region) FROM orders
SELECT arraySort(groupArray(id)) FROM orders
SELECT argMax(id, total), argMin(id, total) FROM orders
SELECT arrayMap(x -> x + 1, arraySort(groupArray(id))) FROM orders
SELECT id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY id) = 1
SELECT id FROM products EXCEPT DISTINCT SELECT product_id FROM items
WITH total + 1 AS more SELECT id, more FROM orders
