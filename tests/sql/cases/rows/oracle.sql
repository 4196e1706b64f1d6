-- The same, for what only Oracle has. No server is at hand: the text alone is looked at.
SELECT id, LEVEL FROM staff START WITH boss_id IS NULL CONNECT BY PRIOR id = boss_id
SELECT id FROM staff CONNECT BY PRIOR boss_id = id START WITH id = 6
SELECT id FROM staff START WITH boss_id IS NULL CONNECT BY NOCYCLE PRIOR id = boss_id ORDER SIBLINGS BY name
SELECT CONNECT_BY_ROOT name, CONNECT_BY_ISLEAF FROM staff START WITH boss_id IS NULL CONNECT BY PRIOR id = boss_id
SELECT SYS_CONNECT_BY_PATH(name, '/') FROM staff START WITH boss_id IS NULL CONNECT BY PRIOR id = boss_id
SELECT LEVEL FROM dual CONNECT BY LEVEL <= (SELECT COUNT(*) FROM orders)
SELECT ROWNUM, id FROM orders
SELECT id FROM orders WHERE ROWNUM <= 2
SELECT o.id, c.name FROM orders o, customers c WHERE o.customer_id = c.id (+)
SELECT c.id, x.total FROM customers c, LATERAL (SELECT total FROM orders o WHERE o.customer_id = c.id) x
SELECT * FROM orders PIVOT (SUM(total) FOR region IN ('north', 'south'))
SELECT * FROM orders UNPIVOT (amount FOR name IN (total, customer_id))
SELECT "ID", Total FROM "ORDERS"
SELECT id FROM orders MINUS SELECT id FROM items
SELECT id FROM orders FETCH FIRST 50 PERCENT ROWS ONLY
SELECT id FROM orders ORDER BY id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
SELECT LISTAGG(note, ',') WITHIN GROUP (ORDER BY id) FROM orders
SELECT id FROM orders WHERE TO_NUMBER(note) > 0
WITH orders AS (SELECT * FROM orders) SELECT * FROM orders
WITH t (n) AS (SELECT id FROM orders WHERE id < 3 UNION ALL SELECT n + 10 FROM t WHERE n < 30) SELECT n FROM t
WITH orders (id) AS (SELECT id FROM orders UNION ALL SELECT id + 100 FROM orders WHERE id < 50) SELECT id FROM orders
SELECT * FROM orders NATURAL JOIN customers
SELECT id FROM (orders)
