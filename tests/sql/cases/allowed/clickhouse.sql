-- Honest questions of analysts: every line must pass under ../../policy.json.
SELECT * EXCEPT (id) FROM customers
SELECT customers.* FROM customers
SELECT id FROM orders FINAL
SELECT id FROM orders SAMPLE 0.1
SELECT arrayMap(x -> x.2, [(1,2)])
SELECT count() FROM orders WHERE status ILIKE 'a%' GROUP BY status WITH TOTALS
SELECT toStartOfMonth(order_date) AS m, sum(total) FROM orders GROUP BY m ORDER BY m
SELECT toYYYYMM(order_date) AS m, uniqExact(customer_id), quantiles(0.5, 0.9)(total), topK(3)(status), groupArray(status) FROM orders GROUP BY m
SELECT arrayJoin(splitByChar(' ', notes)) AS w, count() AS c FROM orders GROUP BY w ORDER BY c DESC LIMIT 10
SELECT a.id FROM orders AS a ANY LEFT JOIN customers AS b ON a.customer_id = b.id
SELECT id FROM orders ORDER BY id WITH FILL FROM 1 TO 10
SELECT number FROM numbers(5)
SELECT id, status IN ('a','b'), if(total > 1, 1, 0), total::Float64, toDate(created_at), dateDiff('day', created_at, updated_at), formatDateTime(created_at, '%Y') FROM orders
SELECT sumMap(map('a', 1)), countIf(total > 1), avgIf(total, total > 1), argMin(id, total), any(status) FROM orders
WITH (SELECT avg(total) FROM orders) AS avg_total SELECT count() FROM orders WHERE total > avg_total
SELECT tupleElement((1,'a'), 2), (1,2).1, [1,2][1] 
SELECT row_number() OVER (PARTITION BY status ORDER BY id) AS rn FROM orders
SELECT * FROM products ARRAY JOIN attributes
SELECT count(*) FROM customers
SELECT sum(total) AS s, s * 2 FROM orders
SELECT id AS x, x + 1 AS y, y * 2 FROM orders WHERE y > 3
SELECT * FROM orders LEFT ARRAY JOIN splitByChar(' ', notes) AS w
