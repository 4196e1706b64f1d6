-- The same, for what only BigQuery has. What its emulator does not play is in `contract/emulators.py`.
-- errors that hidden rows would make
SELECT id FROM orders WHERE CAST(note AS INT64) > 0
SELECT id FROM orders WHERE DIV(1, total - 100) < 5
SELECT id FROM orders WHERE SAFE_DIVIDE(1, total - 100) < 5
-- names
SELECT ID FROM orders
SELECT `id` FROM `orders`
SELECT id AS tenant FROM orders
WITH orders AS (SELECT * FROM orders) SELECT * FROM orders
WITH RECURSIVE orders AS (SELECT id FROM orders UNION ALL SELECT id + 100 FROM orders WHERE id < 50) SELECT * FROM orders
-- arrays, structs and clauses of its own
SELECT id, x FROM orders, UNNEST([1, 2]) AS x
SELECT id, x, n FROM orders, UNNEST([id, total]) AS x WITH OFFSET AS n
SELECT x FROM UNNEST(ARRAY(SELECT id FROM orders)) AS x
SELECT id FROM orders WHERE id IN UNNEST(ARRAY(SELECT id FROM orders))
SELECT ARRAY(SELECT AS STRUCT id, region FROM orders ORDER BY id)
SELECT STRUCT(o.id, o.region) FROM orders AS o
SELECT TO_JSON_STRING(x) FROM (SELECT id, region FROM orders) AS x
SELECT ARRAY_AGG(id ORDER BY id) FROM orders
SELECT ARRAY_AGG(STRUCT(id, region) ORDER BY id LIMIT 2) FROM orders
SELECT COUNTIF(region = 'south') FROM orders
SELECT id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY id) = 1
SELECT * FROM (SELECT region, total FROM orders) PIVOT(SUM(total) FOR region IN ('north', 'south'))
SELECT * FROM orders PIVOT(SUM(total) FOR region IN ('north', 'south'))
SELECT id, name, amount FROM orders UNPIVOT(amount FOR name IN (total, customer_id))
SELECT * FROM orders FULL JOIN customers ON orders.customer_id = customers.id
SELECT * EXCEPT (region) FROM orders
SELECT * REPLACE (total + 1 AS total) FROM orders
SELECT region, COUNT(*) FROM orders GROUP BY ALL
-- pipes
FROM orders |> SELECT id
FROM orders |> WHERE total > 15 |> SELECT id, region
FROM orders |> AGGREGATE COUNT(*) AS n GROUP BY region
FROM orders |> JOIN customers USING (id) |> SELECT id
