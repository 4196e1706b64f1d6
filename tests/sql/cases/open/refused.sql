-- Without a policy any table may be read, and still none of this. A comment names the dialect.

-- postgres
SELECT * FROM pg_catalog.pg_authid
SELECT * FROM pg_shadow
SELECT * FROM information_schema.tables
SELECT pg_read_file('/etc/passwd')
SELECT * FROM dblink('host=x', 'SELECT 1') AS t(a int)
SELECT 1; DROP TABLE t
DELETE FROM t
SELECT * INTO x FROM t
SELECT 'x'::regclass

-- sqlite
SELECT * FROM sqlite_master
SELECT 1 WHERE 1 IN sqlite_master
SELECT * FROM pragma_table_info('t')
PRAGMA table_info(t)

-- duckdb
SELECT * FROM 'people.csv'
SELECT * FROM "people.parquet"
SELECT * FROM read_csv_auto('x.csv')
SELECT * FROM duckdb_settings()
COPY t TO 'x.csv'

-- mysql
SELECT * FROM mysql.user
SELECT * FROM t INTO OUTFILE '/tmp/x'
SELECT * FROM seq_1_to_1000000000
SELECT @@datadir

-- clickhouse
SELECT * FROM system.users
SELECT 1 WHERE 1 IN system.users
SELECT * FROM remote('h', 'd', 't')

-- snowflake
SELECT * FROM @stage
SELECT 1 ->> DELETE FROM T

-- bigquery
SELECT * FROM `d.INFORMATION_SCHEMA.TABLES`
SELECT * FROM `d.events_*`

-- oracle
SELECT * FROM all_users
SELECT * FROM t@link

-- duckdb
SELECT * FROM x.csv
SELECT * FROM "/tmp/x".parquet

-- oracle
SELECT * FROM tab
SELECT * FROM nls_session_parameters

-- mysql
SELECT * FROM `İNFORMATION_SCHEMA`.`tables`

-- snowflake
SELECT current_schema

-- clickhouse
SELECT arrayMap(file, ['/etc/passwd'])
SELECT arrayMap((file AS z), ['/etc/passwd'])

-- sqlite
SELECT $x
SELECT value FROM generate_series WHERE start = 1 AND stop = 999999999999

-- postgres
SELECT * FROM current_user

-- oracle
SELECT utl_inaddr.get_host_name FROM dual
SELECT sys.utl_inaddr.get_host_name FROM orders
SELECT purge_orders FROM dual
SELECT ora_invoking_user FROM dual
SELECT * FROM recyclebin
SELECT * FROM dict_columns
SELECT * FROM unified_audit_trail
SELECT * FROM plan_table
SELECT * FROM tabs

-- postgres
SELECT g.pg_sleep FROM generate_series(1, 1) AS g
SELECT x.pg_read_file FROM unnest(ARRAY['/etc/passwd']) AS x
SELECT ('/etc/passwd'::text).pg_read_file
SELECT jsonb_array_elements_text.pg_read_file FROM jsonb_array_elements_text('["/etc/passwd"]')
