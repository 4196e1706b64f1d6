-- Writes that one dialect refuses. A comment names the dialect and the rule that refuses what follows.

-- sqlite write_clause
INSERT OR REPLACE INTO orders (id) VALUES (1)
INSERT OR IGNORE INTO orders (id) VALUES (1)
UPDATE orders INDEXED BY i SET total = 1 WHERE id = 1

-- sqlite construct
UPDATE customers SET name = 'customers'.ssn WHERE id = 1
UPDATE customers SET name = 'main'.customers.ssn WHERE id = 1
UPDATE customers AS c SET name = (SELECT 'c'.'ssn') WHERE c.id = 1
DELETE FROM customers WHERE id > 0 AND 'customers'.ssn = 'x'

-- sqlite bounds
UPDATE orders SET notes = printf('%1000000000d', 1) WHERE id = 1

-- sqlite unreadable
UPDATE OR REPLACE orders SET total = 1 WHERE id = 1

-- sqlite not_a_write
REPLACE INTO orders (id) VALUES (1)
ATTACH 'x' AS y
PRAGMA user_version = 1
VACUUM INTO 'x'

-- sqlite write_target
WITH orders AS (SELECT 1 AS id) DELETE FROM orders WHERE id = 1

-- sqlite table
UPDATE sqlite_master SET sql = 'x' WHERE name = 'orders'
DELETE FROM sqlite_sequence WHERE name = 'orders'
INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')

-- sqlite write_column
UPDATE orders SET rowid = 7 WHERE id = 1

-- sqlite construct
WITH gone AS (DELETE FROM orders WHERE id = 1 RETURNING id) INSERT INTO orders (id) SELECT id FROM gone

-- duckdb write_clause
INSERT OR REPLACE INTO orders (id) VALUES (1)
INSERT INTO orders BY NAME SELECT 1 AS id
DELETE FROM orders USING customers WHERE orders.customer_id = customers.id

-- duckdb not_a_write
COPY orders FROM 'x.csv'
SET memory_limit = '1GB'

-- duckdb table_function
INSERT INTO orders (notes) SELECT content FROM read_text('/etc/passwd')

-- duckdb table
DELETE FROM duckdb_tables WHERE id = 1

-- postgres write_clause
DELETE FROM orders USING customers WHERE orders.customer_id = customers.id
UPDATE ONLY orders SET total = 1 WHERE id = 1
DELETE FROM ONLY orders WHERE id = 1

-- postgres unreadable
DELETE FROM orders WHERE CURRENT OF c
INSERT INTO orders (id) OVERRIDING SYSTEM VALUE VALUES (1)

-- postgres construct
WITH gone AS (DELETE FROM orders WHERE id = 1 RETURNING id) INSERT INTO orders (id) SELECT id FROM gone
WITH made AS (INSERT INTO orders (id) VALUES (1) RETURNING id) DELETE FROM orders WHERE id = 2
UPDATE products SET attributes[1] = 1 WHERE id = 1

-- postgres column
UPDATE orders SET total = DEFAULT WHERE id = 1
DELETE FROM customers WHERE customers IS NOT NULL
DELETE FROM orders WHERE ctid = '(0,1)'

-- postgres bounds
UPDATE orders SET notes = REPEAT('x', 1000000000) WHERE id = 1
INSERT INTO orders (id) SELECT g FROM generate_series(1, 100000000) AS g

-- postgres clause
DELETE FROM orders WHERE id IN (SELECT id FROM orders FOR UPDATE)

-- postgres table
DELETE FROM pg_catalog.pg_class WHERE relname = 'x'
DELETE FROM information_schema.tables WHERE table_name = 'x'

-- postgres write_target
WITH orders AS (SELECT 1 AS id) DELETE FROM orders WHERE id = 1

-- mysql write_clause
INSERT IGNORE INTO orders (id) VALUES (1)
INSERT INTO orders (id) VALUES (1) ON DUPLICATE KEY UPDATE total = 1
DELETE orders FROM orders JOIN customers ON customers.id = orders.customer_id WHERE orders.id = 1
DELETE QUICK FROM orders WHERE id = 1
INSERT INTO orders PARTITION (p0) (id) VALUES (1)
WITH new AS (SELECT id FROM customers) DELETE FROM orders WHERE id IN (SELECT id FROM new)

-- mysql bounds
UPDATE orders SET notes = REPEAT('x', 1000000000) WHERE id = 1

-- mysql unreadable
LOAD DATA INFILE '/etc/passwd' INTO TABLE orders
HANDLER orders OPEN
UPDATE IGNORE orders SET total = 1 WHERE id = 1
INSERT DELAYED INTO orders (id) VALUES (1)
UPDATE orders SET total := 1 WHERE id = 1

-- mysql not_a_write
REPLACE INTO orders (id) VALUES (1)

-- mysql executable_comment
DELETE FROM orders WHERE id = 1 /*!50000 OR 1 = 1 */

-- mysql two_readings
UPDATE orders SET notes = '\' WHERE id = 1 -- ' WHERE id = 2

-- mysql table
DELETE FROM mysql.user WHERE user = 'root'
