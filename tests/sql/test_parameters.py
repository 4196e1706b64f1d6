"""A value becomes a name and a name a value again, or the query stays as it is."""

# ruff: noqa: E501 -- a case is a row

import pytest

from text2sql.reports.parameters import all_forms
from text2sql.sql import check, parameterize, with_values
from text2sql.types import CheckedSql

DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "clickhouse", "snowflake", "bigquery", "oracle")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "values", "other", "expected"),
    [
        ("SELECT a FROM t WHERE m = '2026-10'", {"m": "2026-10"}, {"m": "2026-02"}, "'2026-02'"),
        ("SELECT a FROM t WHERE d >= '2026-10-01' AND d < '2026-11-01'", {"m": "2026-10"}, {"m": "2026-02"}, "'2026-03-01'"),
        ("SELECT a FROM t WHERE d BETWEEN '2026-10-01' AND '2026-10-31'", {"m": "2026-10"}, {"m": "2028-02"}, "'2028-02-29'"),
        ("SELECT a FROM t WHERE y = 2026 AND m = 10", {"p": "2026-10"}, {"p": "2027-05"}, "= 5"),
        ("SELECT a FROM t WHERE y = '2026' AND m = '10'", {"p": "2026-10"}, {"p": "2027-05"}, "'05'"),
        ("SELECT a FROM t WHERE d LIKE '2026-10%'", {"m": "2026-10"}, {"m": "2026-02"}, "'2026-02%'"),
        ("SELECT a FROM t WHERE c = 'Oslo'", {"c": "Oslo"}, {"c": "O'Neil"}, "O"),
        ("SELECT a FROM t WHERE n > 250", {"n": "250"}, {"n": "-3"}, "-3"),
        ("SELECT a FROM t WHERE q >= '2026-07-01' AND q <= '2026-09-30'", {"q": "2026-Q3"}, {"q": "2026-Q4"}, "'2026-12-31'"),
    ],
)  # fmt: skip
def test_a_parameter_takes_another_value(
    sql: str, values: dict[str, str], other: dict[str, str], expected: str, dialect: str
) -> None:
    named = parameterize(sql, dialect, all_forms(values))
    assert named is not None
    assert not any(value in named.sql for value in values.values() if len(value) > 3)
    bound = with_values(named.sql, dialect, named.names, all_forms(other))
    assert isinstance(bound, str)
    assert expected in bound
    back = with_values(named.sql, dialect, named.names, all_forms(values))
    assert isinstance(back, str)
    assert check(back, dialect) == check(sql, dialect)


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT a FROM t", {"m": "2026-10"}),  # nowhere
        (
            "SELECT a FROM t WHERE d >= '2026-10-01' AND d < '2026-10-31T23:59'",
            {"m": "2026-10"},
        ),  # half of it
        ("SELECT a FROM t WHERE c = 'OSLO'", {"c": "Oslo"}),  # spelled otherwise
        ("SELECT a FROM t WHERE n > 10 LIMIT 10", {"n": "10"}),  # which of the two
        ("SELECT a FROM t WHERE b = 'x1' AND c = 'x1'", {"b": "x1", "c": "x1"}),  # whose
        ("SELECT a FROM t WHERE d > '2026-10-01' - INTERVAL '1' DAY", {"n": "1"}),
        ("SELECT FROM WHERE", {"n": "1"}),
    ],
)
def test_an_ambiguous_query_is_not_parameterized(sql: str, values: dict[str, str]) -> None:
    assert parameterize(sql, "postgres", all_forms(values)) is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "value", ["' OR 1=1 --", "\\' OR 1=1 --", "a\\", "';DELETE FROM t", ":c", "%s", "/* x */", "𝔘 上海"]
)
def test_a_hostile_value_is_one_literal_or_refused(value: str, dialect: str) -> None:
    bound = with_values("SELECT a FROM t WHERE c = :c", dialect, {"c": "text"}, all_forms({"c": value}))
    assert isinstance(bound, str)
    plain = with_values("SELECT a FROM t WHERE c = :c", dialect, {"c": "text"}, all_forms({"c": "x"}))
    assert isinstance(plain, str)
    checked, escape_formula = check(bound, dialect), check(plain, dialect)
    assert isinstance(escape_formula, CheckedSql)
    if isinstance(checked, CheckedSql):
        named = parameterize(checked.sql, dialect, all_forms({"c": value}))
        assert named is not None
        assert named.names == {"c": "text"}


def test_an_invalid_number_is_a_text() -> None:
    bound = with_values("SELECT :n", "sqlite", {"n": "number"}, all_forms({"n": "1 OR 1"}))
    assert bound == "SELECT\n  :n"  # which the guard refuses
    assert not isinstance(check(bound, "sqlite"), CheckedSql)
