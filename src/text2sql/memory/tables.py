"""SQL of this package's own tables, for what LangGraph's store lacks: claims that exactly one caller wins,
lifetimes, metrics that are aggregated, and an append-only audit log. The same SQL runs on SQLite and
PostgreSQL; `?` is a parameter.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

Cell: TypeAlias = str | int | float | None

# Migrations, one tuple of statements per version, never changed: a file of version n runs the later ones.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE text2sql_claims"
        " (key TEXT PRIMARY KEY, claimed DOUBLE PRECISION NOT NULL, found BIGINT)",
        "CREATE TABLE text2sql_results (id TEXT PRIMARY KEY, owner TEXT NOT NULL, thread TEXT NOT NULL,"
        " expires DOUBLE PRECISION NOT NULL, value TEXT NOT NULL)",
        "CREATE INDEX text2sql_results_expires ON text2sql_results (expires)",
        "CREATE INDEX text2sql_results_thread ON text2sql_results (owner, thread)",
        "CREATE TABLE text2sql_numbers (at DOUBLE PRECISION NOT NULL, status TEXT NOT NULL,"
        " attempts BIGINT NOT NULL, repaired BIGINT NOT NULL, first_pass BIGINT NOT NULL,"
        " errors TEXT NOT NULL, seconds TEXT NOT NULL, calls BIGINT NOT NULL, prompt_tokens BIGINT NOT NULL,"
        " completion_tokens BIGINT NOT NULL, statements BIGINT NOT NULL, model TEXT NOT NULL)",
        "CREATE INDEX text2sql_numbers_at ON text2sql_numbers (at)",
    ),
    (
        "CREATE TABLE text2sql_turns (thread TEXT PRIMARY KEY, holder TEXT NOT NULL,"
        " until DOUBLE PRECISION NOT NULL)",
        "CREATE TABLE text2sql_keys (id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL,"
        " roles TEXT NOT NULL, claims TEXT NOT NULL, created DOUBLE PRECISION NOT NULL,"
        " expires DOUBLE PRECISION, revoked DOUBLE PRECISION)",
        "CREATE TABLE text2sql_audit (at DOUBLE PRECISION NOT NULL, id TEXT NOT NULL, event TEXT NOT NULL,"
        " request TEXT NOT NULL, person TEXT NOT NULL, source TEXT NOT NULL, thread TEXT NOT NULL,"
        " asked TEXT NOT NULL, ran TEXT NOT NULL, found BIGINT NOT NULL, status TEXT NOT NULL)",
        "CREATE INDEX text2sql_audit_at ON text2sql_audit (at)",
    ),
    (
        "CREATE TABLE text2sql_works (id TEXT PRIMARY KEY, owner TEXT NOT NULL,"
        " created DOUBLE PRECISION NOT NULL, asked TEXT NOT NULL, state TEXT NOT NULL, told TEXT NOT NULL,"
        " holder TEXT NOT NULL, until DOUBLE PRECISION NOT NULL, tries BIGINT NOT NULL)",
        "CREATE INDEX text2sql_works_owner ON text2sql_works (owner, created)",
        "CREATE INDEX text2sql_works_created ON text2sql_works (created)",
        "CREATE TABLE text2sql_parts (work TEXT NOT NULL, part TEXT NOT NULL, value TEXT NOT NULL,"
        " PRIMARY KEY (work, part))",
        "CREATE TABLE text2sql_pace (person TEXT PRIMARY KEY, room DOUBLE PRECISION NOT NULL,"
        " since DOUBLE PRECISION NOT NULL)",
        "CREATE INDEX text2sql_pace_since ON text2sql_pace (since)",
    ),
)

# Audit records are immutable: no statement here changes one, and triggers reject any other program's.
_APPEND_ONLY: Mapping[str, tuple[str, ...]] = {
    "sqlite": tuple(
        f"CREATE TRIGGER text2sql_audit_{verb} BEFORE {verb} ON text2sql_audit"
        " BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ),
    "postgres": (
        "CREATE FUNCTION text2sql_audit_stays() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
        "CREATE TRIGGER text2sql_audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON text2sql_audit"
        " FOR EACH STATEMENT EXECUTE FUNCTION text2sql_audit_stays()",
    ),
}


def migrations_for(engine: Literal["sqlite", "postgres"]) -> tuple[tuple[str, ...], ...]:
    first, second, *later = MIGRATIONS
    return first, (*second, *_APPEND_ONLY[engine]), *later


CLAIM = "INSERT INTO text2sql_claims (key, claimed) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
SETTLE = "UPDATE text2sql_claims SET found = ? WHERE key = ?"
CLAIMED = "SELECT claimed, found FROM text2sql_claims WHERE key = ?"

SAVE_RESULT = "INSERT INTO text2sql_results (id, owner, thread, expires, value) VALUES (?, ?, ?, ?, ?)"
RESULT = "SELECT value FROM text2sql_results WHERE id = ? AND owner = ? AND expires > ?"
HAS_RESULT = "SELECT 1 FROM text2sql_results WHERE id = ? AND owner = ? AND expires > ?"
DELETE_RESULTS = "DELETE FROM text2sql_results WHERE owner = ? AND thread = ?"
EXPIRED_RESULTS = "SELECT 1 FROM text2sql_results WHERE expires <= ? LIMIT 1"
SWEEP_RESULTS = "DELETE FROM text2sql_results WHERE expires <= ?"

TAKE_LOCK = (
    "INSERT INTO text2sql_turns (thread, holder, until) VALUES (?, ?, ?) ON CONFLICT (thread) DO UPDATE"
    " SET holder = excluded.holder, until = excluded.until WHERE text2sql_turns.until < ?"
)
RENEW_LOCK = "UPDATE text2sql_turns SET until = ? WHERE thread = ? AND holder = ?"
LOCK_HOLDER = "SELECT holder FROM text2sql_turns WHERE thread = ?"
RELEASE_LOCK = "DELETE FROM text2sql_turns WHERE thread = ? AND holder = ?"

_KEY = "id, name, digest, roles, claims, created, expires, revoked"
ADD_KEY = f"INSERT INTO text2sql_keys ({_KEY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
KEY = f"SELECT {_KEY} FROM text2sql_keys WHERE id = ?"
KEYS = f"SELECT {_KEY} FROM text2sql_keys ORDER BY created, id"
REVOKE_KEYS = "UPDATE text2sql_keys SET revoked = ? WHERE (id = ? OR name = ?) AND revoked IS NULL"

_RECORD = "at, id, event, request, person, source, thread, asked, ran, found, status"
ADD_RECORD = f"INSERT INTO text2sql_audit ({_RECORD}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
RECORDS = (
    f"SELECT {_RECORD} FROM text2sql_audit WHERE at >= ? AND (? = '' OR person = ?) ORDER BY at DESC LIMIT ?"
)

_JOB = "id, owner, created, asked, state, told, tries"
ADD_JOB = (
    f"INSERT INTO text2sql_works ({_JOB}, holder, until) VALUES (?, ?, ?, ?, 'running', '', 0, '', 0)"
    " ON CONFLICT (id) DO NOTHING"
)
JOB = f"SELECT {_JOB} FROM text2sql_works WHERE id = ?"
_LEFT = "WHERE state = 'running' AND (? = '' OR owner = ?)"
UNFINISHED_JOBS = f"SELECT id FROM text2sql_works {_LEFT} ORDER BY created LIMIT 100"
_CLAIMED = " WHERE id = ? AND holder = ? AND state = 'running'"
CLAIM_JOB = (
    "UPDATE text2sql_works SET holder = ?, until = ?, tries = tries + 1"
    " WHERE id = ? AND state = 'running' AND until < ?"
)
JOB_HOLDER = "SELECT holder FROM text2sql_works WHERE id = ?"
RENEW_JOB = f"UPDATE text2sql_works SET until = ?{_CLAIMED}"
REPORT_JOB = f"UPDATE text2sql_works SET told = ?, until = ?{_CLAIMED}"
END_JOB = f"UPDATE text2sql_works SET state = ?, told = ?, until = 0{_CLAIMED}"
DELETE_JOB = "DELETE FROM text2sql_works WHERE id = ?"
OLD_JOBS = "SELECT id FROM text2sql_works WHERE created <= ? LIMIT 1000"
ENDED_JOBS = "SELECT id FROM text2sql_works WHERE owner = ? AND state <> 'running' ORDER BY created DESC"
SAVE_PART = (
    "INSERT INTO text2sql_parts (work, part, value) VALUES (?, ?, ?)"
    " ON CONFLICT (work, part) DO UPDATE SET value = excluded.value"
)
PARTS = "SELECT part, value FROM text2sql_parts WHERE work = ? AND part LIKE ?"
DELETE_PARTS = "DELETE FROM text2sql_parts WHERE work = ?"

# A token bucket with a capacity and a refill rate per second: takes one token if there is one.
_TOKENS = "text2sql_pace.room + (excluded.since - text2sql_pace.since) * ?"
_FILLED = f"CASE WHEN {_TOKENS} > ? THEN ? ELSE {_TOKENS} END"
TAKE_TOKEN = (
    "INSERT INTO text2sql_pace (person, room, since) VALUES (?, ?, ?) ON CONFLICT (person) DO UPDATE"
    f" SET room = {_FILLED} - 1, since = excluded.since WHERE {_TOKENS} >= 1"
)
SWEEP_BUCKETS = "DELETE FROM text2sql_pace WHERE since < ?"

METRIC_COLUMNS = (
    "status, attempts, repaired, first_pass, errors, seconds, calls, prompt_tokens, completion_tokens,"
    " statements, model"
)
ADD_METRICS = (
    f"INSERT INTO text2sql_numbers (at, {METRIC_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
METRICS = f"SELECT {METRIC_COLUMNS} FROM text2sql_numbers WHERE at >= ?"


class Tables(Protocol):
    """Runs one statement at a time, each atomic. Errors are `StoreError`s."""

    async def change(self, sql: str, *values: Cell, durable: bool = False) -> int:
        """Return how many rows were inserted, updated or deleted. `durable` survives a power failure."""

    async def rows(self, sql: str, *values: Cell) -> Sequence[tuple[Any, ...]]: ...
