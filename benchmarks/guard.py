"""Measure a full check, as a multiple of `sqlglot.parse_one` on the same statements, in one run: without a
policy, under one, and under one in a worker process.

    python benchmarks/guard.py [FILE.jsonl …]

A file has lines of {"dialect", "sql"}; without a file, the project's own cases are used. A full check is:
characters, tokens, parse, rules, scopes, policy, limit, generate, parse again, compare. Checks in this
process are measured in processor time, because other programs may be busy; a worker's by the clock.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import sqlglot
from sqlglot.errors import SqlglotError

from text2sql.sql import check, in_worker_now
from text2sql.types import CheckedSql, Policy

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "sql" / "cases"
MOST = 10.0  # × one parse
SLOWEST = 0.250  # seconds for any one statement
_GOAL = "policy"


def statements(files: list[str]) -> list[tuple[str, str]]:
    if files:
        lines = [json.loads(line) for file in files for line in Path(file).read_text().splitlines()]
        return [(line["dialect"], line["sql"]) for line in lines]
    from_cases = []
    for file in sorted(CASES.glob("*/*.sql")):
        if file.stem in sqlglot.Dialects._value2member_map_:
            from_cases += [
                (file.stem, line) for line in file.read_text().splitlines() if line and line[:2] != "--"
            ]
    return from_cases


def seconds(
    work: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.thread_time
) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def parses(dialect: str, sql: str) -> bool:
    try:
        sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return False
    return True


def _measured(dialect: str, sql: str, policy: Policy) -> dict[str, float]:
    """The seconds that one statement takes in each way."""
    return {
        "parse_one alone": seconds(partial(sqlglot.parse_one, sql, dialect=dialect)),
        "no policy": seconds(partial(check, sql, dialect)),
        _GOAL: seconds(partial(check, sql, dialect, None, policy)),
        "policy, worker": seconds(
            partial(in_worker_now, check, sql, dialect, None, policy), clock=time.perf_counter
        ),
    }


def main() -> int:
    document = json.loads((ROOT / "tests" / "sql" / "policy.json").read_text())
    policy = Policy(
        {name: tuple(columns) for name, columns in document["tables"].items()}, document["default_schema"]
    )
    cases = statements(sys.argv[1:])
    for dialect, sql in cases:  # warm-up: lists are read and dialects built once
        check(sql, dialect, None, policy)
    slowest = max((seconds(partial(check, s, d, None, policy), 1), s) for d, s in cases)
    allowed = [(d, s) for d, s in cases if isinstance(check(s, d, None, policy), CheckedSql) and parses(d, s)]
    measured = [_measured(dialect, sql, policy) for dialect, sql in allowed]
    parse = sum(row["parse_one alone"] for row in measured)
    print(f"statements        {len(cases)}, of which {len(allowed)} pass the full check")
    for kind in measured[0]:
        times = [row[kind] for row in measured]
        median, ratio = statistics.median(times) * 1e6, sum(times) / parse
        print(f"{kind:17} {median:5.0f} µs (median), all together {ratio:.2f} ×")
    total = sum(row[_GOAL] for row in measured) / parse
    print(f"goal              {_GOAL}: at most {MOST:g} ×")
    print(f"slowest statement {slowest[0] * 1e3:.1f} ms (at most {SLOWEST * 1e3:.0f}): {slowest[1][:60]!r}")
    return 0 if total <= MOST and slowest[0] <= SLOWEST else 1


if __name__ == "__main__":
    sys.exit(main())
