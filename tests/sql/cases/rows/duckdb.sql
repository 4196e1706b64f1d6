-- The same, for what only DuckDB has.
FROM orders
FROM orders SELECT id WHERE total > 5
FROM orders o, customers c SELECT o.id, c.id WHERE o.customer_id = c.id
SELECT id FROM orders WHERE CAST(note AS INTEGER) > 0
SELECT CAST(note AS INTEGER) FROM orders
SELECT o.id FROM customers c JOIN orders o ON CAST(o.note AS INTEGER) > c.id
SELECT * EXCLUDE (note) FROM orders
SELECT * REPLACE (total + 1 AS total) FROM orders
SELECT id FROM main.orders
SELECT main.orders.id FROM main.orders
SELECT ID FROM "ORDERS" Q
SELECT * FROM orders NATURAL JOIN customers
SELECT * FROM orders FULL JOIN customers ON orders.customer_id = customers.id
SELECT * FROM customers SEMI JOIN orders ON orders.customer_id = customers.id
SELECT * FROM customers ANTI JOIN orders ON orders.customer_id = customers.id
SELECT id FROM customers c, LATERAL (SELECT COUNT(*) AS n FROM orders o WHERE o.customer_id = c.id) AS x WHERE n > 0
SELECT c.id, x.n FROM customers c, (SELECT COUNT(*) AS n FROM orders o WHERE o.customer_id = c.id) AS x
SELECT LIST(id ORDER BY id) FROM orders
SELECT COUNT(*) FROM (SELECT * FROM orders USING SAMPLE 100)
SELECT region, id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY id) = 1
SELECT region, SUM(total) FROM orders GROUP BY ALL
SELECT x FROM (SELECT id, region FROM orders) AS x
SELECT * FROM (SELECT region, customer_id, total FROM orders) PIVOT (SUM(total) FOR region IN ('north', 'south'))
WITH orders AS (SELECT * FROM orders) SELECT * FROM orders
VALUES ((SELECT COUNT(*) FROM orders)), (2)
SELECT UNNEST(ids) FROM (SELECT LIST(id) AS ids FROM orders)
SELECT id FROM orders UNION ALL BY NAME SELECT id FROM items
SELECT [x FOR x IN (SELECT LIST(id ORDER BY id) FROM orders)]
WITH RECURSIVE orders AS (SELECT id FROM orders UNION ALL SELECT id + 100 FROM orders WHERE id < 50) SELECT * FROM orders
WITH RECURSIVE orders AS (SELECT 0 AS id UNION ALL SELECT id FROM orders WHERE id > 2 UNION ALL SELECT id FROM products WHERE id < 2) SELECT * FROM orders
WITH RECURSIVE orders AS (SELECT id FROM products EXCEPT SELECT id FROM orders) SELECT id FROM orders
WITH RECURSIVE orders AS (SELECT id FROM products INTERSECT SELECT id FROM orders) SELECT id FROM orders
WITH RECURSIVE orders AS (WITH z AS (SELECT id FROM orders) SELECT id FROM z UNION ALL SELECT id FROM products) SELECT id FROM orders
PIVOT orders ON region USING SUM(total) GROUP BY customer_id
