-- Honest questions of analysts: every line must pass under ../../policy.json.
SELECT c FROM (SELECT * FROM customers) c
SELECT * FROM Customers
SELECT * FROM customers TABLESAMPLE SYSTEM (10)
SELECT E'\x73', 'a' || chr(115)
TABLE customers
SELECT id FROM customers ORDER BY 1
SELECT id FROM orders; 
SELECT id FROM orders;;
SELECT id FROM orders; -- x
SELECT id FROM orders; -- x
SELECT id FROM orders; /* x */ ;
SELECT o.status, sub.n FROM orders o JOIN (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) sub USING (customer_id)
SELECT status, total FROM orders o WHERE total > (SELECT avg(total) FROM orders i WHERE i.status = o.status)
SELECT d::date, count(o.id) FROM generate_series('2024-01-01'::date, '2024-02-01', '1 day') AS d LEFT JOIN orders o ON o.order_date = d GROUP BY d
SELECT date_trunc('month', order_date) AS m, sum(total) AS s FROM orders GROUP BY 1 HAVING sum(total) > 10 ORDER BY m DESC, s LIMIT 5
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM t WHERE n < 100) SELECT sum(n) FROM t
WITH RECURSIVE c AS (SELECT id, name, 1 AS lvl FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, c.lvl+1 FROM employees e JOIN c ON c.id = e.manager_id) SELECT * FROM c
SELECT x.* FROM (SELECT id, total FROM orders) x ORDER BY total
SELECT a.name, b.name FROM employees a LEFT JOIN employees b ON a.manager_id = b.id
SELECT id FROM orders WHERE status = 'paid' UNION ALL SELECT id FROM products ORDER BY id LIMIT 3
(SELECT id FROM orders LIMIT 1) UNION (SELECT id FROM products LIMIT 1)
SELECT count FROM (SELECT count(*) FROM orders) t
SELECT payload->>'page' AS p, count(*) FROM events GROUP BY p
SELECT * FROM (VALUES (1,'a'),(2,'b')) AS v(n, s) JOIN orders o ON o.id = v.n
SELECT orders.id FROM public.orders JOIN public.customers ON customers.id = orders.customer_id
SELECT public.orders.id FROM public.orders
SELECT e.key, count(*) FROM products p CROSS JOIN LATERAL jsonb_each_text(p.attributes) AS e(key, value) GROUP BY e.key
SELECT key, count(*) FROM products p, jsonb_each_text(p.attributes) GROUP BY key
SELECT total::int, CAST(total AS numeric(10,1)), now() - interval '1 day', order_date AT TIME ZONE 'UTC' FROM orders
SELECT name FROM customers WHERE name ~* 'a' AND name ILIKE '%b%' AND name SIMILAR TO 'x'
SELECT array_agg(DISTINCT status ORDER BY status), (array_agg(status))[1], ARRAY[1,2] FROM orders
SELECT sum(total) OVER w, lag(total, 1) OVER (PARTITION BY customer_id ORDER BY order_date) FROM orders WINDOW w AS (PARTITION BY status ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
SELECT (SELECT count(*) FROM order_items i WHERE i.order_id = o.id) AS n FROM orders o ORDER BY n
SELECT jsonb_path_query(attributes, '$.tags[*]') FROM products
SELECT id FROM orders ORDER BY random() LIMIT 5
SELECT greatest(1,2), nullif(a,b), coalesce(a,b) FROM (SELECT 1 AS a, 2 AS b) q
SELECT CASE status WHEN 'paid' THEN 1 ELSE 0 END, status IS DISTINCT FROM 'x', status IN ('a'), total BETWEEN 1 AND 2 FROM orders
SELECT (created_at, updated_at) OVERLAPS (created_at, updated_at) FROM orders
SELECT make_date(2024,1,1), age(created_at), date_part('dow', created_at), to_timestamp(0), justify_days(interval '1 day') FROM orders
SELECT regexp_replace(name,'a','b','g'), split_part(email,'@',2), position('a' in name), overlay(name placing 'x' from 1 for 1), trim(both ' ' from name) FROM customers
SELECT corr(total, id), regr_slope(total,id), stddev_samp(total), percentile_disc(0.5) WITHIN GROUP (ORDER BY total), mode() WITHIN GROUP (ORDER BY status), bool_and(total > 1), every(true) FROM orders
SELECT 你好 FROM (SELECT 1 AS 你好) 表
SELECT id AS "订单 号" FROM orders WHERE status = '已付款，完成'
SELECT * FROM pg_catalog.generate_series(1,3)
SELECT y FROM generate_series(2000, 2024) AS y
SELECT json_agg(t) FROM (SELECT id, name FROM customers) t
SELECT row_to_json(t) FROM (SELECT * FROM orders) t
SELECT id FROM customers WHERE name COLLATE "C" > 'a'
SELECT * FROM json_to_recordset('[]') AS x(a int, b text)
