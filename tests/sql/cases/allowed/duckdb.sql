-- Honest questions of analysts: every line must pass under ../../policy.json.
SELECT * EXCLUDE (id) FROM customers
SELECT customers.* EXCLUDE (id) FROM customers
SELECT * RENAME (id AS x) FROM customers
SELECT c.* FROM customers c
FROM customers
PIVOT orders ON status USING sum(total)
PIVOT customers ON country USING count(*)
SELECT * FROM (PIVOT orders ON status USING sum(total))
SELECT name.upper() FROM customers
SELECT (name).upper().lower() FROM customers
SELECT attributes.color FROM products
SELECT * FROM customers USING SAMPLE 10
SELECT id FROM customers GROUP BY ALL ORDER BY ALL
SELECT ssn: name FROM customers
SELECT list_transform([1,2], lambda x: x + 1) FROM customers
SELECT [x + 1 FOR x IN [1,2]]
SELECT status AS s, count(*) FROM orders GROUP BY s
SELECT name.upper(), (name).upper().lower(), t.name.upper() FROM customers t
SELECT [x + 1 FOR x IN [1,2] IF x > 1]
PIVOT customers ON country USING count(*) GROUP BY city
UNPIVOT orders ON id, total INTO NAME k VALUE v
SELECT * FROM (PIVOT orders ON status USING sum(total))
SELECT * FROM customers PIVOT (count(*) FOR country IN ('DE','FR'))
SELECT * FROM orders QUALIFY row_number() OVER (PARTITION BY customer_id ORDER BY total DESC) = 1
SELECT customer_id, list(total ORDER BY id), struct_pack(a := 1, b := 2), {'x': 1}, map {'a': 1}, [1,2][1], total::VARCHAR FROM orders GROUP BY ALL
SELECT unnest(string_split(notes, ' ')) AS w, count(*) FROM orders GROUP BY w
SELECT date_trunc('month', order_date) AS m, sum(total) FROM orders GROUP BY m ORDER BY m
SELECT * FROM orders TABLESAMPLE 10%
SELECT id, total FROM orders ORDER BY total DESC NULLS LAST LIMIT 10%
WITH t AS MATERIALIZED (SELECT * FROM orders) FROM t SELECT count(*)
SELECT * FROM orders o ASOF JOIN events e ON o.created_at >= e.occurred_at
SELECT t.x FROM (VALUES (1)) t(x)
SELECT i FROM range(10) t(i)
SELECT range FROM range(10)
SELECT * FROM orders UNION ALL BY NAME SELECT * FROM orders
SELECT MAX_BY(status, total), any_value(status), histogram(status), approx_quantile(total, 0.5) FROM orders
SELECT x.d FROM orders o, (SELECT o.total * 2 AS d) x
SELECT t FROM (SELECT * FROM customers) t
SELECT unnest(t) FROM (SELECT * FROM orders) t
SELECT * FROM customers ORDER BY ALL
