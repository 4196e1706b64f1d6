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
