"""Lenient execution match: further columns, labels of periods, percentages."""

import random

import pytest

from text2sql.evaluation.lenient import same_content
from text2sql.types import QueryResult, ResultColumn, Row


def result(names: str, *rows: Row) -> QueryResult:
    return QueryResult(tuple(ResultColumn(name, "") for name in names.split()), rows)


GOLD = result("month sales", ("2026-01", 10.5), ("2026-02", 0), ("2026-03", 7))


@pytest.mark.parametrize(
    ("got", "same"),
    [
        (result("id n m", (1, 10.5, "2026-01-01"), (2, 0, "2026-02-01"), (3, 7, "2026-03-01")), True),
        (
            result("m n", ("2026-01-01 00:00:00", 10.5), ("2026-02-01T00:00:00", 0), ("2026-03-01", "7")),
            True,
        ),
        (result("m n", ("2026年1月", 10.5), ("2026年2月", 0), ("2026年3月", 7)), True),
        (result("m n", ("2026-03", 7), ("2026-02", 0), ("2026-01", 10.5)), True),
        (result("m n", ("2026-01", 10.5), ("2026-03", 7)), False),
        (result("m n", ("2026-01", 7), ("2026-02", 0), ("2026-03", 10.5)), False),
        (result("n", (10.5,), (0,), (7,)), False),
        (result("m n", ("2026-01", 10.6), ("2026-02", 0), ("2026-03", 7)), False),
    ],
)
def test_all_expected_columns_must_be_there_with_their_rows(got: QueryResult, same: bool) -> None:
    assert same_content(GOLD, got) is same


def test_the_order_of_rows_counts_where_it_was_asked_for() -> None:
    turned = QueryResult(GOLD.columns, GOLD.rows[::-1])
    assert same_content(GOLD, turned)
    assert not same_content(GOLD, turned, ordered=True)
    assert same_content(GOLD, GOLD, ordered=True)


@pytest.mark.parametrize(
    ("column", "value", "sentence", "same"),
    [
        ("share", 0.123, "", True),
        ("占比", 0.123, "", True),
        ("x", 0.123, "It is 12.3 %.", True),
        ("x", 0.123, "It is 0.12.", False),
        ("share_pct", 0.123, "It is 12.3 %.", False),
        ("share_pct", 12.3, "", True),
        ("x", 12.3, "", True),
    ],
)
def test_a_percentage_may_be_a_fraction_that_is_called_so(
    column: str, value: float, sentence: str, same: bool
) -> None:
    assert same_content(result("pct", (12.3,)), result(column, (value,)), sentence) is same


def test_only_a_percentage_may_be_a_fraction() -> None:
    assert not same_content(result("n", (12.3,)), result("share", (0.123,)))


@pytest.mark.parametrize(
    ("gold", "got"),
    [((2025, 2026), ("2025-01-01", "2026-01-01")), ((1, 2), ("01", "02")), (("2026-Q1",), ("2026-01-01",))],
)
def test_years_months_and_quarters_have_several_notations(gold: Row, got: Row) -> None:
    assert same_content(result("p", *((v,) for v in gold)), result("p", *((v,) for v in got)))


def test_codes_with_leading_zeros_are_not_numbers() -> None:
    assert not same_content(result("code", ("0042",)), result("code", (42,)))


def test_a_result_contains_every_selection_of_its_columns_and_no_changed_one() -> None:
    chance = random.Random(7)
    for _ in range(200):
        width, height = chance.randint(1, 5), chance.randint(1, 8)
        rows = [tuple(chance.randint(0, 3) for _ in range(width)) for _ in range(height)]
        positions = chance.sample(range(width), chance.randint(1, width))
        gold = result(" ".join("c" * len(positions)), *(tuple(row[at] for at in positions) for row in rows))
        got = result(" ".join("c" * width), *chance.sample(rows, height))
        assert same_content(gold, got)
        changed = QueryResult(gold.columns, ((*gold.rows[0][:-1], 9), *gold.rows[1:]))
        assert not same_content(changed, got)
