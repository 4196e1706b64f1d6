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
SELECT status, list(id ORDER BY id)[1:3], string_agg(status, ', '), count(*) FILTER (WHERE total > 1) FROM orders GROUP BY ALL
SELECT date_part('year', order_date), dayname(order_date), monthname(order_date), last_day(order_date), date_diff('day', order_date, current_date), time_bucket(INTERVAL '1 week', order_date), make_date(2024, 1, 1), epoch(created_at), age(created_at), strptime('2024', '%Y') FROM orders
SELECT * FROM orders WHERE order_date >= current_date - INTERVAL 30 DAY
SELECT attributes->>'$.color', json_extract_string(attributes, '$.color'), attributes->'$.tags', json_array_length(attributes, '$.tags') FROM products
SELECT unnest(generate_series(1, 3)) AS i, unnest([10, 20]) AS j
SELECT regexp_extract(email, '@(.*)', 1), split_part(email, '@', 2), string_split(name, ' '), levenshtein(name, 'x'), jaccard(name, 'abc'), contains(name, 'a'), starts_with(name, 'N'), name[1:3], upper(name), concat_ws('-', name, city), format('{} {}', name, city), printf('%s', name), lpad(name, 10, '.'), md5(name), length(name), strip_accents(name), reverse(name) FROM customers
PIVOT orders ON status USING sum(total) GROUP BY customer_id
SELECT * FROM (PIVOT (SELECT customer_id, status, total FROM orders) ON status IN ('new', 'paid') USING sum(total))
UNPIVOT (SELECT id, total, customer_id FROM orders) ON total, customer_id INTO NAME k VALUE v
SELECT customer_id, max_by(status, order_date), min_by(id, total), first(status ORDER BY id), last(status ORDER BY id), mode(status), quantile_disc(total, [0.25, 0.75]), stddev(total), corr(total, id), histogram(status), approx_count_distinct(id), bool_and(total > 0), product(2), entropy(status), kurtosis(total) FROM orders GROUP BY customer_id
SELECT list_filter([1, 2, 3], lambda x: x > 1), list_sum([1, 2]), list_sort([3, 1]), array_length([1]), [x * 2 FOR x IN [1, 2] IF x > 1], list_aggregate([1, 2], 'avg'), range(5), flatten([[1], [2]]), list_contains([1], 1), list_distinct([1, 1])
SELECT {'a': 1, 'b': 'x'}.a, struct_pack(x := 1), map {'k': 1}['k'], map_keys(map {'k': 1}), row(1, 2), struct_extract({'a': 1}, 'a')
SELECT id, total, lag(total) OVER (PARTITION BY customer_id ORDER BY order_date) AS prev, total - prev AS diff FROM orders
SELECT o.id, e.id FROM orders o ASOF LEFT JOIN events e ON o.customer_id = e.user_id AND o.created_at >= e.occurred_at
SELECT count(*) FROM orders ANTI JOIN customers ON orders.customer_id = customers.id
SELECT id FROM orders ORDER BY ALL DESC LIMIT 5
SELECT status, sum(total) FROM orders GROUP BY GROUPING SETS ((status), ())
SELECT try_cast(notes AS INTEGER), total::INT, CAST(id AS VARCHAR), typeof(total), coalesce(notes, ''), ifnull(notes, ''), nullif(1, 1), if(total > 1, 'a', 'b'), greatest(1, 2), total // 2, total % 3, 2 ** 3 FROM orders
FROM orders SELECT count() WHERE status = 'paid'
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t
SELECT x.word, x.n FROM (VALUES ('a', 1)) AS x(word, n)
SELECT * FROM orders POSITIONAL JOIN products
SELECT round(total, 1), floor(total), ceil(total), abs(total), sqrt(4), ln(2), pow(2, 3), sign(-1), gcd(4, 6), factorial(3), random() FROM orders
SELECT ntile(4) OVER (ORDER BY total), sum(total) OVER (PARTITION BY status ORDER BY order_date RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND CURRENT ROW) FROM orders QUALIFY ntile(4) OVER (ORDER BY total) = 1
SELECT "group" AS "select", "desc" FROM "order"
SELECT date_trunc('quarter', order_date) AS q, count(*), sum(count(*)) OVER (ORDER BY q) FROM orders GROUP BY q
SELECT d::DATE AS d FROM generate_series(DATE '2024-01-01', DATE '2024-01-10', INTERVAL 1 DAY) AS t(d)
SELECT total AS t, t + 1 AS u FROM orders WHERE u > 5
PIVOT orders ON status IN ('paid', 'open') USING count(*) GROUP BY customer_id ORDER BY customer_id
UNPIVOT (SELECT id, total, customer_id FROM orders) ON total, customer_id INTO NAME k VALUE v ORDER BY k
SELECT id, name FROM customers UNION ALL BY NAME SELECT id, total FROM orders ORDER BY total
SELECT total AS gross, gross * 0.19 AS vat FROM orders WHERE gross > 50
SELECT json_array_length(attributes -> 'tags') FROM products
SELECT CAST([1, 2, 3] AS INTEGER[3])
SELECT name.trim().lower().length() FROM products
SELECT st_transform(st_point(3, 4), 'EPSG:4326', 'EPSG:3857')
SELECT p.attributes.dims.w, p.attributes.color FROM products p
SELECT reservoir_quantile(total, 0.5, 1000) FROM orders
