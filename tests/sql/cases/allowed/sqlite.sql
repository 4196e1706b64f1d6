-- Honest questions of analysts: every line must pass under ../../policy.json.
SELECT * FROM customers JOIN orders USING (id)
SELECT * FROM main.customers
SELECT customers.* FROM customers
SELECT 'ssn' FROM customers
SELECT * FROM customers INDEXED BY x
WITH x AS (SELECT id FROM orders) SELECT 1 WHERE 1 IN x
SELECT key, value, p.name FROM products p, json_each(p.attributes)
SELECT sum(value) FROM products, json_each(products.attributes, '$.tags')
SELECT strftime('%Y-%m', order_date) AS ym, count(*) FROM orders GROUP BY ym HAVING count(*) > 1 ORDER BY ym
SELECT total FROM orders WHERE status GLOB 'a*' AND notes LIKE 'a\%' ESCAPE '\'
SELECT group_concat(status, ', ') FROM (SELECT DISTINCT status FROM orders ORDER BY 1)
SELECT json_extract(attributes, '$.color'), attributes ->> '$.color' FROM products
SELECT iif(total > 1, 'a', 'b'), total || '', CAST(total AS INTEGER), substr(name, 1, 2), instr(name,'a'), typeof(total), quote(name), hex(name), unixepoch('now') FROM orders, customers
SELECT c.name, (SELECT max(o.total) FROM orders o WHERE o.customer_id = c.id) FROM customers c
SELECT count(*) FILTER (WHERE status = 'paid') FROM orders
SELECT printf('%.2f', 12345678.0)
SELECT id "ssn" FROM customers ORDER BY "ssn"
SELECT * FROM generate_series(1, 10)
SELECT value FROM generate_series(1, 10)
SELECT * FROM customers LEFT JOIN orders
SELECT likelihood(id, 0.5) FROM orders
SELECT * FROM orders ORDER BY id LIMIT (SELECT 5)
SELECT 1 ISNULL, 1 NOTNULL
SELECT c.name, ifnull(sum(o.total), 0) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY 2 DESC
SELECT strftime('%w', order_date) AS dow, avg(total) FROM orders GROUP BY dow
SELECT datetime('now', '-1 day', 'localtime'), time('now'), julianday(order_date), unixepoch(), strftime('%s', 'now'), timediff('2024-01-02', '2024-01-01') FROM orders
SELECT json_extract(attributes, '$.color'), json_array_length(attributes, '$.tags'), json_type(attributes), json_object('a', 1), json_group_array(name), json_group_object(name, price) FROM products
SELECT p.name, j.value FROM products p, json_each(p.attributes, '$.tags') j
SELECT total(total), group_concat(DISTINCT status), max(id, 3), min(1, 2), abs(-1), round(1.5), random() % 10, length(name), replace(name, 'a', 'b'), trim(name), upper(name), char(65), unicode('a'), instr(name, 'a'), substr(name, -3), printf('%05d', id), format('%s', name), coalesce(name, 'x'), nullif(1, 1), sign(-1), ceil(1.2), floor(1.2), mod(5, 2), pow(2, 3), sqrt(4), ln(2), pi() FROM (SELECT 1 AS id, 'a' AS name, 2 AS total, 'x' AS status)
SELECT * FROM orders WHERE status IN ('new', 'paid') AND total BETWEEN 10 AND 100 AND notes IS NOT NULL AND status NOT LIKE 'd%' AND status GLOB 'p*'
SELECT id, first_value(total) OVER w, nth_value(total, 2) OVER w, cume_dist() OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY id)
SELECT CASE WHEN total > 100 THEN 'big' ELSE 'small' END AS size, count(*) FROM orders GROUP BY size HAVING count(*) > 1
SELECT a.id FROM orders AS a, orders AS b WHERE a.id = b.id + 1 AND a.total > b.total
SELECT id FROM orders WHERE (customer_id, status) = (1, 'paid')
SELECT count(*) FROM orders WHERE date(order_date) >= date('now', '-30 days')
WITH RECURSIVE cnt(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM cnt WHERE x < 10) SELECT x FROM cnt
SELECT * FROM (SELECT id FROM orders UNION SELECT id FROM products) ORDER BY id LIMIT 3
SELECT o.id FROM orders o FULL OUTER JOIN customers c ON c.id = o.customer_id
SELECT status COLLATE NOCASE, CAST(total AS TEXT), total / 3.0, 5 % 2, 1 << 3, ~1, 'a' || 'b', total IS NOT 5 FROM orders
SELECT name FROM customers WHERE name = 'O''Brien' OR name LIKE '50\%' ESCAPE '\'
SELECT EXISTS(SELECT 1 FROM orders WHERE total > 100) AS any_big
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders
SELECT median(total) FROM orders
SELECT o.id FROM (orders o JOIN customers c ON c.id = o.customer_id) JOIN order_items i ON i.order_id = o.id
SELECT "value" FROM "order" AS "value"
SELECT id FROM orders NOT INDEXED WHERE id = 1
