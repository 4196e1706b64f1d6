-- Honest questions of analysts: every line must pass under ../../policy.json.
SELECT * FROM shop.customers
SELECT * EXCEPT (id) FROM shop.customers
SELECT x FROM UNNEST([1,2,3]) AS x
SELECT o.id, off FROM shop.orders o, UNNEST([1,2]) WITH OFFSET AS off
SELECT ARRAY(SELECT AS STRUCT o.id, o.total FROM shop.orders o) AS x
SELECT FORMAT_DATE('%Y-%m', order_date) AS ym, COUNTIF(status='paid'), APPROX_QUANTILES(total, 4)[OFFSET(2)], ARRAY_AGG(id ORDER BY total DESC LIMIT 1)[OFFSET(0)] FROM shop.orders GROUP BY ym
SELECT o.id, t FROM shop.orders AS o, UNNEST(SPLIT(o.notes, ' ')) AS t
SELECT DATE_DIFF(CURRENT_DATE(), order_date, DAY), DATE_TRUNC(order_date, MONTH), EXTRACT(YEAR FROM order_date), SAFE_DIVIDE(total, 2), IF(total > 1, 1, 0), PARSE_DATE('%Y', '2024') FROM shop.orders
SELECT STRUCT(1 AS a, 'x' AS b).a, [1,2,3][OFFSET(0)], GENERATE_UUID()
SELECT id, RANK() OVER (PARTITION BY status ORDER BY total DESC) AS r FROM shop.orders QUALIFY r <= 3
SELECT name FROM shop.customers WHERE id IN UNNEST([1,2])
SELECT * FROM shop.orders TABLESAMPLE SYSTEM (10 PERCENT)
SELECT LAX_STRING(payload.page), payload.page, STRING(payload.page) FROM shop.events
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i+1 FROM n WHERE i < 5) SELECT i FROM n
SELECT TIMESTAMP_TRUNC(created_at, DAY, 'UTC'), TIMESTAMP_DIFF(updated_at, created_at, HOUR), DATETIME(created_at, 'UTC') FROM shop.orders
SELECT SAFE.SUBSTR(name, 1), NET.HOST(email), SAFE_CAST(id AS STRING), SAFE.PARSE_DATE('%Y', name), NET.REG_DOMAIN(email) FROM shop.customers
FROM shop.customers |> SELECT * EXCEPT (id)
FROM shop.customers |> EXTEND 1 AS x |> SELECT *
SELECT TO_JSON(t) FROM (SELECT id FROM shop.orders) t
SELECT ARRAY_AGG(t) FROM (SELECT id FROM shop.orders) t
SELECT * FROM shop.orders, UNNEST([STRUCT(1 AS a)]) s WHERE s.a = 1
SELECT * FROM shop.orders WHERE TRUE QUALIFY ROW_NUMBER() OVER () = 1
SELECT c.name, ARRAY_AGG(STRUCT(o.id, o.total) ORDER BY o.total DESC LIMIT 3) AS top FROM shop.customers c JOIN shop.orders o ON o.customer_id = c.id GROUP BY c.name
SELECT EXTRACT(ISOWEEK FROM order_date) AS w, APPROX_COUNT_DISTINCT(customer_id), APPROX_TOP_COUNT(status, 3) FROM shop.orders GROUP BY w
SELECT * FROM shop.orders WHERE order_date >= DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY)
SELECT REGEXP_EXTRACT(email, r'@(.+)$') AS d, REGEXP_CONTAINS(email, r'^a'), REGEXP_REPLACE(name, r'\s+', ' ') FROM shop.customers
SELECT PERCENTILE_CONT(total, 0.5) OVER (PARTITION BY status), NTILE(4) OVER (ORDER BY total), CUME_DIST() OVER (ORDER BY total) FROM shop.orders
SELECT STRING_AGG(DISTINCT status, ', ' ORDER BY status) FROM shop.orders
SELECT status, COUNT(*) FROM shop.orders GROUP BY ROLLUP (status)
SELECT JSON_EXTRACT_SCALAR(attributes, '$.color'), JSON_QUERY(attributes, '$.dims'), JSON_VALUE_ARRAY(attributes, '$.tags') FROM shop.products
SELECT p.name, tag FROM shop.products p, UNNEST(JSON_VALUE_ARRAY(p.attributes, '$.tags')) AS tag
SELECT id, IFNULL(notes, ''), COALESCE(notes, '-'), NULLIF(status, 'x'), SAFE_CAST(notes AS INT64), CAST(total AS STRING), FORMAT('%.2f', total) FROM shop.orders
SELECT GENERATE_ARRAY(1, 10), GENERATE_DATE_ARRAY('2024-01-01', '2024-01-05'), ARRAY_LENGTH([1,2]), ARRAY_TO_STRING(['a'], ','), ARRAY_REVERSE([1,2]), ARRAY_CONCAT([1],[2])
SELECT TIMESTAMP_MILLIS(1), UNIX_SECONDS(created_at), FORMAT_TIMESTAMP('%F', created_at), PARSE_TIMESTAMP('%F', '2024-01-01'), TIMESTAMP_ADD(created_at, INTERVAL 1 HOUR), DATE(created_at) FROM shop.orders
SELECT LAG(total) OVER (PARTITION BY customer_id ORDER BY order_date), FIRST_VALUE(total IGNORE NULLS) OVER (ORDER BY id) FROM shop.orders
SELECT * FROM (SELECT customer_id, status FROM shop.orders) UNPIVOT (v FOR k IN (status))
SELECT CONCAT(name, ' ', city), UPPER(name), LENGTH(name), SUBSTR(name, 1, 3), SPLIT(email, '@')[SAFE_OFFSET(1)], STARTS_WITH(name, 'A'), TRIM(name), LPAD(name, 10, '.'), REVERSE(name), INITCAP(name), TO_HEX(MD5(name)), FARM_FINGERPRINT(name) FROM shop.customers
SELECT COUNT(DISTINCT customer_id), COUNTIF(total > 1), SUM(IF(status = 'paid', total, 0)), AVG(total), STDDEV(total), VAR_SAMP(total), CORR(total, id), LOGICAL_AND(total > 0), ANY_VALUE(status), MAX_BY(id, total) FROM shop.orders
SELECT DATETIME_TRUNC(DATETIME(created_at), HOUR), DATE_TRUNC(order_date, WEEK(MONDAY)), LAST_DAY(order_date), DATE_FROM_UNIX_DATE(1), EXTRACT(DAYOFWEEK FROM order_date) FROM shop.orders
SELECT CASE status WHEN 'paid' THEN 1 ELSE 0 END AS p FROM shop.orders WHERE status LIKE 'p%' OR notes IS NULL
FROM shop.orders |> AGGREGATE COUNT(*) AS n GROUP BY status |> WHERE n > 1
FROM shop.customers |> SELECT name, city |> ORDER BY name |> LIMIT 3
SELECT id FROM shop.orders INTERSECT DISTINCT SELECT id FROM shop.products
SELECT `order`.`key` FROM shop.`order`
SELECT DIV(id, 2), MOD(id, 2), ROUND(total, 1), TRUNC(total), CEIL(total), POW(2, 3), SAFE_DIVIDE(total, 0), GREATEST(1, 2), RAND(), SIGN(-1), LN(2), EXP(1) FROM shop.orders
SELECT ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY order_date DESC) AS rn, * FROM shop.orders QUALIFY rn = 1
SELECT ST_DISTANCE(ST_GEOGPOINT(1, 2), ST_GEOGPOINT(3, 4))
SELECT ARRAY(SELECT id FROM shop.orders ORDER BY id LIMIT 3) AS ids
SELECT (SELECT AS STRUCT 1 AS a, 2 AS b).a
SELECT * EXCEPT (notes), total * 2 AS d FROM shop.orders
SELECT o.* EXCEPT (notes), c.name FROM shop.orders o JOIN shop.customers c ON c.id = o.customer_id
SELECT TO_JSON_STRING(STRUCT(id, total)) FROM shop.orders
SELECT PARSE_JSON('{"a":1}').a, JSON '{"a": 1}'
SELECT d FROM UNNEST(GENERATE_DATE_ARRAY('2024-01-01', '2024-12-31', INTERVAL 1 MONTH)) d
SELECT HLL_COUNT.EXTRACT(HLL_COUNT.INIT(id)) FROM shop.orders
FROM orders |> WHERE total > 5 |> AGGREGATE COUNT(*) AS n GROUP BY status |> ORDER BY n
SELECT p.attributes.dims.w, p.attributes.color FROM products AS p
