-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- clause
SELECT id INTO @a FROM orders
SELECT id FROM orders LOCK IN SHARE MODE
SELECT id FROM orders FOR UPDATE SKIP LOCKED
SELECT SQL_CALC_FOUND_ROWS id FROM orders
SELECT * FROM customers PARTITION (p0)
SELECT * FROM orders FOR SYSTEM_TIME ALL

-- column
SELECT `ssn` FROM `customers`
SELECT SSN FROM customers
SELECT customers.`ssn` FROM customers
SELECT 1 FROM customers WHERE ROW(id, ssn) = ROW(1,'a')
SELECT MATCH(ssn) AGAINST ('x') FROM customers
SELECT * FROM (SELECT * FROM customers) c WHERE ssn = '1'
SELECT ssn, c.id FROM customers c, JSON_TABLE('[1]', '$[*]' COLUMNS(a INT PATH '$')) t
SELECT 1 FROM customers HAVING ssn LIKE 'a%'
SELECT `shop`.`customers`.`ssn` FROM customers
SELECT a.ssn FROM shop.customers a
SELECT CONVERT(ssn, CHAR) FROM customers
SELECT 1 FROM orders WHERE EXISTS(SELECT * FROM customers WHERE ssn=1)
SELECT JSON_ARRAYAGG(JSON_OBJECT('a', ssn)) FROM customers

-- construct
SELECT @a := id FROM orders
SELECT @@version
SELECT DEFAULT(ssn) FROM customers
SELECT id FROM orders WHERE id = @@global.x

-- executable_comment
SELECT /*!99999 1 */ 2
SELECT 1 /*!*/ 
SELECT /*M!100000 1 */ 2

-- function
SELECT LOAD_FILE('/etc/passwd')
SELECT BENCHMARK(1000000, SHA1('a'))
SELECT DATABASE(), USER(), VERSION(), CONNECTION_ID()
SELECT GET_LOCK('a', 1)
SELECT FOUND_ROWS(), ROW_COUNT()
SELECT VALUES(ssn) FROM customers
SELECT NEXTVAL(s)
SELECT get_secret(1)
SELECT shop.get_secret(1)
SELECT NAME_CONST('a', 1)
SELECT EXTRACTVALUE('<a/>', '//a')
SELECT {fn user()}
SELECT SLEEP(5)

-- natural_join
SELECT * FROM customers NATURAL LEFT JOIN orders

-- one_statement
SELECT 1--1;DROP TABLE orders

-- table
WITH secrets AS (SELECT 1 AS id) SELECT x.id FROM (WITH y AS (SELECT id FROM secrets) SELECT id FROM y) AS x
WITH secrets AS (SELECT 1 AS id), z AS (WITH y AS (SELECT id FROM secrets) SELECT id FROM y) SELECT id FROM z
WITH RECURSIVE secrets AS (SELECT * FROM secrets UNION ALL SELECT * FROM secrets) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT 1 AS id UNION ALL SELECT id FROM secrets UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE secrets AS (WITH z AS (SELECT id FROM secrets) SELECT id FROM z UNION ALL SELECT 2) SELECT * FROM secrets
WITH RECURSIVE x AS (SELECT 1 AS id), secrets AS (SELECT id FROM secrets UNION ALL SELECT id FROM x) SELECT * FROM secrets
WITH RECURSIVE secrets AS (SELECT id FROM orders INTERSECT SELECT id FROM secrets) SELECT * FROM secrets
SELECT * FROM CUSTOMERS
SELECT * FROM Customers
SELECT * FROM private.payments
(SELECT secret_value FROM secrets)
SELECT id FROM orders WHERE id IN (TABLE secrets)
SELECT * FROM (customers, secrets)
SELECT id FROM `shop`.`secrets`

-- two_readings
SELECT '\' UNION SELECT secret_value FROM secrets -- '

-- unreadable
SELECT * FROM customers PROCEDURE ANALYSE()
SELECT * INTO OUTFILE '/tmp/x' FROM customers
DO SLEEP(1)
SELECT NEXT VALUE FOR s
SELECT {d '2024-01-01'}
SELECT id FROM orders LIMIT 1 PROCEDURE x()
SELECT id FROM orders INTO DUMPFILE 'x'

-- bounds
SELECT EXPORT_SET(5, REPEAT('x', 100000), 'n', ',', 64)
SELECT SFORMAT('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}', REPEAT('x', 100000))
SELECT LENGTH(SFORMAT('{:>1000000000}', 'x'))
SELECT CAST('x' AS BINARY(1000000000))

-- catalog
SELECT 1 FROM (customers c JOIN orders o ON (SELECT Password FROM mysql.user LIMIT 1) > '')

-- function
SELECT st_transform(point(3, 4), notes) FROM orders

-- hidden_character
SELECT 1 AS 'a\0b'
