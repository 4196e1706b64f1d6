-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- bounds
SELECT regexp_replace(repeat('a', 100000), 'a', repeat('b', 1000), 'g')
SELECT array_to_string(range(100000), repeat(',', 1000))
SELECT list_aggregate(range(100000), 'string_agg', repeat(',', 1000))
SELECT format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}', repeat('x', 100000))
SELECT * FROM range(1000000000)
SELECT reservoir_quantile(id, 0.5, 2000000000) FROM orders
SELECT approx_top_k(id, 999999) FROM orders

-- catalog
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
SELECT c.ssn.first.letter FROM customers c
SELECT customers.name.ssn FROM customers

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
SELECT list_aggregate([1], 'reservoir_quantile', 0.5, 2000000000)

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

-- duplicate_name
SELECT list_transform([1], c -> c.ssn) FROM customers c
SELECT list_transform([1], x -> (SELECT x.ssn FROM customers x)) FROM orders
SELECT [c.ssn FOR c IN [1]] FROM customers c

-- column
SELECT (SELECT MAX(ssn) FROM (SELECT 1 x) PIVOT (COUNT(*) FOR x IN (1))) FROM customers c
SELECT segment FROM customers c JOIN (SELECT 1 AS k) p ON TRUE PIVOT (MAX(ssn) FOR segment IN ('smb' AS segment))
SELECT (SELECT COUNT(*) FROM (SELECT 1 x) PIVOT (COUNT(*) FOR x IN (1) GROUP BY ssn)) FROM customers c
SELECT p.ssn FROM customers PIVOT (COUNT(*) FOR segment IN ('a')) p

-- bounds
SELECT repeat('x', 31 << 25)
SELECT repeat('x', (SELECT max(id) FROM orders))
SELECT range(pow(10, 9)::INT)
SELECT format('{:>{}}', 'x', 1000000000)
SELECT repeat(repeat('x', 1000), 10000)
SELECT printf('%*d', 1000000000, 1)
SELECT range(id) FROM orders
SELECT lpad(name, id) FROM customers

-- function
SELECT list_aggregate([1], name) FROM customers
SELECT list_aggregate([1], 'query')

-- bounds
SELECT repeat('x', 1000000007 % -1000000009)
SELECT repeat('x', 1000000000 * CAST(0.6 AS INT) - 600000000)
SELECT repeat(lpad('x', 1000000, 'y'), 100000)
SELECT repeat((SELECT repeat('x', 1000000)), 1000)
SELECT replace(repeat('x', 100000), 'x', repeat('y', 100000))
SELECT list_resize([''], 1000000, repeat('x', 1000000))

-- too_costly
FROM orders |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id |> SELECT id

-- too_deep
SELECT name.trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim().trim() FROM products

-- bounds
SELECT CAST(NULL AS DOUBLE[50000][50000])
SELECT list_value(NULL::VARCHAR[2000000])

-- function
SELECT make_type('STRUCT', 'a')
SELECT st_transform(st_point(3, 4), '+proj=merc +nadgrids=./grid.gsb', 'EPSG:3857')
