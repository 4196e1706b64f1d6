"""No statement that the guard allows tells twin databases apart: a fixed seed, a budget for each engine."""

import pytest

from noninterference import cases
from noninterference.explore import explore, smallest
from noninterference.twins import Finding, Twins, World
from text2sql.types import CheckedSql

pytestmark = pytest.mark.slow

SEED = "ci"
# Statements for each of the two policies. ClickHouse takes two HTTP requests for one query.
BUDGET = {"sqlite": 400, "duckdb": 250, "postgres": 300, "mysql": 300, "clickhouse": 100}


@pytest.mark.parametrize("world", ["columns", "rows"])
def test_a_random_query_answers_the_same_whatever_is_hidden(worlds: dict[World, Twins], world: World) -> None:
    twins = worlds[world]
    findings = [*explore(twins, SEED, range(BUDGET[twins.dialect]))]
    assert [str(smallest(twins, finding)) for finding in findings[:5]] == []
    tally = twins.tally
    assert tally.allowed * 3 >= tally.statements, tally  # else nearly nothing was compared
    assert tally.answered * 3 >= tally.allowed, tally  # ClickHouse does not run every correlated query
    assert tally.unstable * 20 <= tally.allowed, tally


@pytest.mark.parametrize("world", ["shop", "policed"])
def test_a_case_that_is_allowed_answers_the_same_whatever_is_hidden(
    worlds: dict[World, Twins], world: World
) -> None:
    twins = worlds[world]
    findings = filter(None, map(twins.find, cases.statements(twins)))
    assert [str(finding) for finding in findings] == []
    assert twins.tally.answered >= 40, twins.tally


LEAKS = (
    "SELECT * FROM patients",
    "SELECT diagnosis FROM patients",
    "SELECT COUNT(*) FROM patients WHERE diagnosis > 'd'",
    "SELECT COUNT(*) FROM patients WHERE insurance IS NULL",
    "SELECT COUNT(*) FROM visits WHERE amount = 1",
    "SELECT MAX(salary) FROM staff",
    "SELECT COUNT(*) FROM payroll",
    "SELECT secret FROM payroll_view",
    "SELECT id FROM vault",
)


def test_a_query_that_no_guard_has_seen_tells_the_twins_apart(worlds: dict[World, Twins]) -> None:
    """The harness itself: what leaks is a finding on every engine."""
    for world in ("columns", "rows"):
        twins = worlds[world]
        assert [leak for leak in LEAKS if _unguarded(twins, leak) is None] == []
    assert _unguarded(worlds["columns"], "SELECT COUNT(*) FROM ward") is None
    assert _unguarded(worlds["rows"], "SELECT COUNT(*) FROM ward") is not None


def _unguarded(twins: Twins, statement: str) -> Finding | None:
    return twins.uncounted().compare(statement, CheckedSql(statement, twins.dialect))
