-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- bounds
SELECT regexp_replace(repeat('a', 100000), 'a', repeat('b', 1000), 'g')
SELECT array_to_string(array_fill(1, ARRAY[100000]), repeat(',', 1000))
SELECT format('%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s', repeat('x', 100000))
SELECT st_buffer(st_point(0, 0), 1, 100000000)
SELECT repeat('x', CAST(1000000000 AS INT))
SELECT repeat('x', 100000*100000)
SELECT repeat('x', '1000000000'::int)
SELECT repeat(repeat('x', 100000), 100000)
SELECT 1 FROM generate_series(1, 1e9::bigint)
SELECT format('%1$s%1$s%1$s%1$s%1$s', format('%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s', format('%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s', format('%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s', format('%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s', format('%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s%1$s', repeat('x', 100)))))))
SELECT quote_literal(quote_literal(quote_literal(quote_literal(repeat('''', 100000)))))

-- clause
SELECT 1 FROM customers FOR SHARE
SELECT id INTO x FROM orders

-- column
SELECT name AS ssn FROM customers WHERE ssn LIKE 's%'
SELECT id AS ssn FROM customers ORDER BY ssn || ''
SELECT (SELECT max(ssn) FROM customers) FROM (SELECT 1 AS ssn) t
SELECT c.ssn FROM orders o JOIN customers c ON true
SELECT to_jsonb(c) FROM customers c
SELECT customers FROM customers
SELECT x.ssn FROM (SELECT * FROM customers) x
SELECT * FROM customers JOIN (SELECT 'ssn-7' AS ssn) x USING (ssn)
SELECT id FROM customers c WHERE c IS NOT NULL
SELECT id FROM customers c WHERE c = ROW(1)
SELECT id FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE orders.customer_id = customers.id AND customers.ssn = '1')
WITH c AS (SELECT * FROM customers) SELECT ssn FROM c
WITH c(a,b,d,e,f,g,h,i,ssn) AS (SELECT * FROM customers) SELECT ssn FROM c
SELECT * FROM customers c, LATERAL (SELECT c.ssn) x
SELECT * FROM customers c CROSS JOIN LATERAL (SELECT ssn FROM customers) x
SELECT array_agg(c) FROM customers c
SELECT ctid, xmin FROM customers
SELECT id FROM customers GROUP BY id HAVING max(ssn) > 'a'
SELECT rank() OVER w FROM customers WINDOW w AS (ORDER BY ssn)
SELECT sum(1) FILTER (WHERE ssn = '1') FROM customers
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM employees
SELECT string_agg(name, ',' ORDER BY ssn) FROM customers
SELECT CASE WHEN ssn = '1' THEN 1 END FROM customers
SELECT "ID" FROM customers
SELECT id FROM customers WHERE ssn ~ '^1'
SELECT a.id FROM customers a JOIN customers b ON a.ssn < b.ssn
SELECT customers.id FROM customers JOIN orders USING (id, ssn)
SELECT c.name FROM customers AS c(id, name, email, country, city, segment, created_at, updated_at, ssn)
SELECT ssn FROM customers AS c(ssn)
SELECT count(*) FROM orders GROUP BY GROUPING SETS ((status), (ssn))
SELECT substring(name FROM ssn) FROM customers
SELECT DISTINCT ON (name) ssn FROM customers
SELECT format('%s', c) FROM customers c
SELECT concat(c) FROM customers c
SELECT row_to_json(t) FROM customers t
SELECT t FROM customers c, (SELECT 1 AS a) t
SELECT (SELECT c FROM (SELECT 1) d) FROM customers c
SELECT c.id FROM customers c ORDER BY c
SELECT pg_typeof(c) FROM customers c
SELECT id FROM customers WHERE customers = customers
SELECT o.* FROM orders o WHERE o.id = (SELECT max(id) FROM customers WHERE ssn IS NOT NULL)
SELECT jsonb_build_object('a', c) FROM customers c
SELECT array(SELECT ssn FROM customers)
SELECT lead(ssn) OVER () FROM customers
SELECT max(t.ssn) FROM (SELECT * FROM customers) t
SELECT q.id FROM (SELECT id, ssn FROM customers) q
SELECT 1 FROM customers c1 JOIN customers c2 USING (ssn)
SELECT id FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE ssn = notes)
SELECT id FROM orders WHERE EXISTS (SELECT ssn FROM customers)
SELECT x.pg_read_file FROM unnest(ARRAY['/etc/passwd']) AS x
SELECT pg_read_file.pg_read_file FROM jsonb_array_elements_text('["/etc/passwd"]') AS pg_read_file

-- construct
SELECT tableoid::regclass FROM customers
SELECT 'secrets'::regclass
SELECT CAST('customers' AS regclass)
SELECT name::regtype FROM customers
SELECT * FROM (customers c JOIN orders o ON true) AS j
WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x
WITH x AS MATERIALIZED (INSERT INTO orders DEFAULT VALUES RETURNING id) SELECT * FROM x
SELECT null::customers
SELECT id FROM orders WHERE notes = $1
SELECT id FROM orders WHERE notes = :x
SELECT 'x'::pg_catalog.regclass
SELECT name::citext, name::tsvector, name::"char", name::name FROM customers
SELECT NULL::customers
SELECT 'a'::regrole, 'b'::regnamespace
SELECT 'b'::regconfig
SELECT U&'\0441'
SELECT 1 OPERATOR(pg_catalog.+) 2
SELECT ((1)).pg_sleep

-- function
SELECT current_setting('x'), version(), current_user
SELECT current_database()
SELECT lo_import('/etc/passwd')
SELECT nextval('order_seq')
SELECT get_secret(1)
SELECT convert_from(pg_read_binary_file('/etc/passwd'), 'utf8')
SELECT (json_populate_record(null::customers, '{}')).ssn
SELECT pg_sleep(10)
SELECT CURRENT_CATALOG, CURRENT_SCHEMA, SESSION_USER, USER
SELECT xpath('//a', query_to_xml('select 1', true, true, ''))
SELECT "public"."get_secret"(1)
SELECT name(c) FROM customers c
SELECT ssn(c) FROM customers c
SELECT extract(epoch FROM pg_postmaster_start_time())
SELECT inet_server_addr(), inet_client_addr()
SELECT pg_catalog.set_config('role','x',false)
SELECT has_table_privilege('secrets','select')
SELECT obj_description(1), col_description(1,1)
SELECT to_regclass('secrets')
SELECT (pg_stat_file('x')).size
SELECT user
SELECT current_role, current_schema
SELECT setseed(0.5)
SELECT pg_catalog.pg_sleep(1)
SELECT ('/etc/passwd'::text).pg_read_file
SELECT (name).get_secret FROM customers
SELECT (lower(name)).pg_read_file FROM customers
SELECT (ARRAY['/etc/passwd'])[1].pg_read_file
SELECT (name)."UPPER" FROM customers
SELECT (('/etc/passwd'::text).lower).pg_read_file
SELECT (SELECT '/etc/passwd'::text).pg_read_file
SELECT (x).pg_read_file FROM unnest(ARRAY['/etc/passwd']) AS x

-- hidden_character
SELECT U&"\0073sn" FROM customers

-- natural_join
SELECT * FROM customers NATURAL JOIN (SELECT 'ssn-7' AS ssn) x

-- not_a_query
EXPLAIN ANALYZE DELETE FROM orders
MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE

-- one_statement
SELECT 1;SELECT 2

-- star
SELECT count(c.*) FROM customers c
SELECT id FROM customers WHERE (customers.*)::text LIKE '%ssn%'
SELECT row_to_json(row(c.*)) FROM customers c
SELECT * FROM customers c JOIN LATERAL (SELECT c.*) x ON true

-- table
WITH RECURSIVE secrets AS (SELECT * FROM secrets UNION ALL SELECT * FROM secrets) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT 1 AS id UNION ALL SELECT id FROM secrets UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE secrets AS (WITH z AS (SELECT id FROM secrets) SELECT id FROM z UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE x AS (SELECT 1 AS id), secrets AS (SELECT id FROM secrets UNION ALL SELECT id FROM x) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT id FROM orders INTERSECT SELECT id FROM secrets) SELECT * FROM secrets
SELECT id FROM customers LIMIT (SELECT count(*) FROM secrets)
SELECT id FROM customers OFFSET (SELECT count(*) FROM secrets)
SELECT * FROM ONLY secrets
SELECT * FROM public.secrets
SELECT * FROM "CUSTOMERS"
SELECT * FROM shop.public.customers
SELECT * FROM (customers c JOIN secrets s ON true)
VALUES ((SELECT secret_value FROM secrets))
SELECT id FROM orders UNION TABLE secrets
SELECT id FROM orders WHERE id = ANY(SELECT id FROM secrets)
SELECT * FROM mv_sales
SELECT 1 UNION SELECT 1 FROM secrets
SELECT o.id FROM orders o WHERE o.id IN (WITH s AS (SELECT id FROM secrets) SELECT id FROM s)
SELECT (WITH secrets AS (SELECT 1 AS a) SELECT a FROM secrets) , (SELECT secret_value FROM secrets)
WITH RECURSIVE secrets AS (SELECT * FROM secrets) SELECT * FROM secrets
WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets
WITH "Secrets" AS (SELECT 1 AS a) SELECT * FROM secrets
WITH t AS (SELECT 1 AS x) SELECT * FROM public.t

-- table_function
SELECT * FROM get_secret(1)
SELECT * FROM json_populate_record(null::customers, '{}')
SELECT * FROM public.generate_series(1,3)

-- unreadable
SELECT xmlparse(DOCUMENT '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>')
SELECT * FROM customers WHERE CURRENT OF c

-- column
SELECT c.id, (SELECT ssn FROM (SELECT * FROM (VALUES (1)) v) u) FROM customers c

-- bounds
SELECT COUNT(*) FROM customers TABLESAMPLE BERNOULLI ((SELECT 1))
SELECT format('%*s', 1000000000, 'x')
SELECT format(name) FROM customers
SELECT repeat('x', 10 * 1000 * 1000)

-- catalog
SELECT 1 FROM (orders o JOIN customers c ON EXISTS (SELECT 1 FROM pg_authid))

-- duplicate_name
WITH RECURSIVE q AS (SELECT id FROM orders), orders AS (SELECT 1 AS id) SELECT id FROM q

-- bounds
SELECT repeat('x', 1000000000 - 2000000000 * (1 / 2))
SELECT generate_series(1, 2, 1 - 1000000 / 1000001)
WITH t AS (SELECT repeat('a', 1000000) AS s) SELECT repeat(s, 1000) FROM t
WITH t(s) AS (SELECT repeat('a', 100000)), u(v) AS (SELECT repeat(s, 10) FROM t) SELECT repeat(v, 1000) FROM u
SELECT lpad(repeat(s, 1000), 10) FROM (SELECT repeat('a', 1000000)) AS t(s)
WITH t AS (SELECT repeat('a', 1000000) AS a), u AS (SELECT a AS b FROM t), v AS (SELECT b AS a, b FROM u) SELECT repeat(a, 1), repeat(b, 1000) FROM v

-- function
SELECT st_transform(st_makepoint(3, 4), '+init=./systems:one', 3857)
SELECT st_transform(st_makepoint(3, 4), notes) FROM orders

-- column
SELECT xmlelement(NAME title, salary) FROM employees
