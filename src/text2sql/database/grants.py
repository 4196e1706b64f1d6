"""Generates the SQL with which an administrator creates the least privileged account that a policy needs.

The guard is the first line of defense, the account is the second: it can read the policy's columns and do
nothing else that its engine can forbid. docs/security.md lists what no engine can forbid.
"""

from collections.abc import Iterator
from string import Template

from text2sql.database.dialects import BY_NAME
from text2sql.errors import UsageError
from text2sql.types import Policy

PASSWORD = "CHANGE-ME"  # noqa: S105 a placeholder; a real password is never printed
_identifier, _backticked = BY_NAME["postgres"].quoted, BY_NAME["mysql"].quoted
_CONNECTIONS = 40  # a full pool (20 + 10) and the extra connections that cancelling needs

_POSTGRES = Template("""\
-- PostgreSQL: the account $account, which can read what the policy names and nothing else.
-- Run it as a superuser, in the database that will be asked, after putting a password for $password.
CREATE ROLE $role LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS
    CONNECTION LIMIT $connections PASSWORD '$password';
ALTER ROLE $role SET default_transaction_read_only = on;
ALTER ROLE $role SET statement_timeout = '60s';
ALTER ROLE $role SET lock_timeout = '10s';
ALTER ROLE $role SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE $role SET temp_file_limit = '1GB';

-- What everybody may do would be the account's too, so it is taken from PUBLIC and given to a group of all
-- other accounts: they lose nothing. An account made later joins with GRANT $others TO its_name;
CREATE ROLE $others NOLOGIN;
DO $$do$$
DECLARE entry record;
BEGIN
    FOR entry IN SELECT rolname FROM pg_roles r
        WHERE NOT rolsuper AND rolname !~ '^pg_' AND rolname NOT IN ($name, $others_name)
          -- nor another account that was made so, for another role of the policy
          AND NOT EXISTS (SELECT FROM pg_roles g WHERE g.rolname = r.rolname || '_others')
    LOOP
        EXECUTE format('GRANT %I TO %I', $others_name, entry.rolname);
    END LOOP;

    -- Temporary tables, new schemas, and new objects in public (which PostgreSQL 14 and older lets all make).
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), $others_name);
    EXECUTE format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), $name);
    FOR entry IN SELECT nspname FROM pg_namespace
        WHERE nspname !~ '^pg_' AND has_schema_privilege('public', oid, 'CREATE')
    LOOP
        EXECUTE format('GRANT CREATE ON SCHEMA %I TO %I', entry.nspname, $others_name);
        EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', entry.nspname);
    END LOOP;

    -- Functions that sleep, lock, signal, change settings, write to the log or to large objects, read files,
    -- or run SQL that is a string; functions that act with their owner's rights or in an unsafe language;
    -- and the extensions that reach out of the database.
    FOR entry IN
        SELECT p.oid::regprocedure AS call FROM pg_proc p
        JOIN pg_namespace n ON n.oid = p.pronamespace
        JOIN pg_language l ON l.oid = p.prolang
        LEFT JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
        LEFT JOIN pg_extension e ON e.oid = d.refobjid
        WHERE has_function_privilege('public', p.oid, 'EXECUTE')
          AND (n.nspname = 'pg_catalog' AND p.proname ~ $functions
               OR e.extname ~ $extensions
               OR n.nspname NOT IN ('pg_catalog', 'information_schema')
                  AND (p.prosecdef OR e.oid IS NULL AND NOT l.lanpltrusted AND l.lanname <> 'sql'))
    LOOP
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %I', entry.call, $others_name);
        EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', entry.call);
    END LOOP;
END
$$do$$;

-- What may be read.
""")
# Harmful functions of pg_catalog: measured, see docs/security.md.
_FUNCTIONS = "|".join(
    (
        "pg_sleep.*",
        "pg_(try_)?advisory.*",
        "pg_notify",
        "pg_logical_emit_message",
        "pg_(cancel|terminate)_backend",
        "pg_export_snapshot",
        "pg_current_xact_id",
        "txid_current",
        "set_config",
        "setseed",
        "lo_.*|loread|lowrite",
        "(query|cursor|table|schema|database)_to_xml.*",
        "ts_stat|ts_rewrite",
        "pg_(read|ls|file)_.*|pg_stat_file",
    )
)
_EXTENSIONS = (
    "dblink|adminpack|lo|xml2|tablefunc|pageinspect|pg_prewarm|pgstattuple|pg_buffercache|pg_visibility|"
    "amcheck|file_fdw|postgres_fdw|pgrowlocks|pg_freespacemap|old_snapshot|pg_walinspect"
)

