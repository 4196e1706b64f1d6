-- Hostile statements, one a line, run with the guard taken away. {canary} is a file, {target} a path to write to.
INSERT INTO orders VALUES (9001, 1, 1, 'x')
UPDATE orders SET total = 0
DELETE FROM orders
TRUNCATE orders
DROP TABLE orders
ALTER TABLE orders ADD COLUMN pwn INT
CREATE TABLE loot (a INT)
CREATE TEMP TABLE loot (a INT)
CREATE TEMP TABLE customers AS SELECT 1 AS id
CREATE TEMP VIEW orders AS SELECT 1 AS id
CREATE TEMP MACRO upper(a) AS 'pwn'
CREATE SEQUENCE pwn
CREATE TYPE pwn AS ENUM ('a')
CHECKPOINT
FORCE CHECKPOINT
VACUUM
ANALYZE
SELECT * FROM read_csv('{canary}')
SELECT * FROM read_text('{canary}')
SELECT content FROM read_blob('{canary}')
SELECT * FROM '{canary}'
SELECT * FROM glob('/etc/*')
SELECT * FROM sniff_csv('{canary}')
SELECT * FROM parquet_metadata('{canary}')
COPY orders TO '{target}'
COPY (SELECT 1) TO '{target}' (FORMAT parquet)
COPY orders FROM '{canary}'
EXPORT DATABASE '{target}'
IMPORT DATABASE '{target}'
ATTACH '{target}' AS pwn
ATTACH ':memory:' AS pwn
DETACH shop
USE memory
INSTALL json
LOAD '{canary}'
SET enable_external_access = true
SET lock_configuration = false
SET memory_limit = '900GB'
SET threads = 64
SET search_path = 'private'
SET VARIABLE pwn = 1
RESET threads
PRAGMA enable_profiling = 'json'
PRAGMA database_list
PREPARE pwn AS DELETE FROM orders
EXECUTE pwn
BEGIN
COMMIT
SELECT 1; DELETE FROM orders
SELECT count(*) FROM range(100000000) a, range(100000000) b
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t
SELECT nextval('pwn')
CALL pragma_version()
EXPLAIN ANALYZE DELETE FROM orders
SELECT write_log('pwn')
SELECT getenv('HOME')
