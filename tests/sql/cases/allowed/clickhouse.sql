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
SELECT status, groupUniqArray(currency) FROM orders GROUP BY status HAVING count() > 1
SELECT toStartOfWeek(order_date) AS w, sum(total) AS s FROM orders GROUP BY w ORDER BY w
SELECT quantileExact(0.5)(total), quantileTDigest(0.9)(total), median(total) FROM orders
SELECT arrayStringConcat(groupArray(name), ', ') FROM customers
SELECT arrayFilter(x -> x > 1, [1, 2, 3]) AS a, arraySum(a), arrayCount(x -> x % 2 = 0, a)
SELECT id, runningDifference(total) FROM orders
SELECT name, JSONExtractString(attributes, 'color'), JSONExtractInt(attributes, 'dims', 'w') FROM products
SELECT event_type, uniqHLL12(user_id), uniqCombined(user_id) FROM events GROUP BY event_type
SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer_id = c.id
SELECT * FROM orders ASOF LEFT JOIN events ON orders.customer_id = events.user_id AND orders.created_at >= events.occurred_at
SELECT toYear(order_date) AS y, toMonth(order_date) AS m, count() FROM orders GROUP BY y, m WITH ROLLUP
SELECT count() FROM orders WHERE order_date BETWEEN '2024-01-01' AND '2024-02-01' AND status NOT IN ('deleted')
SELECT id, rank() OVER (PARTITION BY status ORDER BY total DESC) AS r FROM orders QUALIFY r = 1
SELECT formatReadableSize(sum(total)), formatReadableQuantity(count()) FROM orders
SELECT splitByChar('@', email)[2] AS domain, count() FROM customers GROUP BY domain
SELECT dateDiff('day', created_at, now()), addDays(order_date, 7), subtractMonths(order_date, 1), toUnixTimestamp(created_at) FROM orders
SELECT if(empty(notes), 'none', notes), coalesce(deleted_at, created_at), ifNull(deleted_at, now()), nullIf(status, '') FROM orders
SELECT customer_id, argMax(status, order_date) AS last_status FROM orders GROUP BY customer_id
SELECT * FROM orders ORDER BY total DESC LIMIT 10 OFFSET 5
SELECT DISTINCT ON (customer_id) customer_id, total FROM orders ORDER BY customer_id, total DESC
SELECT sum(total) FROM orders WHERE customer_id GLOBAL IN (SELECT id FROM customers WHERE country = 'DE')
SELECT transform(status, ['new', 'paid'], [1, 2], 0) FROM orders
SELECT lower(name), upper(name), length(name), substring(name, 1, 3), replaceAll(name, 'a', 'b'), trim(name), concat(name, '-', city), position(name, 'a'), match(name, '^A'), extract(name, '\\d+') FROM customers
SELECT round(total, 1), floor(total), ceil(total), abs(total), sqrt(toFloat64(total)), intDiv(id, 3), modulo(id, 2), greatest(id, 3), least(id, 3) FROM orders
SELECT cutToFirstSignificantSubdomain(email), domain(email), cityHash64(name), sipHash64(name), MD5(name), hex(name) FROM customers
SELECT number, toDate('2024-01-01') + number AS d FROM numbers(31)
SELECT d, count(o.id) FROM (SELECT toDate('2024-01-01') + number AS d FROM numbers(31)) AS days LEFT JOIN orders o ON o.order_date = d GROUP BY d
SELECT avg(total) OVER (ORDER BY order_date ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) FROM orders
SELECT corr(toFloat64(total), id), covarPop(toFloat64(total), id), varSamp(toFloat64(total)), skewPop(toFloat64(total)) FROM orders
SELECT windowFunnel(3600)(toDateTime(occurred_at), event_type = 'view', event_type = 'click') FROM events GROUP BY user_id
SELECT retention(event_type = 'view', event_type = 'click') FROM events GROUP BY user_id
SELECT sequenceMatch('(?1)(?2)')(toDateTime(occurred_at), event_type = 'view', event_type = 'click') FROM events
SELECT mapKeys(map('a', 1)), mapValues(map('a', 1)), tuple(1, 'a').1, [1,2,3][1]
SELECT sumIf(total, status = 'paid') / sum(total) AS r, countIf(status = 'new') FROM orders
SELECT histogram(5)(total) FROM orders
SELECT any(name), anyLast(name), anyHeavy(name) FROM customers
SELECT 'a' || 'b', name LIKE '%a%', name ILIKE 'A%', name NOT LIKE 'b%', CASE WHEN 1 = 1 THEN 2 END FROM customers
WITH t AS (SELECT customer_id, sum(total) AS s FROM orders GROUP BY customer_id) SELECT c.name, t.s FROM t INNER JOIN customers AS c ON c.id = t.customer_id ORDER BY t.s DESC LIMIT 5
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
SELECT status, count() FROM orders GROUP BY ALL
SELECT id FROM orders UNION ALL SELECT id FROM products
SELECT id FROM orders UNION SELECT id FROM products
SELECT id FROM orders EXCEPT SELECT customer_id FROM orders
SELECT toString(id), toInt64(total), toDecimal64(total, 2), CAST(id AS String), id::Float64, toDateTime('2024-01-01 00:00:00'), parseDateTimeBestEffort('2024-01-01') FROM orders
SELECT * FROM orders WHERE has(['new', 'paid'], status)
SELECT name, arrayJoin(JSONExtract(attributes, 'tags', 'Array(String)')) AS tag FROM products
SELECT status, bar(count(), 0, 100, 20) FROM orders GROUP BY status
SELECT multiIf(total > 500, 'a', 'b') AS bucket, count() FROM orders GROUP BY bucket ORDER BY bucket
SELECT customer_id, groupArray(5)(id) FROM orders GROUP BY customer_id
SELECT toStartOfInterval(created_at, INTERVAL 15 MINUTE) AS t, count() FROM orders GROUP BY t
SELECT now() - INTERVAL 7 DAY, today() - 7, yesterday(), toMonday(today())
SELECT max(total) FROM orders FINAL WHERE id > 5
SELECT exponentialMovingAverage(5)(toFloat64(total), toUnixTimestamp(created_at)) FROM orders
SELECT simpleLinearRegression(id, toFloat64(total)) FROM orders
SELECT sum(total) AS s FROM orders GROUP BY status WITH CUBE
SELECT first_value(total) OVER w, leadInFrame(total) OVER w FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY id)
SELECT accurateCast(id, 'Int64'), arrayReduce('sum', [1, 2]) FROM orders
WITH toStartOfWeek(order_date) AS week, total * 2 AS double SELECT week, sum(double) FROM orders GROUP BY week
SELECT status, count() AS n FROM orders GROUP BY status ORDER BY n DESC LIMIT 1 BY status LIMIT 5
SELECT printf('%08d', id) FROM orders
SELECT arrayMap(x -> x * 2, [1, 2]), arraySort(splitByChar(' ', notes)), arraySum([id, 1]) FROM orders
