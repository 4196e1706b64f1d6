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
SELECT id FROM orders ORDER BY orders
SELECT orders AS orders FROM orders ORDER BY orders
SELECT id AS o FROM orders AS o WHERE o IS NULL AND o.tenant = 1
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
SELECT arrayMap(z -> 'east' AS lower, [1]), id FROM orders
SELECT arrayMap((z -> 'east' AS lower), [1]), id FROM orders
SELECT arrayMap((z -> 'east') AS lower, [1]), id FROM orders
WITH z -> 'east' AS lower SELECT id FROM orders
WITH orders AS (SELECT 1 AS id) SELECT id FROM orders UNION ALL (WITH v AS (SELECT 2 AS id) SELECT id FROM orders)
SELECT id FROM orders PREWHERE tenant = 2
SELECT id, t FROM orders ARRAY JOIN [tenant] AS t
SELECT id FROM orders ORDER BY id LIMIT 1 BY tenant
SELECT id FROM orders ORDER BY id LIMIT 1 OFFSET 1 BY tenant
SELECT id FROM orders SAMPLE 1 / 10
SELECT id FROM orders SAMPLE 0.1 OFFSET 0.5
SELECT id FROM orders FINAL SAMPLE 0.5
WITH tenant AS t SELECT t FROM orders
SELECT dictGet('orders_dict', 'total', toUInt64(3))
SELECT dictGetOrDefault('orders_dict', 'total', toUInt64(3), 0)
SELECT * FROM dictionary('orders_dict')
SELECT joinGet('orders', 'total', 3)
SELECT * FROM merge('^orders')
SELECT * FROM cluster('default', shop.orders)
SELECT * FROM clusterAllReplicas('default', shop.orders)
SELECT * FROM view(SELECT * FROM orders)
SELECT * FROM loop(orders)
SELECT * FROM mergeTreeIndex(shop, orders)
SELECT id FROM products WHERE id GLOBAL IN orders
SELECT id FROM products WHERE (id, 1) IN orders
SELECT _table, _partition_id, _part_offset, _sample_factor FROM orders
SELECT * APPLY(toString) FROM orders
SELECT COLUMNS('ten') FROM orders
SELECT tuple(*) FROM orders
SELECT hasColumnInTable('shop', 'orders', 'tenant')
SELECT id FROM orders SETTINGS additional_table_filters = {'orders': '1'}
SELECT id FROM Orders
SELECT * FROM orders SAMPLE 0.5
SELECT * FROM system.parts
SELECT * FROM merge('shop', 'orders')
SELECT * FROM remote('localhost', shop.orders)
SELECT id FROM products WHERE id IN orders
SELECT _part FROM orders
-- snowflake
SELECT id FROM orders QUALIFY tenant = 2
SELECT o.id, f.value FROM orders AS o, LATERAL FLATTEN(INPUT => o.tenant) AS f
SELECT f.this FROM orders AS o, LATERAL FLATTEN(INPUT => OBJECT_CONSTRUCT(*)) AS f
SELECT OBJECT_CONSTRUCT(*) FROM orders
SELECT HASH_AGG(*) FROM orders
SELECT {*} FROM orders
SELECT {o.*} FROM orders AS o
SELECT * FROM orders PIVOT(SUM(total) FOR tenant IN (1, 2)) AS p
SELECT * FROM orders UNPIVOT(amount FOR name IN (total, tenant))
SELECT * FROM orders BEFORE (STATEMENT => '8e5d0ca9')
SELECT * FROM orders CHANGES (INFORMATION => DEFAULT) AT (OFFSET => -60)
SELECT * FROM orders SAMPLE BLOCK (3) SEED (1)
SELECT * FROM orders SAMPLE (10 ROWS)
SELECT * FROM orders o JOIN customers c SAMPLE (50) ON o.customer_id = c.id
SELECT $1 FROM @stage
SELECT $1 FROM orders
SELECT t.$1 FROM orders AS t
SELECT * FROM '@stage/x.csv'
SELECT * FROM TABLE(RESULT_SCAN('01b'))
SELECT * FROM TABLE('orders')
SELECT * FROM TABLE(orders)
SELECT * FROM TABLE($t)
SELECT * FROM IDENTIFIER('orders')
SELECT * FROM IDENTIFIER($t)
SELECT IDENTIFIER('tenant') FROM orders
SELECT * FROM orders MATCH_RECOGNIZE (ORDER BY id MEASURES FIRST(id) AS a PATTERN (s) DEFINE s AS total > 10)
SELECT c.id FROM customers c ASOF JOIN orders o MATCH_CONDITION (c.id >= o.tenant)
SELECT * ILIKE '%ten%' FROM orders
SELECT METADATA$ROW_ID FROM orders
SELECT id FROM orders ->> SELECT * FROM $1
SELECT * FROM DIRECTORY(@s)
SELECT * FROM SEMANTIC_VIEW(v METRICS a)
SELECT "id" FROM orders
SELECT id FROM "orders"
SELECT * FROM orders SAMPLE (10)
SELECT * FROM orders AT (OFFSET => -60)
SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
SELECT METADATA$FILENAME FROM orders
-- bigquery
SELECT * FROM `shop.orders_*` WHERE _TABLE_SUFFIX = '1'
SELECT id, _TABLE_SUFFIX FROM orders
SELECT id, x FROM orders CROSS JOIN UNNEST([tenant]) AS x
SELECT * FROM UNNEST((SELECT ARRAY_AGG(o) FROM orders AS o)) AS x
SELECT * FROM orders PIVOT(SUM(tenant) FOR region IN ('north', 'south'))
SELECT * FROM orders UNPIVOT(amount FOR name IN (total, tenant))
SELECT AS STRUCT * FROM orders
SELECT AS VALUE o FROM orders AS o
SELECT ARRAY(SELECT AS STRUCT * FROM orders)
SELECT ANY_VALUE(o) FROM orders AS o
SELECT STRUCT(o.*) FROM orders AS o
SELECT id FROM orders AS o WHERE o IS NOT NULL
SELECT id FROM orders WHERE SEARCH(orders, 'south')
SELECT * FROM TABLE(f(1))
SELECT * FROM EXTERNAL_QUERY('c', 'SELECT 1')
SELECT * FROM ML.PREDICT(MODEL `m`, TABLE orders)
SELECT * FROM VECTOR_SEARCH(TABLE orders, 'id', (SELECT 1))
SELECT * FROM APPENDS(TABLE orders, NULL, NULL)
SELECT * FROM CHANGES(TABLE orders, NULL, CURRENT_TIMESTAMP())
FROM orders |> WHERE tenant = 2
FROM orders |> AS o |> SELECT o
FROM orders |> TABLESAMPLE SYSTEM (10 PERCENT)
FROM orders |> EXTEND tenant AS t
FROM orders |> CALL f(1)
SELECT _PARTITIONDATE, _FILE_NAME, _CHANGE_TYPE FROM orders
SELECT id FROM orders@-3600000
SELECT * FROM GRAPH_TABLE(g MATCH (a) RETURN a.id)
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) COUNT(*) FROM orders
SELECT * FROM orders TABLESAMPLE SYSTEM (10 PERCENT)
SELECT * FROM `shop.__TABLES__`
SELECT * FROM orders FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()
SELECT * FROM `orders*`
SELECT _PARTITIONTIME FROM orders
SELECT TO_JSON_STRING(o) FROM orders AS o
-- oracle
SELECT id FROM orders MODEL DIMENSION BY (id) MEASURES (total) RULES (total[1] = 5)
SELECT id FROM staff START WITH tenant = 1 CONNECT BY PRIOR id = boss_id
SELECT * FROM orders AS OF TIMESTAMP SYSTIMESTAMP - INTERVAL '1' HOUR
SELECT * FROM orders VERSIONS BETWEEN SCN MINVALUE AND MAXVALUE
SELECT VERSIONS_XID FROM orders
SELECT * FROM orders PARTITION FOR (1)
SELECT * FROM orders SUBPARTITION (p0)
SELECT o.ROWID FROM orders o
SELECT id FROM orders WHERE ROWID = 'AAA'
SELECT * FROM TABLE(f(1))
SELECT * FROM TABLE(SYS.ODCINUMBERLIST(1, 2))
SELECT * FROM THE (SELECT id FROM orders)
SELECT CURSOR(SELECT * FROM orders) FROM dual
SELECT CAST(MULTISET(SELECT id FROM orders) AS t) FROM dual
SELECT o.id FROM orders o, customers c WHERE o.customer_id (+) = c.id AND o.tenant (+) = 2
SELECT * FROM orders SAMPLE BLOCK (10) SEED (1)
SELECT * FROM orders@link
SELECT VALUE(o) FROM orders o
SELECT REF(o) FROM orders o
SELECT JSON_OBJECT(*) FROM orders
SELECT DBMS_XMLGEN.GETXML('SELECT * FROM orders') FROM dual
SELECT * FROM XMLTABLE('fn:collection("oradb:/X/ORDERS")')
SELECT * FROM orders PIVOT (SUM(total) FOR tenant IN (1, 2))
SELECT * FROM orders UNPIVOT (amount FOR name IN (total, tenant))
SELECT * FROM orders MATCH_RECOGNIZE (ORDER BY id MEASURES FIRST(id) AS a PATTERN (s) DEFINE s AS total > 10)
SELECT * FROM CONTAINERS(orders)
SELECT * FROM SHARDS(orders)
SELECT id FROM ONLY (orders)
WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual
WITH marks (order_id) AS (SELECT 1 FROM dual) SELECT * FROM items
SELECT "id" FROM orders
SELECT * FROM orders SAMPLE (10)
SELECT * FROM orders AS OF SCN 1
SELECT ROWID FROM orders
SELECT ora_rowscn FROM orders
SELECT num_rows FROM all_tables
SELECT * FROM orders PARTITION (p0)
