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
SELECT status, count(*) FILTER (WHERE total > 100) AS big, sum(total) FILTER (WHERE total <= 100) FROM orders GROUP BY status
SELECT date_trunc('week', order_date)::date AS w, sum(sum(total)) OVER (ORDER BY date_trunc('week', order_date)) FROM orders GROUP BY 1
SELECT * FROM orders WHERE status = ANY (ARRAY['new', 'paid']) AND order_date <@ daterange('2024-01-01', '2024-02-01')
SELECT c.name, o.* FROM customers c CROSS JOIN LATERAL (SELECT total, order_date FROM orders WHERE customer_id = c.id ORDER BY total DESC LIMIT 3) o
SELECT jsonb_object_agg(status, total), jsonb_agg(DISTINCT status), json_build_object('a', 1), attributes #>> '{dims,w}', attributes @> '{"color":"red"}', attributes ? 'tags', jsonb_array_length(attributes -> 'tags') FROM orders, products GROUP BY attributes
SELECT to_tsvector('english', notes) @@ plainto_tsquery('update') FROM orders
SELECT percentile_cont(ARRAY[0.25, 0.5]) WITHIN GROUP (ORDER BY total) FROM orders
SELECT array_to_string(array_agg(name ORDER BY name), ', '), unnest(ARRAY[1,2]), array_length(ARRAY[1], 1), ARRAY[1,2] || 3, (ARRAY[1,2,3])[2:3] FROM customers
SELECT first_value(total) OVER (PARTITION BY customer_id ORDER BY order_date ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), ntile(4) OVER (ORDER BY total) FROM orders
SELECT g.d::date, coalesce(count(o.id), 0) FROM generate_series('2024-01-01'::timestamp, '2024-01-31', interval '1 day') g(d) LEFT JOIN orders o ON o.order_date = g.d::date GROUP BY 1 ORDER BY 1
SELECT CASE WHEN total > 100 THEN 'big' ELSE 'small' END AS size, count(*) FROM orders GROUP BY size
SELECT concat_ws(' ', name, city), format('%s (%s)', name, city), left(name, 3), initcap(name), lpad(name, 10, '.'), regexp_matches(name, '(a)'), string_to_array(email, '@'), translate(name, 'a', 'b'), md5(name), encode(sha256(name::bytea), 'hex'), length(name), strpos(name, 'a'), repeat('a', 3), reverse(name), starts_with(name, 'N'), quote_literal(name) FROM customers
SELECT age(now(), created_at), extract(epoch from created_at), to_char(created_at, 'HH24:MI'), make_interval(days => 3), date_bin('15 minutes', created_at, timestamp '2024-01-01'), created_at at time zone 'Asia/Shanghai', current_date - 7, isfinite(order_date), localtimestamp FROM orders
SELECT (extract(year from order_date))::int AS y, rank() OVER (ORDER BY sum(total) DESC) FROM orders GROUP BY y
SELECT id FROM orders ORDER BY total DESC NULLS LAST, id ASC OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY
WITH RECURSIVE tree AS (SELECT id, name, manager_id, ARRAY[id] AS path FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, e.manager_id, t.path || e.id FROM employees e JOIN tree t ON e.manager_id = t.id) SELECT * FROM tree
SELECT status, total, total - avg(total) OVER (PARTITION BY status) FROM orders WHERE total IS NOT NULL
SELECT count(*) FROM (SELECT DISTINCT customer_id FROM orders) AS d
SELECT c.id, c.name FROM customers AS c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer_id = c.id)
SELECT status, currency, sum(total) FROM orders GROUP BY GROUPING SETS ((status, currency), (status), ())
SELECT o.id FROM orders o TABLESAMPLE BERNOULLI (10) REPEATABLE (42)
SELECT stddev_pop(total), var_samp(total), covar_pop(total, id), regr_r2(total, id), bit_and(id), bool_or(total > 1) FROM orders
SELECT name SIMILAR TO '(A|B)%', name ~ '^A', name !~* 'x', name LIKE 'a\_b' ESCAPE '\', name BETWEEN SYMMETRIC 'b' AND 'a' FROM customers
SELECT e.key, e.value FROM products, jsonb_each_text(attributes) AS e
SELECT x.a FROM jsonb_to_recordset('[{"a":1}]') AS x(a int)
SELECT row_number() OVER () AS n, t.* FROM (VALUES (1, 'one'), (2, 'two')) AS t(num, word)
SELECT id, lag(status) OVER w AS prev FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY order_date)
SELECT ordinality, elem FROM unnest(ARRAY['a','b']) WITH ORDINALITY AS t(elem, ordinality)
SELECT u.word, u.n FROM orders o, unnest(string_to_array(o.notes, ' ')) WITH ORDINALITY AS u(word, n)
SELECT d FROM generate_series(date_trunc('month', now()) - interval '11 months', now(), interval '1 month') d
SELECT jsonb_array_length(attributes -> 'tags') FROM products
WITH t AS (SELECT customer_id, string_agg(status, ',') AS all_status FROM orders GROUP BY customer_id) SELECT replace(all_status, ',', ', ') FROM t
SELECT xmlelement(NAME product, xmlforest(name AS title)) FROM products
SELECT st_transform(st_makepoint(3, 4), 4326)
WITH RECURSIVE t AS (SELECT id, ARRAY[id] AS path FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, t.path || e.id FROM employees e JOIN t ON e.manager_id = t.id WHERE e.id <> ALL (t.path)) SELECT * FROM t
SELECT format('%s (%s)', name, format('%s, %s', city, country)) FROM customers
SELECT (jsonb_each(attributes)).key, (ROW(id, name)).f1, (name).upper FROM products
SELECT x, x.value FROM jsonb_array_elements_text('[1]') AS x
