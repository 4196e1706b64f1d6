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
