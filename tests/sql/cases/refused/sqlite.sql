-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- bounds
SELECT printf('%1000000000d', 1)

-- catalog
SELECT * FROM sqlite_master
SELECT * FROM main.sqlite_schema
SELECT * FROM temp.customers
SELECT * FROM generate_series WHERE start = 1 AND stop = 999999999999

-- column
SELECT rowid, oid, _rowid_ FROM customers
SELECT id FROM customers WHERE (id, ssn) IN (SELECT 1, 'a')
SELECT "ssn" FROM customers
SELECT 1 WHERE 1 IN (secrets)
SELECT max(id), ssn FROM customers
SELECT 1 FROM json_each('[1]') WHERE value = (SELECT ssn FROM customers)
SELECT json_group_array(ssn) FROM customers
SELECT unicode(x) FROM (SELECT substr(ssn,1,1) AS x FROM customers)
SELECT [name] FROM [customers] WHERE `city` = "Berlin"
SELECT * FROM customers WHERE customers MATCH 'x'
SELECT name AS ssn FROM customers WHERE ssn LIKE 's%'

-- function
SELECT load_extension('x')
SELECT readfile('/etc/passwd')
SELECT writefile('a','b')
SELECT edit('a')
SELECT fts3_tokenizer('a')
SELECT sqlite_version()
SELECT total(total), changes() FROM orders

-- not_a_query
EXPLAIN QUERY PLAN SELECT 1
ATTACH 'x' AS y
REPLACE INTO orders VALUES (1)

-- table
WITH RECURSIVE secrets AS (SELECT * FROM secrets UNION ALL SELECT * FROM secrets) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT 1 AS id UNION ALL SELECT id FROM secrets UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE secrets AS (WITH z AS (SELECT id FROM secrets) SELECT id FROM z UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE x AS (SELECT 1 AS id), secrets AS (SELECT id FROM secrets UNION ALL SELECT id FROM x) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT id FROM orders INTERSECT SELECT id FROM secrets) SELECT * FROM secrets
SELECT * FROM notes_fts WHERE notes_fts MATCH 'a'
SELECT 1 WHERE 1 IN sqlite_master
SELECT 1 WHERE (1,2,3) IN main.secrets
SELECT id FROM orders WHERE id NOT IN secrets

-- table_function
SELECT * FROM pragma_table_info('customers')

-- duplicate_name
SELECT * FROM customers c, (SELECT 1 AS k) c
SELECT * FROM customers, customers
SELECT C.id FROM orders c JOIN (SELECT 1 AS id) C ON 1 = 1
WITH x AS (SELECT 1 AS a), x AS (SELECT 2 AS a) SELECT a FROM x

-- construct
SELECT id FROM orders WHERE (1, 2) IN 'main'.'secrets'
SELECT 'customers'.ssn FROM customers
SELECT 'main'.customers.ssn FROM customers
SELECT * FROM ((customers))
SELECT * FROM ((customers c JOIN orders o ON o.customer_id = c.id))
SELECT $ssn FROM customers

-- column
SELECT ssn FROM (customers c JOIN orders o ON o.customer_id = c.id)
SELECT COUNT(*) FROM (orders o JOIN customers c ON c.ssn > '5')
SELECT COUNT(*) FROM (orders o JOIN (customers c JOIN customers d ON d.ssn > '1') ON c.id = o.customer_id)
SELECT c.id, (SELECT ssn FROM (SELECT * FROM (SELECT 1 AS a) x JOIN (SELECT 1 AS a) y USING (a)) u) FROM customers c
WITH RECURSIVE r AS (SELECT * FROM orders UNION ALL SELECT * FROM r WHERE 0) SELECT c.id, (SELECT MAX(ssn) FROM r) FROM customers c
SELECT COUNT(*) FROM customers c CROSS JOIN (SELECT 0 AS ssn) a JOIN (SELECT 1 AS ssn) b USING (ssn)

-- table
SELECT COUNT(*) FROM (orders o JOIN customers c ON EXISTS (SELECT 1 FROM secrets))

-- catalog
SELECT COUNT(*) FROM (orders o JOIN customers c ON EXISTS (SELECT 1 FROM sqlite_master))

-- bounds
SELECT printf('%*d', 1000000000, 1)
SELECT printf(name) FROM customers

-- unreadable
SELECT * FROM customers PIVOT (MAX(name) FOR id IN (1))

-- table
SELECT (1, 'root', 'x') IN 'secrets'

-- column
SELECT json_array_length(ssn -> 'a') FROM customers

-- bounds
SELECT printf('%9999d%9999d%9999d', 1, 2, 3)
SELECT replace(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(name)))))))))), 'a', 'b') FROM customers
