-- Writes that every dialect refuses under ../../../policy.json. A comment names the rule that refuses what follows.

-- not_a_write
SELECT 1
DROP TABLE orders
CREATE TABLE made (a INTEGER)
CREATE TABLE made AS SELECT * FROM orders
ALTER TABLE orders ADD COLUMN x INTEGER
TRUNCATE TABLE orders
MERGE INTO orders USING customers ON orders.id = customers.id WHEN MATCHED THEN DELETE
GRANT SELECT ON orders TO somebody
BEGIN
COMMIT
(SELECT 1)
EXPLAIN DELETE FROM orders WHERE id = 1
WITH gone AS (DELETE FROM orders WHERE id = 1 RETURNING id) SELECT 1

-- one_statement
DELETE FROM orders WHERE id = 1; DELETE FROM orders WHERE id = 2
UPDATE orders SET total = 1 WHERE id = 1; DROP TABLE orders

-- no_where
UPDATE orders SET total = 0
DELETE FROM orders
DELETE FROM orders WHERE 1 = 1
DELETE FROM orders WHERE TRUE
UPDATE orders SET total = total + 1 WHERE 'a' = 'a' OR 2 > 1
DELETE FROM orders -- WHERE id = 1

-- write_clause
DELETE FROM orders WHERE id = 1 RETURNING *
INSERT INTO orders (id) VALUES (1) RETURNING id
UPDATE orders SET total = 1 WHERE id = 1 RETURNING (SELECT ssn FROM customers)
INSERT INTO orders (id) VALUES (1) ON CONFLICT DO NOTHING
INSERT INTO orders (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET total = 1
UPDATE orders SET total = 1 FROM customers WHERE orders.customer_id = customers.id
DELETE FROM orders WHERE id = 1 LIMIT 1
UPDATE orders SET total = 1 WHERE id = 1 ORDER BY id LIMIT 1
INSERT INTO orders DEFAULT VALUES
UPDATE orders JOIN customers ON customers.id = orders.customer_id SET total = 1 WHERE orders.id = 1
UPDATE orders, customers SET total = 1 WHERE orders.id = 1
INSERT INTO orders (id) VALUES (DEFAULT)
INSERT INTO orders AS o (id) VALUES (1)

-- table
DELETE FROM secrets WHERE id = 1
UPDATE other.orders SET total = 1 WHERE id = 1
INSERT INTO nowhere (id) VALUES (1)
INSERT INTO orders (id) SELECT id FROM secrets
DELETE FROM orders WHERE id IN (SELECT id FROM secrets)
UPDATE orders SET total = (SELECT MAX(id) FROM secrets) WHERE id = 1

-- write_target
UPDATE order_totals SET total = 1 WHERE id = 1
INSERT INTO order_totals (id) VALUES (1)
DELETE FROM gone WHERE id = 1

-- write_column
INSERT INTO customers (id, ssn) VALUES (1, 'x')
INSERT INTO customers VALUES (1, 'a', 'b', 'c', 'd', 'e', NULL, NULL)
UPDATE customers SET ssn = 'x' WHERE id = 1
UPDATE customers SET nothing = 'x' WHERE id = 1
UPDATE orders SET total = 1, total = 2 WHERE id = 1
INSERT INTO orders (id, id) VALUES (1, 2)
UPDATE orders SET customers.name = 'x' WHERE id = 1

-- column
UPDATE customers SET name = ssn WHERE id = 1
UPDATE customers SET name = 'x' WHERE ssn = '1'
DELETE FROM customers WHERE password_hash LIKE 'a%'
INSERT INTO orders (notes) SELECT ssn FROM customers
UPDATE orders SET notes = (SELECT ssn FROM customers WHERE customers.id = orders.customer_id) WHERE id = 1
INSERT INTO orders (id, total) VALUES (1, id)
DELETE FROM orders WHERE id IN (SELECT customers.ssn FROM customers)

-- set_shape
INSERT INTO orders (id, total) VALUES (1)
INSERT INTO orders (id) VALUES (1), (2, 3)
INSERT INTO orders (id) SELECT id, total FROM orders
INSERT INTO orders (id) SELECT * FROM order_items

-- function
UPDATE orders SET notes = LOAD_EXTENSION('x') WHERE id = 1
DELETE FROM orders WHERE SLEEP(10) = 0 AND id = 1
INSERT INTO orders (notes) VALUES (LOAD_FILE('/etc/passwd'))
UPDATE orders SET notes = PG_READ_FILE('/etc/passwd') WHERE id = 1
DELETE FROM orders WHERE id = NEXTVAL('s')

-- construct
UPDATE orders SET (total, status) = (1, 'x') WHERE id = 1

-- hidden_character
DELETE FROM orders WHERE id = 1​

-- column
UPDATE customers SET name = (SELECT a FROM (SELECT ssn AS a, 1 AS ssn FROM (SELECT 1 AS k) y) z) WHERE id = 1
UPDATE customers SET name = (SELECT 'y' AS ssn FROM (SELECT 1 AS k) q WHERE ssn > '5') WHERE id = 1
UPDATE employees SET title = UPPER(salary -> '$') WHERE id = 2

-- duplicate_name
UPDATE customers SET name = (SELECT customers.name FROM (SELECT 'x' AS name) AS customers) WHERE id = 1