_MYSQL = Template("""\
-- MySQL and MariaDB: the account $account, which can read what the policy names and nothing else.
-- Run it as an administrator, after putting a password for $password. The server should also have
-- local_infile = 0 and secure_file_priv = NULL (or a directory that nobody needs).
CREATE USER $role IDENTIFIED BY '$password'
    WITH MAX_USER_CONNECTIONS $connections /*M! MAX_STATEMENT_TIME 60 */;

-- What may be read.
""")

_NO_ACCOUNTS = """\
-- {product} has no accounts: whoever can read the file can read all of it. text2sql opens it read-only and
-- holds the policy in the guard alone; give it a copy without the tables that nobody may see.
"""


def grants(policy: Policy, dialect: str, account: str) -> str:
    """Return the SQL to run. `account` is a name; for MySQL also `name@host`."""
    if not account.isprintable() or not account or "$do$" in account:
        raise UsageError("usage.account", account=repr(account))
    if dialect == "postgres":
        return _postgres(policy, account)
    if dialect == "mysql":
        return _mysql(policy, account)
    if dialect in ("sqlite", "duckdb"):
        return _NO_ACCOUNTS.format(product={"sqlite": "SQLite", "duckdb": "DuckDB"}[dialect])
    raise UsageError("usage.grants", dialect=dialect)


def _postgres(policy: Policy, account: str) -> str:
    role = _identifier(account)
    text = _POSTGRES.substitute(
        account=account,
        role=role,
        name=_literal(account),
        others=_identifier(f"{account}_others"),
        others_name=_literal(f"{account}_others"),
        functions=_literal(f"^({_FUNCTIONS})$"),
        extensions=_literal(f"^({_EXTENSIONS})$"),
        password=PASSWORD,
        connections=_CONNECTIONS,
    )
    tables = list(_tables(policy, "postgres", "public"))
    schemas = dict.fromkeys(schema for schema, _, _ in tables)
    lines = [f"GRANT USAGE ON SCHEMA {_identifier(schema)} TO {role};" for schema in schemas]
    for schema, table, columns in tables:
        named = ", ".join(map(_identifier, columns))
        lines.append(f"GRANT SELECT ({named}) ON {_identifier(table, schema)} TO {role};")
    return text + "\n".join(lines) + "\n"


def _mysql(policy: Policy, account: str) -> str:
    name, _, host = account.rpartition("@") if "@" in account else (account, "", "%")
    role = f"{_mysql_literal(name)}@{_mysql_literal(host)}"
    text = _MYSQL.substitute(account=account, role=role, password=PASSWORD, connections=_CONNECTIONS)
    lines = []
    for schema, table, columns in _tables(policy, "mysql", ""):
        table_name = _backticked(table, schema)
        lines.append(f"GRANT SELECT ({', '.join(map(_backticked, columns))}) ON {table_name} TO {role};")
    return text + "\n".join(lines) + "\n"


def _tables(policy: Policy, dialect: str, default: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    default_schema = policy.default_schema.get(dialect, default)
    for name, columns in policy.tables.items():
        schema, dot, table = name.partition(".")
        if columns:
            yield (schema, table, tuple(columns)) if dot else (default_schema, name, tuple(columns))


def _literal(text: str) -> str:
    """Quote as E'…', which means the same whatever standard_conforming_strings is."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _mysql_literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
