-- Statements that must be refused under ../../policy.json. A comment names the rule that refuses what follows.

-- catalogue
SELECT * FROM v$session

-- clause
SELECT * FROM customers AS OF TIMESTAMP SYSDATE

-- column
SELECT ROWID FROM customers
SELECT c.ssn.x FROM customers c
SELECT id FROM customers ORDER BY ssn FETCH FIRST 1 ROWS ONLY
SELECT id FROM employees START WITH salary > 1 CONNECT BY PRIOR id = manager_id

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

-- star
SELECT JSON_OBJECT(*) FROM customers

-- table
SELECT * FROM "customers"

-- table_function
SELECT * FROM TABLE(f())

-- unreadable
WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual
SELECT JSON_OBJECT(c.*) FROM customers c
