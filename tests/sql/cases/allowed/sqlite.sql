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
