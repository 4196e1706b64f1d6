-- Queries that try to see hidden rows, for every engine: each answers as it would on a copy without them.
-- plain and aliased
SELECT * FROM orders
SELECT o.* FROM orders AS o
SELECT o.*, c.* FROM orders o, customers c WHERE o.customer_id = c.id
SELECT orders.id FROM orders AS orders
SELECT products.total FROM orders AS products
SELECT orders.price FROM products AS orders
SELECT a.id, b.id FROM orders a, orders b WHERE a.id < b.id
SELECT id, id, total + 0, total FROM orders
SELECT DISTINCT region FROM orders
SELECT region AS tenant, total AS region FROM orders
SELECT * FROM (orders)
SELECT * FROM (SELECT * FROM orders) AS x
SELECT * FROM ((SELECT id FROM orders)) AS x
SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT id, region FROM orders) a) b) c
-- conditions that would be true of hidden rows, or of all
SELECT id FROM orders WHERE 1 = 1 OR id = 3
SELECT id FROM orders WHERE region = 'south' OR TRUE
SELECT id FROM orders WHERE NOT region IN ('north', 'east')
SELECT id FROM orders WHERE region NOT IN ('north')
SELECT id FROM orders WHERE region LIKE '%'
SELECT id FROM orders WHERE total IS NULL OR total IS NOT NULL
SELECT id FROM orders WHERE (region = 'west') IS NULL
SELECT CASE WHEN region = 'south' THEN 'hidden' ELSE 'seen' END, COUNT(*) FROM orders GROUP BY 1
-- joins
SELECT a.id, b.region FROM orders a JOIN orders b ON a.customer_id = b.customer_id
SELECT a.id, b.id FROM orders a LEFT JOIN orders b ON b.id = a.id + 1
SELECT a.id, b.id FROM orders a RIGHT JOIN orders b ON b.id = a.id + 1
SELECT c.id, o.id FROM customers c LEFT JOIN orders o ON o.customer_id = c.id
SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL
SELECT p.id, i.id FROM products p LEFT JOIN items i ON i.product_id = p.id
SELECT p.name, COUNT(i.id) FROM products p LEFT JOIN items i ON i.product_id = p.id GROUP BY p.name
SELECT COUNT(*) FROM orders CROSS JOIN customers
SELECT id, o.total, c.name FROM orders o JOIN customers c USING (id)
SELECT id, region, o.total, c.name FROM orders o JOIN customers c USING (id, region)
SELECT * FROM (SELECT id, region FROM orders) a NATURAL JOIN (SELECT id, name FROM customers) b
SELECT o.id FROM (orders o JOIN customers c ON o.customer_id = c.id)
SELECT o.id, i.id FROM orders o JOIN (items i JOIN products p ON i.product_id = p.id) ON i.order_id = o.id
SELECT o.id, i.quantity FROM orders o JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id
SELECT s.name, b.name FROM staff s LEFT JOIN staff b ON s.boss_id = b.id
-- sub-queries anywhere
SELECT id FROM products WHERE id IN (SELECT product_id FROM items)
SELECT id FROM products WHERE id NOT IN (SELECT product_id FROM items)
SELECT id FROM products p WHERE EXISTS (SELECT 1 FROM items i WHERE i.product_id = p.id)
SELECT id FROM products p WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.product_id = p.id)
SELECT c.id, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) FROM customers c
SELECT c.id, (SELECT MAX(o.total) FROM orders o WHERE o.region = c.region) FROM customers c
SELECT (SELECT COUNT(*) FROM orders), (SELECT COUNT(*) FROM customers)
SELECT id FROM orders WHERE total > (SELECT AVG(total) FROM orders)
SELECT id FROM orders WHERE total >= ALL (SELECT total FROM orders)
SELECT id FROM orders o WHERE total = (SELECT MAX(total) FROM orders x WHERE x.customer_id = o.customer_id)
SELECT id FROM products ORDER BY (SELECT COUNT(*) FROM orders), id
SELECT id FROM products p ORDER BY (SELECT COUNT(*) FROM items i WHERE i.product_id = p.id), id
SELECT region FROM orders GROUP BY region HAVING COUNT(*) > (SELECT COUNT(*) FROM staff) - 3
SELECT COUNT(*) FROM orders HAVING COUNT(*) > 5
SELECT CASE WHEN EXISTS (SELECT 1 FROM orders WHERE region = 'south') THEN 1 ELSE 0 END
SELECT CASE WHEN 3 IN (SELECT id FROM orders) THEN 1 ELSE 0 END
SELECT id, CASE WHEN id IN (SELECT customer_id FROM orders) THEN 1 ELSE 0 END FROM customers
SELECT COALESCE((SELECT note FROM orders WHERE id = 3), 'nothing')
SELECT x.n FROM (SELECT (SELECT COUNT(*) FROM orders) AS n) AS x
SELECT id FROM orders WHERE (SELECT COUNT(*) FROM (SELECT * FROM orders) y) > 3
-- WITH, and names that shadow
WITH x AS (SELECT * FROM orders) SELECT * FROM x
WITH x AS (SELECT * FROM orders), y AS (SELECT * FROM x) SELECT COUNT(*) FROM y
WITH products AS (SELECT id, region FROM orders) SELECT * FROM products
WITH orders AS (SELECT id, name FROM products) SELECT * FROM orders
WITH customers AS (SELECT * FROM orders) SELECT customers.region FROM customers
WITH a AS (WITH b AS (SELECT * FROM orders) SELECT * FROM b) SELECT * FROM a
WITH x AS (SELECT id FROM orders) SELECT * FROM orders JOIN x ON x.id = orders.id
SELECT * FROM (WITH orders AS (SELECT 1 AS id) SELECT * FROM orders) a JOIN orders b ON a.id <> b.id
WITH RECURSIVE t(n, r) AS (SELECT id, region FROM orders WHERE id < 3 UNION ALL SELECT n + 10, r FROM t WHERE n < 30) SELECT * FROM t
WITH RECURSIVE up(id, boss) AS (SELECT id, boss_id FROM staff WHERE id = 6 UNION ALL SELECT s.id, s.boss_id FROM staff s JOIN up ON s.id = up.boss) SELECT * FROM up
WITH x AS (SELECT COUNT(*) AS n FROM orders) SELECT n, p.id FROM x, products p
-- set operations
SELECT id FROM orders UNION SELECT id FROM customers
SELECT id FROM orders UNION ALL SELECT id FROM orders
SELECT region FROM orders UNION SELECT region FROM customers UNION SELECT name FROM products
SELECT id FROM products EXCEPT SELECT product_id FROM items
SELECT id FROM customers INTERSECT SELECT customer_id FROM orders
SELECT id, region FROM orders UNION ALL SELECT 3, 'south' ORDER BY 1, 2
(SELECT id FROM orders WHERE id < 4) UNION ALL (SELECT id FROM orders WHERE id > 3)
SELECT * FROM (SELECT id FROM orders UNION SELECT id FROM items) AS u
-- counts and aggregates
SELECT COUNT(*) FROM orders
SELECT COUNT(*), SUM(total), MIN(total), MAX(total), AVG(total) FROM orders
SELECT COUNT(DISTINCT region) FROM orders
SELECT region, COUNT(*) FROM orders GROUP BY region
SELECT COUNT(*) FROM orders WHERE region = 'south'
SELECT COUNT(*) - COUNT(note) FROM orders
SELECT MAX(id) FROM orders
SELECT MIN(id) FROM orders WHERE id > 2
SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM orders
SELECT COUNT(*) AS orders FROM orders ORDER BY orders
SELECT region, COUNT(*) AS orders FROM orders GROUP BY region ORDER BY orders DESC
SELECT c.name, COUNT(orders.id) AS orders FROM customers c JOIN orders ON orders.customer_id = c.id GROUP BY c.name ORDER BY orders DESC
SELECT id, SUM(total) OVER () FROM orders
SELECT id, LAG(id) OVER (ORDER BY id), LEAD(id) OVER (ORDER BY id) FROM orders
SELECT id, RANK() OVER (PARTITION BY region ORDER BY total, id) FROM orders
-- limits
SELECT id FROM orders ORDER BY total DESC, id LIMIT 1
SELECT id FROM orders ORDER BY id LIMIT 2 OFFSET 2
SELECT id FROM orders ORDER BY id LIMIT 1 OFFSET 3
SELECT * FROM (SELECT id FROM orders ORDER BY id LIMIT 3) AS x
-- views with a rule of their own, or declared open
SELECT * FROM ruled_orders
SELECT COUNT(*) FROM ruled_orders r JOIN orders o ON r.id = o.id
SELECT * FROM dear_products
-- hidden columns as names
SELECT 9 AS tenant, id FROM orders
SELECT x.tenant FROM (SELECT 1 AS tenant) AS x, orders
SELECT x.tenant, (SELECT COUNT(*) FROM orders) FROM (SELECT 2 AS tenant, 'south' AS region) AS x
SELECT (SELECT COUNT(*) FROM orders WHERE x.tenant = 2) FROM (SELECT 2 AS tenant) AS x
