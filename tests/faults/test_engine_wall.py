"""Hostile statements as the least-privilege account, without the guard: nothing changes, no file is read or
written, nothing runs past its limit, and the next query finds a clean session.
"""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faults.attack_targets import CANARY, OWN, POLICY, AttackTarget, attack_target
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.errors import DatabaseError
from text2sql.types import CheckedSql, Limits, Policy

HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared" / "security"  # a larger sample, where this repository has it beside it
ENGINES = ("sqlite", "duckdb", "postgres", "mysql")
SECONDS = 1.0
HIDDEN = re.compile(r"s3cr3t|ssn-|hash1|IBAN|\b4111\b")  # UUID_SHORT() has any four digits now and then

pytestmark = pytest.mark.slow


@pytest.fixture
def server(engine: str, request: pytest.FixtureRequest) -> str:
    """The administrator's URL of a separate server."""
    fixture = {"postgres": "postgres_server", "mysql": "mariadb_server"}.get(engine)
    return str(request.getfixturevalue(fixture).url) if fixture else ""


@pytest.mark.parametrize("engine", ENGINES)
def test_no_hostile_statement_of_ours_gets_through_the_engine(engine: str, server: str) -> None:
    lines = (HERE / "wall" / f"{engine}.sql").read_text().splitlines()
    with attack_target(engine, server, OWN[engine], POLICY) as there:
        attacks = [line for line in lines if line and not line.startswith("--")]
        ready = [
            a.replace("{canary}", str(there.canary)).replace("{target}", str(there.target)) for a in attacks
        ]
        assert list(_breaches(there, ready)) == []


@pytest.mark.skipif(not SHARED.exists(), reason="the larger sample is not beside this repository")
@pytest.mark.parametrize("engine", ENGINES)
def test_no_hostile_statement_of_the_sample_gets_through_the_engine(engine: str, server: str) -> None:
    document = json.loads((SHARED / "policy.json").read_text())
    policy = Policy(
        {name: tuple(columns) for name, columns in document["tables"].items()}, document["default_schema"]
    )
    rows = map(json.loads, (SHARED / "hostile-sample.jsonl").read_text().splitlines())
    # What was not run when the sample was made would stop, exhaust or leave the machine: it stays unrun.
    attacks = [
        row["sql"]
        for row in rows
        if row["dialect"] == engine and row["verified"]["how"] in ("executed", "attempted")
    ]
    with attack_target(engine, server, _fixture(engine), policy) as there:
        assert list(_breaches(there, attacks)) == []


def _fixture(engine: str) -> list[str]:
    """The sample's schema, cut where a new statement begins; a semicolon inside a routine is none."""
    text = (SHARED / "fixtures" / f"{engine}.sql").read_text()
    if engine == "postgres":
        return [text]
    return [part for part in re.split(r";\s*(?=CREATE |INSERT |ANALYZE)|;\s*$", text) if part.strip(" ;\n")]


def _breaches(there: AttackTarget, attacks: list[str]) -> Iterator[tuple[str, str]]:
    """Run every attack on one pooled session; yield what it did that it should not have done."""
    # One session: what an attack leaves behind is what the next query finds.
    settings = Settings(pool_size=1, pool_overflow=1, time_limit=10.0)
    with open_database(there.url, settings) as database:
        _session(database, there)  # a session is compared with one that was lent before
        before, session = there.look(), _session(database, there)
        for attack in attacks:
            began = time.monotonic()
            answer = _attack(database, there, attack)
            took = time.monotonic() - began
            if took > SECONDS + 2.0:  # two: the machine that runs the tests may be busy
                yield attack, f"ran for {took:.1f} s"
            if _still_busy(there):
                yield attack, "still runs on the server"
            if CANARY in answer or "root:x:0" in answer:
                yield attack, "read a file"
            if there.has_accounts and HIDDEN.search(answer):
                yield attack, "read what the policy hides"
            if there.target.exists() or Path("/var/canary/pwn.csv").exists():
                yield attack, "wrote a file"
            session_after = _session(database, there)
            yield from (
                (attack, f"left in the session: {change}") for change in _changes(session, session_after)
            )
            after = there.look()
            yield from ((attack, f"changed {what}") for what in _changed(before, after))
            before = after


def _attack(database: Database, there: AttackTarget, attack: str) -> str:
    try:
        result = database.run(CheckedSql(attack, there.dialect), Limits(seconds=SECONDS))
    except DatabaseError as error:
        return error.detail
    return repr(result.rows)


def _session(database: Database, there: AttackTarget) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for probe in there.probes:
        try:
            seen[probe] = database.run(CheckedSql(probe, there.dialect)).rows
        except DatabaseError as error:  # an engine that refuses the question has an answer too
            seen[probe] = error.code or error.detail
    return seen


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    lines = []
    for probe, rows in before.items():
        if rows != after[probe]:
            new = set(after[probe]) - set(rows) if isinstance(rows, tuple) else after[probe]
            lines.append(f"{probe[:60]} … {str(new)[:200]}")
    return lines


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return sorted(what for what in before.keys() | after.keys() if before.get(what) != after.get(what))


def _still_busy(there: AttackTarget) -> bool:
    deadline = time.monotonic() + 2.0
    while there.busy():
        if time.monotonic() > deadline:
            return True
        time.sleep(0.02)
    return False
