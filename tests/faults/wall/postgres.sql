-- Hostile statements, one a line, run with the guard taken away. {canary} is a file, {target} a path to write to.
INSERT INTO orders VALUES (9001, 1, 1, 'x')
UPDATE orders SET total = 0
DELETE FROM orders
TRUNCATE orders
MERGE INTO orders o USING customers c ON o.id = c.id WHEN MATCHED THEN DELETE
WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone
WITH made AS (INSERT INTO orders VALUES (9002, 1, 1, 'x') RETURNING id) SELECT id FROM made
SELECT * INTO loot FROM orders
CREATE TABLE loot (a int)
CREATE TEMP TABLE loot (a int)
CREATE TEMP VIEW customers AS SELECT 1 AS id
CREATE TABLE loot AS SELECT 1 AS a
DROP TABLE orders CASCADE
DROP SCHEMA public CASCADE
ALTER TABLE orders ADD COLUMN pwn int
CREATE INDEX pwn ON orders (total)
CREATE EXTENSION IF NOT EXISTS postgres_fdw
CREATE ROLE eve SUPERUSER
ALTER ROLE CURRENT_USER SUPERUSER
ALTER ROLE CURRENT_USER SET statement_timeout = 0
GRANT ALL ON orders TO PUBLIC
COMMENT ON TABLE orders IS 'pwn'
REFRESH MATERIALIZED VIEW sales
VACUUM FULL
ANALYZE
REINDEX TABLE orders
CHECKPOINT
ALTER SYSTEM SET log_statement = 'all'
SELECT 1; DROP TABLE orders
COMMIT; DROP TABLE orders; BEGIN
COMMIT
ROLLBACK
END; DELETE FROM orders
BEGIN READ WRITE
SET TRANSACTION READ WRITE
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
SET LOCAL transaction_read_only = off
SELECT set_config('transaction_read_only', 'off', false)
SELECT set_config('default_transaction_read_only', 'off', false)
SELECT set_config('statement_timeout', '0', false), count(*) FROM generate_series(1, 100000000000) i
SET statement_timeout = 0
SET search_path = private, public
SELECT set_config('search_path', 'private', false)
SET standard_conforming_strings = off
SET ROLE postgres
SET SESSION AUTHORIZATION postgres
RESET ALL
DISCARD ALL
SELECT setseed(0.5)
PREPARE pwn AS SELECT 1
DECLARE pwn CURSOR WITH HOLD FOR SELECT * FROM orders
LISTEN pwn
NOTIFY pwn, 'x'
SELECT pg_notify('pwn', 'x')
LOCK TABLE orders IN ACCESS EXCLUSIVE MODE
SELECT id FROM orders FOR UPDATE
SELECT pg_advisory_lock(42)
SELECT pg_try_advisory_lock_shared(42)
SELECT pg_advisory_xact_lock(1, 2)
SELECT pg_sleep(60)
SELECT count(*) FROM generate_series(1, 1000000000000) a
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t
SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders f, generate_series(1, 1000000) g
SELECT nextval('order_seq')
SELECT setval('order_seq', 99)
SELECT txid_current()
SELECT pg_export_snapshot()
SELECT pg_logical_emit_message(false, 'pwn', 'x')
SELECT pg_switch_wal()
SELECT pg_reload_conf()
SELECT pg_rotate_logfile()
SELECT pg_stat_reset()
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = current_user
SELECT lo_create(4242)
SELECT lo_from_bytea(0, 'pwn')
SELECT lo_import('{canary}')
SELECT lo_export(1, '{target}')
SELECT pg_read_file('{canary}')
SELECT * FROM pg_ls_dir('/')
SELECT pg_stat_file('{canary}')
SELECT * FROM ROWS FROM (pg_read_binary_file('{canary}')) AS f(a)
COPY (SELECT 1) TO '{target}'
COPY orders FROM '{canary}'
COPY (SELECT 1) TO PROGRAM 'touch {target}'
COPY orders TO STDOUT
DO $$ BEGIN DELETE FROM orders; END $$
CALL wipe()
SELECT purge_orders()
SELECT get_secret(1)
SELECT query_to_xml('DELETE FROM orders', true, true, '')
SELECT query_to_xml('SELECT * FROM secrets', true, true, '')
SELECT schema_to_xml('public', true, true, '')
SELECT * FROM ts_stat('SELECT to_tsvector(secret_value) FROM secrets')
SELECT * FROM dblink('host=127.0.0.1 user=postgres', 'SELECT 1') AS t(a int)
SELECT dblink_connect('pwn', 'host=127.0.0.1')
SELECT * FROM crosstab('SELECT 1, 2, 3') AS t(a int, b int, c int)
LOAD '{canary}'
EXPLAIN ANALYZE DELETE FROM orders
SELECT * FROM secrets
TABLE secrets
SELECT * FROM v_secrets
SELECT ssn FROM customers
SELECT c FROM customers c
SELECT id FROM customers ORDER BY ssn
SELECT * FROM private.payments
SELECT passwd FROM pg_shadow
SELECT (SELECT secret_value FROM secrets) FROM orders
