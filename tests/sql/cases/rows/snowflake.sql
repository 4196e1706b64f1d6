-- The same, for what only Snowflake has. What its emulator does not play is in `contract/emulators.py`.
-- errors that hidden rows would make
SELECT id FROM orders WHERE note::INTEGER > 0
SELECT id FROM orders WHERE TRY_CAST(note AS INTEGER) > 0
-- names, which fold to capitals
SELECT Id FROM ORDERS AS Orders
SELECT "ID", "ORDERS"."TOTAL" FROM "ORDERS"
SELECT id FROM PUBLIC.orders
SELECT PUBLIC.orders.id, orders.total FROM public.orders
SELECT id AS tenant FROM orders WHERE tenant = 2
WITH orders AS (SELECT * FROM orders) SELECT * FROM orders
WITH RECURSIVE orders AS (SELECT id FROM orders UNION ALL SELECT id + 100 FROM orders WHERE id < 50) SELECT * FROM orders
-- clauses and joins of its own
SELECT id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY id) = 1
SELECT o.id, f.value::INTEGER FROM orders AS o, LATERAL FLATTEN(INPUT => ARRAY_CONSTRUCT(o.id, o.total)) AS f
SELECT o.id, f.value::INTEGER FROM orders AS o, TABLE(FLATTEN(INPUT => ARRAY_CONSTRUCT(o.id))) AS f
SELECT c.id, x.total FROM customers AS c, LATERAL (SELECT total FROM orders AS o WHERE o.customer_id = c.id) AS x
SELECT * FROM (SELECT region, total FROM orders) PIVOT(SUM(total) FOR region IN ('north', 'south')) AS p
SELECT * FROM orders PIVOT(SUM(total) FOR region IN ('north', 'south', 'east')) AS p
SELECT id, name, amount FROM orders UNPIVOT(amount FOR name IN (total, customer_id))
SELECT c.id, o.id FROM customers c ASOF JOIN orders o MATCH_CONDITION (c.id >= o.customer_id)
SELECT id, LEVEL FROM staff START WITH boss_id IS NULL CONNECT BY boss_id = PRIOR id
SELECT TOP 2 id FROM orders ORDER BY id
SELECT id FROM orders ORDER BY id FETCH FIRST 2 ROWS ONLY
SELECT id FROM orders MINUS SELECT id FROM items
SELECT * FROM orders UNION ALL BY NAME SELECT * FROM orders
SELECT id FROM orders WHERE id = ANY (SELECT id FROM orders)
SELECT * FROM orders NATURAL JOIN customers
SELECT * FROM orders FULL JOIN customers ON orders.customer_id = customers.id
-- stars and aggregates of its own
SELECT * EXCLUDE (region) FROM orders
SELECT * RENAME (region AS area) FROM orders
SELECT * REPLACE (total + 1 AS total) FROM orders
SELECT region, COUNT(*) FROM orders GROUP BY ALL
SELECT region, total, COUNT(*) FROM orders GROUP BY GROUPING SETS ((region), (total))
SELECT LISTAGG(id, ',') WITHIN GROUP (ORDER BY id) FROM orders
SELECT MIN_BY(id, total), MAX_BY(id, total) FROM orders
SELECT COUNT_IF(region = 'south') FROM orders
