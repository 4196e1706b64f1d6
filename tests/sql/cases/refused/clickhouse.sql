-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- bounds
SELECT replaceRegexpAll(repeat('a', 100000), 'a', repeat('b', 1000))
SELECT arrayStringConcat(range(100000), repeat(',', 1000))
SELECT accurateCast('x', 'FixedString(16000000)')
SELECT * FROM numbers(0, 1000000000, 1)
SELECT id FROM orders ORDER BY id WITH FILL FROM 0 TO 1000000000000
SELECT * FROM numbers(1000000000000)

-- catalog
SELECT * FROM system.tables

-- clause
WITH secrets AS (SELECT 1 AS id) SELECT id FROM secrets UNION ALL (WITH v AS (SELECT 2 AS id) SELECT id FROM secrets)
WITH secrets AS (SELECT 1 AS id) SELECT id FROM secrets UNION ALL SELECT 2 UNION ALL (SELECT 3 UNION ALL (WITH v AS (SELECT id FROM secrets) SELECT id FROM v))
SELECT id FROM orders FINAL SAMPLE 0.5
SELECT * FROM orders FORMAT CSV

-- column
SELECT Id FROM customers
WITH (SELECT max(ssn) FROM customers) AS x SELECT x
WITH ssn AS y SELECT y FROM customers
SELECT argMax(name, ssn) FROM customers
SELECT ssn.1 FROM customers
SELECT _part, _file FROM customers
SELECT arrayMap(x -> ssn, [1]) FROM customers
SELECT (id AS ssn) + 1, ssn FROM customers
SELECT * FROM customers ARRAY JOIN ssn
SELECT shop.customers.ssn FROM shop.customers
WITH secrets AS customers SELECT * FROM customers
SELECT identity(secrets)
SELECT * FROM customers LIMIT 1 BY ssn
SELECT id FROM customers PREWHERE ssn = '1'
SELECT id FROM customers ORDER BY ssn WITH FILL
SELECT groupArray(tuple(id, ssn)) FROM customers
SELECT sumIf(id, ssn = '1') FROM customers
SELECT * FROM customers QUALIFY ssn = 1
SELECT toTypeName(ssn) FROM customers
SELECT customers.name.null FROM customers

-- construct
SELECT {x:String}
SELECT {tbl:Identifier} FROM orders
SELECT * FROM dictionary('x')

-- function
SELECT mapPopulateSeries(map(1, 1), 1000000000)
SELECT groupArrayInsertAt(1, 16000000)
SELECT COLUMNS('ssn') FROM customers
SELECT * APPLY(toString) FROM customers
SELECT untuple(tuple(*)) FROM customers
SELECT file('/etc/passwd')
SELECT dictGet('d','a',1)
SELECT getSetting('x'), currentUser(), hostName(), version()
SELECT arrayJoin([1,2]) AS x, dictGetOrNull('a','b',1) FROM orders
SELECT file('/etc/passwd').1
SELECT ignore(sleep(3))
SELECT notIn(1, secrets)
SELECT globalIn(1, secrets)
SELECT arrayMap(file, ['/etc/passwd']) FROM numbers(1) AS file
SELECT arrayMap(((file)), ['/etc/passwd'])
SELECT arrayMap((file AS z), ['/etc/passwd'])
SELECT arrayFilter(file, ['/etc/passwd']) FROM numbers(1) AS file
SELECT arraySum(getSetting, ['x']) FROM (SELECT 1) AS getSetting
SELECT mapApply(file, map('a', 'b')) FROM numbers(1) AS file

-- hidden_character
SELECT ‘--’ UNION ALL SELECT secret_value FROM secrets

-- not_a_query
DESCRIBE TABLE customers

-- star
SELECT tuple(*) FROM customers
SELECT toString((*)) FROM customers
SELECT uniq(*) FROM customers

-- table
WITH RECURSIVE secrets AS (SELECT * FROM secrets UNION ALL SELECT * FROM secrets) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT 1 AS id UNION ALL SELECT id FROM secrets UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE secrets AS (WITH z AS (SELECT id FROM secrets) SELECT id FROM z UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE x AS (SELECT 1 AS id), secrets AS (SELECT id FROM secrets UNION ALL SELECT id FROM x) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT id FROM orders INTERSECT SELECT id FROM secrets) SELECT * FROM secrets
SELECT * FROM CUSTOMERS
SELECT 1 WHERE 1 IN secrets
SELECT 1 WHERE 1 GLOBAL IN secrets
WITH customers AS (SELECT * FROM secrets) SELECT * FROM customers
SELECT * FROM customers AS c GLOBAL JOIN secrets AS s ON c.id = s.id

-- table_function
SELECT * FROM remote('127.0.0.1', shop.secrets)
SELECT * FROM merge('shop', '.*')
SELECT * FROM loop(secrets)
SELECT * FROM view(SELECT * FROM secrets)
SELECT * FROM url('http://x')

-- unreadable
SELECT * FROM orders INTO OUTFILE 'x'

-- table
SELECT 0 IN (system.one)
SELECT id IN ((secrets)) FROM orders

-- table_function
SELECT v.b FROM values('a UInt8, b String ALIAS currentUser()', 1) AS v(a, b)

-- bounds
SELECT repeat('x', intExp10(9))

-- function
SELECT accurateCast(id, 'AggregateFunction(groupArray, UInt64)') FROM orders
SELECT arrayReduce(name, [1]) FROM customers

-- duplicate_name
SELECT arrayMap(c -> c.ssn, [1]) FROM customers AS c

-- bounds
SELECT number FROM numbers(-1)
SELECT total FROM orders ORDER BY total WITH FILL STEP 0.0000001

-- bounds
SELECT printf('%900000000s', name) FROM products
SELECT arrayShingles(range(200000), 100000)

-- column
WITH salary AS pay SELECT pay FROM employees
WITH e.salary > 5 AS rich SELECT countIf(rich) FROM employees e
WITH salary AS salary SELECT salary FROM employees
SELECT name FROM employees LIMIT 1 BY salary LIMIT 3
