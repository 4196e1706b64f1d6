-- Honest questions of analysts: every line must pass under ../../policy.json.
SELECT * FROM customers
SELECT * FROM SHOP.customers
SELECT id, PRIOR id FROM employees START WITH manager_id IS NULL CONNECT BY PRIOR id = manager_id
SELECT NVL(name,'x'), DECODE(status,1,2), TO_CHAR(SYSDATE,'YYYY') FROM orders, customers
SELECT * FROM orders WHERE ROWNUM < 5
SELECT TO_CHAR(order_date, 'YYYY-MM') AS ym, SUM(total) FROM orders GROUP BY TO_CHAR(order_date, 'YYYY-MM') ORDER BY ym
SELECT id, LISTAGG(status, ',') WITHIN GROUP (ORDER BY status) OVER (PARTITION BY customer_id) FROM orders
SELECT o.id FROM orders o, customers c WHERE o.customer_id = c.id(+)
SELECT LEVEL FROM dual CONNECT BY LEVEL <= 10
SELECT SYS_CONNECT_BY_PATH(name, '/'), CONNECT_BY_ROOT name, LEVEL FROM employees START WITH manager_id IS NULL CONNECT BY PRIOR id = manager_id ORDER SIBLINGS BY name
SELECT ADD_MONTHS(order_date, 1), MONTHS_BETWEEN(SYSDATE, order_date), TRUNC(order_date, 'MM'), LAST_DAY(order_date), NVL2(notes, 1, 0), REGEXP_SUBSTR(notes, 'a'), TO_NUMBER('1') FROM orders
SELECT * FROM (SELECT id, total FROM orders ORDER BY total DESC) WHERE ROWNUM <= 5
SELECT id FROM orders OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY
SELECT * FROM orders PIVOT (SUM(total) FOR status IN ('new' AS n, 'paid' AS p))
SELECT jt.a FROM products p, JSON_TABLE(p.attributes, '$' COLUMNS (a VARCHAR2(10) PATH '$.color')) jt
SELECT MAX(total) KEEP (DENSE_RANK FIRST ORDER BY order_date) FROM orders
SELECT /*+ FULL(o) */ id FROM orders o
WITH t(n) AS (SELECT 1 FROM dual UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t
SELECT DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00', INTERVAL '1' DAY FROM dual
SELECT COUNT(*) FROM orders WHERE order_date >= TRUNC(SYSDATE) - 7
SELECT q'[it's]' FROM dual
SELECT dbms_random.value FROM dual
SELECT * FROM customers SAMPLE (10)
SELECT o.id FROM SHOP.orders o
SELECT SHOP.orders.id FROM SHOP.orders
SELECT id, total, RANK() OVER (PARTITION BY status ORDER BY total DESC) AS r FROM orders
SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
SELECT status, COUNT(*) FROM orders GROUP BY ROLLUP (status)
SELECT EXTRACT(YEAR FROM order_date), TO_DATE('2024-01-01', 'YYYY-MM-DD'), NEXT_DAY(SYSDATE, 'MONDAY'), ROUND(SYSDATE, 'MM'), SYSTIMESTAMP, CURRENT_DATE, NUMTODSINTERVAL(1, 'DAY') FROM orders
SELECT UPPER(name), LOWER(name), INITCAP(name), LENGTH(name), REPLACE(name, 'a', 'b'), TRANSLATE(name, 'a', 'b'), LPAD(name, 10, '.'), RTRIM(name), CONCAT(name, 'x'), name || '-' || city, ASCII(name), CHR(65), REGEXP_REPLACE(name, 'a', 'b'), REGEXP_COUNT(name, 'a'), SOUNDEX(name) FROM customers
SELECT NVL(notes, '-'), COALESCE(notes, '-'), NULLIF(status, 'x'), GREATEST(1, 2), LEAST(1, 2), CASE WHEN total > 1 THEN 'a' ELSE 'b' END, DECODE(status, 'new', 1, 'paid', 2, 0) FROM orders
SELECT ROUND(total, 1), TRUNC(total), CEIL(total), FLOOR(total), MOD(id, 2), POWER(2, 3), SQRT(4), ABS(-1), SIGN(-1), LN(2), LOG(10, 100), BITAND(1, 3) FROM orders
SELECT STDDEV(total), VARIANCE(total), CORR(total, id), APPROX_COUNT_DISTINCT(customer_id), STATS_MODE(status), RATIO_TO_REPORT(SUM(total)) OVER () FROM orders GROUP BY status
SELECT JSON_VALUE(attributes, '$.color'), JSON_QUERY(attributes, '$.dims'), JSON_EXISTS(attributes, '$.color') FROM products
SELECT p.name, jt.tag FROM products p, JSON_TABLE(p.attributes, '$.tags[*]' COLUMNS (tag VARCHAR2(20) PATH '$')) jt
SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY total DESC) rn FROM orders) WHERE rn BETWEEN 5 AND 10
SELECT o.id FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.country = 'DE' ORDER BY o.total DESC OFFSET 10 ROWS FETCH NEXT 10 ROWS ONLY
SELECT id FROM orders FETCH FIRST 5 PERCENT ROWS ONLY
SELECT id, total FROM orders ORDER BY total DESC FETCH FIRST 5 ROWS WITH TIES
SELECT * FROM (SELECT status, total FROM orders) PIVOT (SUM(total) FOR status IN ('new' AS new_total, 'paid' AS paid_total))
SELECT id, k, v FROM orders UNPIVOT (v FOR k IN (total AS 'T'))
SELECT TO_CHAR(TRUNC(SYSDATE) - LEVEL + 1, 'YYYY-MM-DD') AS d FROM dual CONNECT BY LEVEL <= 30
SELECT LISTAGG(name, ', ') WITHIN GROUP (ORDER BY name) FROM customers GROUP BY country
SELECT name, LEVEL, CONNECT_BY_ISLEAF FROM employees START WITH manager_id IS NULL CONNECT BY NOCYCLE PRIOR id = manager_id
SELECT "KEY", "VALUE", "DESC", "GROUP" FROM "ORDER"
SELECT LAG(total, 1, 0) OVER (ORDER BY id), FIRST_VALUE(total) OVER (ORDER BY id), NTH_VALUE(total, 2) OVER (ORDER BY id), CUME_DIST() OVER (ORDER BY id) FROM orders
SELECT SUM(total) OVER (ORDER BY order_date RANGE BETWEEN INTERVAL '7' DAY PRECEDING AND CURRENT ROW) FROM orders
SELECT CAST(total AS NUMBER(10,1)), TO_CHAR(total, '999G999D00'), TO_NUMBER('1', '9') FROM orders
SELECT COUNT(*) FROM orders WHERE order_date >= DATE '2024-01-01' AND order_date < ADD_MONTHS(DATE '2024-01-01', 1)
SELECT id FROM customers INTERSECT SELECT customer_id FROM orders
SELECT o.id, x.n FROM orders o CROSS APPLY (SELECT COUNT(*) n FROM order_items i WHERE i.order_id = o.id) x
SELECT o.id FROM orders o OUTER APPLY (SELECT 1 a FROM dual) x
SELECT MONTHS_BETWEEN(SYSDATE, hire_date) / 12 AS years FROM employees
SELECT ORA_HASH(name), STANDARD_HASH(name, 'MD5'), RAWTOHEX(name), VSIZE(name), DUMP(name) FROM customers
WITH t AS (SELECT /*+ MATERIALIZE */ customer_id, SUM(total) s FROM orders GROUP BY customer_id) SELECT * FROM t WHERE s > 100
SELECT WIDTH_BUCKET(total, 0, 1000, 10), NTILE(4) OVER (ORDER BY total) FROM orders
SELECT a.id FROM orders a WHERE (a.customer_id, a.status) IN (SELECT c.id, 'paid' FROM customers c)
SELECT id FROM orders WHERE status = ANY ('new', 'paid') AND total >= ALL (SELECT total FROM orders WHERE status = 'new')
SELECT /*+ PARALLEL(o 4) */ id FROM orders o
SELECT level, name FROM employees START WITH manager_id IS NULL CONNECT BY PRIOR id = manager_id
SELECT LPAD(' ', 3 * (LEVEL - 1)) || title FROM employees START WITH manager_id IS NULL CONNECT BY PRIOR id = manager_id
SELECT p.attributes.color, p.attributes.dims.w FROM products p
SELECT TO_CHAR(order_date, 'YYYY-MM') AS m, SUM(total) FROM orders GROUP BY TO_CHAR(order_date, 'YYYY-MM') ORDER BY m
SELECT d.dummy, dummy FROM dual d
