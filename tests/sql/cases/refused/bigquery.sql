-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- clause
FROM shop.orders |> TABLESAMPLE SYSTEM (10 PERCENT)
SELECT * FROM proj.shop.orders FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()
SELECT * FROM shop.customers FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01'

-- column
SELECT TO_JSON_STRING(c) FROM shop.customers c
SELECT _TABLE_SUFFIX FROM shop.orders
SELECT ANY_VALUE(c) FROM shop.customers c
SELECT c.ssn FROM shop.customers c
FROM shop.customers |> SELECT ssn
FROM shop.customers |> EXTEND ssn AS x |> SELECT x
FROM shop.customers |> WHERE ssn = '1' |> AGGREGATE COUNT(*)
SELECT AS VALUE c FROM shop.customers c
SELECT * FROM shop.customers c, c.ssn
SELECT c.* EXCEPT (ssn) FROM shop.customers c
SELECT name FROM shop.customers AS name
SELECT LOGICAL_OR(ssn = 'x') FROM shop.customers
SELECT COUNT(*) FROM shop.orders o WHERE o IN (SELECT 1)
SELECT c.ssn.first.letter FROM customers AS c

-- construct
SELECT @x, @@project_id

-- function
SELECT ERROR('x').a
SELECT SAFE.MY_UDF(name) FROM shop.customers
SELECT NET.EVIL(name) FROM shop.customers
SELECT `proj.shop.get_secret`(1)
SELECT shop.get_secret(1)

-- not_a_query
EXPORT DATA OPTIONS(uri='gs://x') AS SELECT 1

-- one_statement
CREATE TEMP FUNCTION f() AS (1); SELECT f()

-- star
SELECT AS STRUCT * FROM shop.customers
SELECT ARRAY(SELECT AS STRUCT * FROM shop.customers)
SELECT TO_JSON_STRING(STRUCT(c.*)) FROM shop.customers c
SELECT AS STRUCT * FROM shop.customers

-- table
WITH RECURSIVE secrets AS (SELECT * FROM secrets UNION ALL SELECT * FROM secrets) SELECT * FROM secrets
SELECT * FROM other.customers
SELECT * FROM `other-proj`.shop.customers
FROM shop.secrets |> SELECT *
FROM shop.orders |> JOIN shop.secrets USING (id)
FROM shop.orders |> UNION ALL (SELECT * FROM shop.secrets)
SELECT * FROM `shop.customers$20240101`
SELECT * FROM ONLY_HERE.t

-- table_function
SELECT * FROM EXTERNAL_QUERY('c', 'select 1')
SELECT * FROM ML.PREDICT(MODEL shop.m, TABLE shop.orders)

-- unreadable
FROM shop.customers |> DROP name
FROM shop.customers |> CALL shop.f()

-- construct
FROM shop.customers |> AS c |> SELECT c.ssn
FROM shop.customers |> AS c |> SELECT c

-- too_costly
FROM orders |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1 |> WHERE total > 1
