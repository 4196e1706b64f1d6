-- The same, for what only PostgreSQL has.
SELECT id FROM orders WHERE 1 / (total - 100) < 5
SELECT 1 / (total - 100) FROM orders
SELECT id FROM items WHERE 1 / (quantity - 2) < 5
SELECT id FROM orders WHERE CAST(note AS INTEGER) > 0
SELECT o.id FROM customers c JOIN orders o ON 1 / (o.total - 100) < c.id
SELECT id FROM orders WHERE CASE WHEN region = 'south' THEN 1 / (total - total) ELSE 1 END = 1
SELECT region FROM orders GROUP BY region HAVING MAX(1 / (total - 100)) < 5
SELECT id FROM orders ORDER BY 1 / (total - 100), id
SELECT id FROM public.orders
SELECT public.orders.id, orders.total FROM public.orders
SELECT "orders"."id" FROM "orders"
SELECT Id FROM ORDERS AS Orders
SELECT * FROM ONLY orders
SELECT c.id, x.total FROM customers c CROSS JOIN LATERAL (SELECT total FROM orders o WHERE o.customer_id = c.id) AS x
SELECT c.id, x.n FROM customers c LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM orders o WHERE o.customer_id = c.id) AS x ON TRUE
SELECT id, region, total, name FROM orders NATURAL JOIN customers
SELECT * FROM orders FULL JOIN customers ON orders.customer_id = customers.id
SELECT id FROM orders WHERE id = ANY (SELECT id FROM orders)
SELECT id FROM orders WHERE id = ANY (ARRAY(SELECT id FROM orders))
SELECT ARRAY(SELECT id FROM orders ORDER BY id)
SELECT ARRAY_AGG(id ORDER BY id) FROM orders
SELECT STRING_AGG(note, ',' ORDER BY id) FROM orders
SELECT DISTINCT ON (region) region, id FROM orders ORDER BY region, id
SELECT region, COUNT(*) FILTER (WHERE total > 20) FROM orders GROUP BY ROLLUP (region)
SELECT id FROM orders EXCEPT ALL SELECT id FROM items
WITH orders AS (SELECT * FROM orders) SELECT * FROM orders
WITH orders AS (SELECT * FROM orders WHERE id > 1) SELECT * FROM orders JOIN customers USING (id)
WITH x AS MATERIALIZED (SELECT * FROM orders) SELECT * FROM x
SELECT id FROM orders FETCH FIRST 100 ROWS ONLY
TABLE orders
SELECT ROW_TO_JSON(x) FROM (SELECT id, region FROM orders) AS x
SELECT COUNT(*) FROM orders o WHERE (o.id, o.region) IN (SELECT id, region FROM orders)
VALUES ((SELECT COUNT(*) FROM orders)), (2)
