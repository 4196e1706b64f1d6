-- What no table with row rules may be asked, by dialect.
-- sqlite duckdb postgres mysql clickhouse snowflake bigquery oracle
SELECT tenant FROM orders
SELECT id FROM orders WHERE tenant = 2
SELECT orders.tenant FROM orders
SELECT id FROM orders ORDER BY tenant
SELECT id FROM every_order
SELECT id FROM orders WHERE id IN (SELECT id FROM every_order)
SELECT text2sql_base.id FROM orders AS text2sql_base
SELECT TEXT2SQL_BASE.id FROM orders AS TEXT2SQL_BASE
SELECT x.text2sql_base FROM (SELECT 1 AS text2sql_base) AS x, orders
WITH text2sql_base AS (SELECT 1 AS id) SELECT * FROM text2sql_base
WITH marks AS (SELECT 1 AS order_id) SELECT * FROM items
SELECT * FROM (WITH Marks AS (SELECT 1 AS order_id) SELECT * FROM items) AS x
SELECT o FROM orders AS o
SELECT marks.order_id FROM marks
SELECT * FROM information_schema.tables
SELECT id FROM orders FOR UPDATE
-- sqlite
SELECT rowid FROM orders
SELECT _rowid_ FROM orders o
SELECT id FROM products WHERE 1 IN orders
SELECT * FROM sqlite_stat1
SELECT * FROM dbstat
SELECT * FROM pragma_table_info('orders')
-- duckdb
SUMMARIZE orders
PIVOT orders ON region USING SUM(total) GROUP BY customer_id
DESCRIBE orders
SUMMARIZE SELECT * FROM orders
SELECT * FROM orders TABLESAMPLE 50%
SELECT * FROM query('SELECT * FROM orders')
SELECT * FROM query_table('orders')
SELECT rowid FROM orders
SELECT * FROM duckdb_tables()
SELECT * FROM pragma_storage_info('orders')
SELECT COLUMNS(*) FROM orders
SELECT orders FROM orders
SELECT STRUCT_PACK(*COLUMNS(*)) FROM orders
-- postgres
SELECT * FROM orders TABLESAMPLE SYSTEM (50)
SELECT * FROM orders TABLESAMPLE BERNOULLI (50) REPEATABLE (1)
SELECT * FROM pg_stats
SELECT * FROM pg_catalog.pg_stats
SELECT * FROM pg_statistic
SELECT n_live_tup FROM pg_stat_user_tables
SELECT reltuples FROM pg_class
SELECT ctid FROM orders
SELECT tableoid FROM orders
SELECT xmin FROM orders
SELECT * FROM orders o(a, b)
SELECT orders FROM orders
SELECT ROW_TO_JSON(orders) FROM orders
SELECT (orders).id FROM orders
SELECT orders.* IS NULL FROM orders
SELECT COUNT(orders) FROM orders
SELECT COUNT(orders.*) FROM orders
SELECT query_to_xml('SELECT * FROM orders', TRUE, TRUE, '')
SELECT table_to_xml('orders', TRUE, TRUE, '')
SELECT pg_relation_size('orders')
SELECT * FROM orders, LATERAL pg_stat_get_live_tuples(1)
-- mysql
SELECT * FROM mysql.innodb_table_stats
SELECT * FROM performance_schema.table_io_waits_summary_by_table
TABLE information_schema.tables
SELECT * FROM orders PARTITION (p0)
SELECT id FROM orders PROCEDURE ANALYSE()
SELECT id FROM orders LOCK IN SHARE MODE
-- clickhouse
SELECT * FROM orders SAMPLE 0.5
SELECT * FROM system.parts
SELECT * FROM merge('shop', 'orders')
SELECT * FROM remote('localhost', shop.orders)
SELECT id FROM products WHERE id IN orders
SELECT _part FROM orders
-- snowflake
SELECT * FROM orders SAMPLE (10)
SELECT * FROM orders AT (OFFSET => -60)
SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
SELECT METADATA$FILENAME FROM orders
-- bigquery
SELECT * FROM orders TABLESAMPLE SYSTEM (10 PERCENT)
SELECT * FROM `shop.__TABLES__`
SELECT * FROM orders FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()
SELECT * FROM `orders*`
SELECT _PARTITIONTIME FROM orders
SELECT TO_JSON_STRING(o) FROM orders AS o
-- oracle
SELECT * FROM orders SAMPLE (10)
SELECT * FROM orders AS OF SCN 1
SELECT ROWID FROM orders
SELECT ora_rowscn FROM orders
SELECT num_rows FROM all_tables
SELECT * FROM orders PARTITION (p0)
