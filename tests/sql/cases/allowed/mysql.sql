-- Honest questions of analysts: every line must pass under ../../policy.json.
SELECT 'it\'s' FROM orders
SELECT * FROM shop.customers
SELECT MATCH(name) AGAINST ('x') FROM customers
SELECT _utf8mb4'abc' COLLATE utf8mb4_bin
SELECT x'41', 0x41, b'01'
TABLE customers
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS(a INT PATH '$')) t
SELECT /* hello */ 2
SELECT id FROM orders # c
SELECT CONVERT(name USING utf8mb4) FROM customers
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS(a INT PATH '$')) t
SELECT a, o.id FROM orders o, JSON_TABLE('[1]', '$[*]' COLUMNS(a INT PATH '$')) t
SELECT DATE_FORMAT(order_date, '%Y-%m') AS ym, SUM(total) FROM orders GROUP BY ym WITH ROLLUP
SELECT GROUP_CONCAT(DISTINCT status ORDER BY status SEPARATOR ', ') FROM orders
SELECT IF(total > 1, 'a', 'b'), IFNULL(notes, ''), CONCAT_WS('-', id, status), TIMESTAMPDIFF(DAY, created_at, NOW()), DATEDIFF(NOW(), order_date), LAST_DAY(order_date), STR_TO_DATE('2024','%Y') FROM orders
SELECT o.id FROM orders o STRAIGHT_JOIN customers c ON c.id = o.customer_id
SELECT id, total DIV 2, total MOD 3, id % 2, !0, id XOR 1, status RLIKE 'a', status REGEXP 'b' FROM orders
SELECT id FROM orders WHERE JSON_EXTRACT(notes, '$.a') = 1 OR notes->'$.a' = 2 OR notes->>'$.b' = 'x'
SELECT * FROM orders ORDER BY id LIMIT 10, 20
SELECT id FROM orders WHERE created_at > DATE_SUB(NOW(), INTERVAL 7 DAY) AND order_date >= CURDATE() - INTERVAL 1 MONTH
SELECT id FROM orders FORCE INDEX (PRIMARY) IGNORE INDEX FOR ORDER BY (x)
SELECT DISTINCTROW status FROM orders
SELECT COUNT(DISTINCT status, currency) FROM orders
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n
SELECT `order`.`key` FROM `order`
SELECT CAST(total AS SIGNED), CAST(total AS DECIMAL(10,2)), CONVERT(total, CHAR) FROM orders
SELECT 1 --1
SELECT 'a' 'b' FROM orders
SELECT N'abc'
SELECT c.name, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING COUNT(o.id) = 0
SELECT DATE_FORMAT(order_date, '%x-W%v') w, SUM(total) FROM orders GROUP BY w ORDER BY w
SELECT status, SUM(total) FROM orders GROUP BY status WITH ROLLUP HAVING GROUPING(status) = 0
SELECT id, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY order_date) rn, LAG(total) OVER w FROM orders WINDOW w AS (ORDER BY id)
SELECT JSON_UNQUOTE(JSON_EXTRACT(attributes, '$.color')), JSON_LENGTH(attributes, '$.tags'), JSON_CONTAINS(attributes, '"a"', '$.tags'), JSON_KEYS(attributes), attributes->>'$.color' FROM products
SELECT DAYOFWEEK(order_date), WEEKDAY(order_date), MONTHNAME(order_date), MAKEDATE(2024, 5), PERIOD_ADD(202401, 1), TIME_TO_SEC('01:00:00'), FROM_DAYS(738000), DATE_ADD(order_date, INTERVAL 1 QUARTER), EXTRACT(YEAR_MONTH FROM order_date), UNIX_TIMESTAMP(created_at), UTC_TIMESTAMP() FROM orders
SELECT ELT(1, 'a', 'b'), FIELD(status, 'new', 'paid'), FIND_IN_SET('a', 'a,b'), SUBSTRING_INDEX(email, '@', -1), LPAD(id, 5, '0'), REVERSE(name), REPEAT('a', 3), INSERT('abc', 1, 1, 'x'), CONCAT(name, ' <', email, '>'), CHAR_LENGTH(name), SOUNDEX(name), FORMAT(1234.5, 2), HEX(name), MD5(name), SHA2(name, 256) FROM customers, orders
SELECT IF(total > 100, 'big', 'small') size, COUNT(*) FROM orders GROUP BY size ORDER BY FIELD(size, 'small', 'big')
SELECT * FROM orders WHERE (customer_id, status) IN ((1, 'new'), (2, 'paid'))
SELECT o.*, c.name FROM orders o INNER JOIN customers c ON c.id = o.customer_id ORDER BY o.id DESC LIMIT 5
SELECT STDDEV_POP(total), VAR_SAMP(total), BIT_OR(id), GROUP_CONCAT(id ORDER BY id SEPARATOR '|'), JSON_ARRAYAGG(id), JSON_OBJECTAGG(id, status), ANY_VALUE(status) FROM orders
SELECT id FROM orders WHERE notes REGEXP '^please' AND NOT notes RLIKE 'x$' AND notes NOT LIKE '%\_%'
SELECT CAST(total AS CHAR), CAST('2024-01-01' AS DATE), CONVERT('1', UNSIGNED), CAST(id AS DECIMAL(10,2)), BINARY status FROM orders
SELECT DISTINCT YEAR(order_date) FROM orders UNION SELECT 2024 ORDER BY 1
SELECT CASE WHEN total IS NULL THEN 'n' WHEN total BETWEEN 1 AND 5 THEN 's' END, total <=> NULL, NOT status = 'x', status <> 'a' && id > 1 || id < 0 FROM orders
SELECT id FROM orders WHERE created_at >= '2024-01-01' AND created_at < '2024-01-01' + INTERVAL 1 MONTH
SELECT TRUNCATE(total, 1), CEILING(total), MOD(id, 3), POW(2, 3), ROUND(total), RAND(), PI(), RADIANS(180), LOG2(8), CONV('ff', 16, 10), CRC32(status) FROM orders
(SELECT id FROM orders ORDER BY id LIMIT 2) UNION ALL (SELECT id FROM products ORDER BY id LIMIT 2)
SELECT SQL_NO_CACHE COUNT(*) FROM orders
SELECT t.n FROM (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 5) SELECT n FROM s) t
SELECT `o`.`id` AS `delete` FROM `orders` AS `o`
SELECT VALUE FROM JSON_TABLE('[1,2]', '$[*]' COLUMNS (value INT PATH '$')) AS jt
SELECT PERCENT_RANK() OVER (ORDER BY total), NTH_VALUE(total, 2) OVER (ORDER BY id), SUM(total) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM orders
SELECT id FROM orders WHERE EXISTS (SELECT * FROM order_items WHERE order_items.order_id = orders.id)
