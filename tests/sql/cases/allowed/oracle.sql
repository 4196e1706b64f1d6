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
