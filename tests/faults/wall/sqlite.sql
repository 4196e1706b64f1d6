-- Hostile statements, one a line, run with the guard taken away. {canary} is a file, {target} a path to write to.
INSERT INTO orders VALUES (9001, 1, 1, 'x')
UPDATE orders SET total = 0
DELETE FROM orders
REPLACE INTO orders VALUES (1, 1, 1, 'x')
WITH x(a) AS (SELECT 1) DELETE FROM orders WHERE id IN (SELECT a FROM x)
DROP TABLE orders
ALTER TABLE orders ADD COLUMN pwn
CREATE TABLE loot (a)
CREATE TEMP TABLE loot (a)
CREATE TEMP TABLE customers AS SELECT 1 AS id
CREATE TEMP VIEW orders AS SELECT 1 AS id
CREATE TEMP TRIGGER pwn AFTER INSERT ON orders BEGIN SELECT 1; END
CREATE VIRTUAL TABLE temp.pwn USING fts5(a)
ANALYZE
VACUUM
VACUUM INTO '{target}'
REINDEX
ATTACH '{target}' AS pwn
ATTACH ':memory:' AS pwn
DETACH main
PRAGMA query_only = 0
PRAGMA writable_schema = 1
PRAGMA journal_mode = DELETE
PRAGMA user_version = 7
PRAGMA case_sensitive_like = 1
PRAGMA temp_store_directory = '{target}'
PRAGMA trusted_schema = 1
PRAGMA wal_checkpoint
PRAGMA optimize
SELECT load_extension('{canary}')
SELECT readfile('{canary}')
SELECT writefile('{target}', 'x')
SELECT fts3_tokenizer('x', x'00')
BEGIN
COMMIT
SAVEPOINT pwn
SELECT 1; DELETE FROM orders
BEGIN IMMEDIATE
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t WHERE n < 0
EXPLAIN DELETE FROM orders
