-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- catalog
SELECT * FROM v$session

-- clause
SELECT * FROM customers AS OF TIMESTAMP SYSDATE

-- column
SELECT ROWID FROM customers
SELECT c.ssn.x FROM customers c
SELECT id FROM customers ORDER BY ssn FETCH FIRST 1 ROWS ONLY
SELECT id FROM employees START WITH salary > 1 CONNECT BY PRIOR id = manager_id
SELECT MAX(name) KEEP (DENSE_RANK LAST ORDER BY ssn) FROM customers
SELECT name FROM customers ORDER BY NLSSORT(ssn, 'x')
SELECT * FROM customers WHERE ROWNUM = 1 AND ssn = 1
SELECT DUMP(ssn) FROM customers
SELECT * FROM orders o CROSS APPLY (SELECT ssn FROM customers) x
SELECT LISTAGG(name) WITHIN GROUP (ORDER BY ssn) FROM customers
SELECT name FROM customers WHERE REGEXP_LIKE(ssn, '^1')
SELECT 1 AS purge_orders, purge_orders AS x FROM dual
SELECT 1 AS purge_orders FROM dual WHERE purge_orders = 1
SELECT purge_orders FROM JSON_TABLE('[1]', '$' COLUMNS (a NUMBER PATH '$')) purge_orders

-- construct
SELECT * FROM (customers) c

-- function
SELECT USER FROM dual
SELECT SYS_CONTEXT('a','b') FROM dual
SELECT XMLTYPE('x') FROM dual
SELECT DBMS_XMLGEN.GETXML('select 1') FROM dual
SELECT seq.NEXTVAL FROM dual
SELECT CURSOR(SELECT 1 FROM dual) FROM dual
SELECT VALUE(c) FROM customers c
SELECT f(id) FROM orders
SELECT ORA_ROWSCN FROM orders
SELECT s.NEXTVAL FROM dual
SELECT EXTRACTVALUE(XMLTYPE('<a/>'), '/a') FROM dual
SELECT UNISTR('a'), NVL(NULL, 1), USERENV('x') FROM dual
SELECT POWERMULTISET(COLLECT(id)) FROM orders

-- natural_join
SELECT * FROM customers NATURAL JOIN orders

-- star
SELECT JSON_OBJECT(*) FROM customers

-- table
WITH secrets (id) AS (SELECT id FROM secrets UNION ALL SELECT id FROM secrets) SELECT id FROM secrets
SELECT * FROM "customers"

-- table_function
SELECT * FROM TABLE(f())
SELECT * FROM ONLY(customers)
SELECT COLUMN_VALUE FROM TABLE(sys.odcinumberlist(1,2))

-- unreadable
WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual
SELECT JSON_OBJECT(c.*) FROM customers c
SELECT id, ssn OVER () FROM customers
SELECT 1 FROM customers c MODEL DIMENSION BY (id) MEASURES (ssn) RULES ()

-- column
SELECT "LEVEL" FROM employees
SELECT level FROM employees

-- bounds
SELECT RPAD('x', POWER(10, 9)) FROM dual

-- bounds
SELECT RPAD('-', LEVEL * 5000) FROM employees CONNECT BY PRIOR id = manager_id
SELECT LPAD('-', "LEVEL") FROM employees

-- column
SELECT XMLAGG(XMLELEMENT(e, ssn)) FROM customers
