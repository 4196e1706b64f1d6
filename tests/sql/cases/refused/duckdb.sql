-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- bounds
SELECT * FROM range(1000000000)

-- catalogue
SELECT * FROM 'x.parquet'
SELECT * FROM "x.parquet"
SELECT * FROM pg_tables

-- clause
SELECT id FROM orders AT (VERSION => 1)

-- column
SELECT * REPLACE (ssn AS id) FROM customers
SELECT UNNEST(c) FROM customers c
FROM customers SELECT ssn
SELECT to_json(c) FROM customers c
SELECT {'a': c} FROM customers c
SELECT list(c) FROM customers c
SELECT ssn.upper() FROM customers
SELECT x.ssn FROM customers AS x
SELECT list_transform([1,2], x -> ssn) FROM customers
SELECT [ssn FOR x IN [1,2]] FROM customers
SELECT total AS t, t + 1 AS u FROM orders WHERE u > 5
SELECT ssn.upper() FROM customers
SELECT (ssn).upper() FROM customers
SELECT [ssn FOR x IN [1,2] IF x > 1] FROM customers
SELECT [x FOR x IN [ssn]] FROM customers
PIVOT customers ON ssn USING count(*)
UNPIVOT customers ON ssn INTO NAME k VALUE v
SELECT * FROM customers c, (SELECT c.ssn) x
SELECT ssn FROM (SELECT 1 AS ssn) t, (SELECT ssn FROM customers) u
SELECT customers::VARCHAR FROM customers
SELECT * FROM orders o JOIN customers c USING (id) WHERE c.ssn = 1
SELECT id FROM customers WHERE id = (SELECT id FROM customers c2 WHERE c2.ssn = customers.ssn)
SELECT alias(ssn) FROM customers
SELECT arg_max(c, id) FROM customers c

-- construct
SELECT 'x'::regclass
SELECT ?
SELECT * FROM (DESCRIBE customers)

-- function
SELECT COLUMNS('ssn') FROM customers
SELECT COLUMNS(*) FROM customers
SELECT COLUMNS(c -> c LIKE 's%') FROM customers
SELECT get_secret(1)
SELECT getenv('HOME')
SELECT current_setting('x')
SELECT nextval('order_seq')
SELECT private.upper('x')
SELECT private.upper('x') FROM customers
SELECT getvariable('x').upper()
SELECT read_text('/etc/passwd').content
VALUES (read_text('x'))
SELECT current_query()
SELECT struct_pack(*COLUMNS(*)) FROM customers
SELECT max(COLUMNS(*)) FROM customers

-- not_a_query
SUMMARIZE customers
SHOW TABLES
DESCRIBE customers

-- star
SELECT * LIKE 's%' FROM customers

-- table
WITH RECURSIVE secrets AS (SELECT * FROM secrets UNION ALL SELECT * FROM secrets) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT 1 AS id UNION ALL SELECT id FROM secrets UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE secrets AS (WITH z AS (SELECT id FROM secrets) SELECT id FROM z UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE x AS (SELECT 1 AS id), secrets AS (SELECT id FROM secrets UNION ALL SELECT id FROM x) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT id FROM orders INTERSECT SELECT id FROM secrets) SELECT * FROM secrets
FROM secrets
PIVOT secrets ON owner USING count(*)
SELECT * FROM customers POSITIONAL JOIN secrets
SELECT * FROM customers ANTI JOIN secrets USING (id)
SELECT * FROM 'x'.y
SELECT * FROM orders, secrets.owner
SELECT * FROM (SHOW TABLES)

-- table_function
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM query_table('secrets')
SELECT * FROM duckdb_tables()
SELECT * FROM all_secrets()
SELECT * FROM test_all_types()
