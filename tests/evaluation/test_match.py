"""Rules of execution match."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.evaluation.match import same_result, same_rows
from text2sql.types import QueryResult, ResultColumn, Row, Value


def result(width: int, *rows: Row) -> QueryResult:
    return QueryResult(tuple(ResultColumn(f"c{at}", "") for at in range(width)), rows)


def test_rows_are_a_multiset_where_the_reference_has_no_order() -> None:
    assert same_rows([(1,), (2,), (2,)], [(2,), (1,), (2,)])
    assert not same_rows([(1,), (2,), (2,)], [(2,), (1,), (1,)])
    assert not same_rows([(1,), (2,)], [(1,), (2,), (2,)])


def test_rows_are_a_sequence_where_the_reference_has_one() -> None:
    assert same_rows([(1, "a"), (2, "b")], [("a", 1), ("b", 2)], ordered=True)
    assert not same_rows([(1,), (2,)], [(2,), (1,)], ordered=True)


def test_columns_may_have_any_order_but_rows_are_compared_as_a_whole() -> None:
    assert same_rows([(1, "a"), (2, "b")], [("a", 1), ("b", 2)])
    assert not same_rows([(1, "a"), (2, "b")], [("b", 1), ("a", 2)])


def test_columns_with_equal_values_are_matched_by_their_rows() -> None:
    gold = [(1, 2, 3), (2, 3, 1), (3, 1, 2), (1, 1, 1)]
    assert same_rows(gold, [(c, a, b) for a, b, c in gold])
    assert not same_rows(gold, [(1, 3, 2), (2, 3, 1), (3, 1, 2), (1, 2, 1)])


def test_a_different_number_of_columns_is_a_different_result() -> None:
    assert not same_rows([(1,)], [(1, 1)])
    assert not same_rows([(1, 1)], [(1,)])
    assert not same_rows([(1, 2, 2)], [(1, 1, 2)])


def test_empty_results_match_with_the_same_number_of_columns() -> None:
    assert same_result(result(2), result(2))
    assert not same_result(result(2), result(1))
    assert not same_result(result(1), result(1, (None,)))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (3, 3.0, True),
        (3, 3.000000001, True),
        (3, 2.999999999, True),
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.00001, False),
        (1_000_000, 1_000_001, False),
        (2**53, 2**53 + 1, False),
        (0, 0.0, True),
        (0, 1e-9, False),
        (True, 1, True),
        (-2.5, 2.5, False),
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        ("3", 3, False),
        ("a", "A", False),
        ([1, {"b": 2, "a": 1}], [1, {"a": 1, "b": 2}], True),
    ],
)
def test_cells_are_compared_as_values(first: Value, second: Value, same: bool) -> None:
    for ordered in (False, True):
        assert same_rows([(first,)], [(second,)], ordered=ordered) is same
        assert same_rows([(second,)], [(first,)], ordered=ordered) is same


def test_many_similar_columns_do_not_try_every_permutation() -> None:
    chance = random.Random(3)
    gold = [tuple(chance.randint(0, 1) for _ in range(14)) for _ in range(60)]
    order = list(range(14))
    chance.shuffle(order)
    assert same_rows(gold, [tuple(row[at] for at in order) for row in gold])
    assert same_rows([(0,) * 14] * 3, [(0,) * 14] * 3)


_CELLS = st.sampled_from((0, 1, None, "a"))
_ROWS = st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[_CELLS] * width), max_size=5))


@given(_ROWS, _ROWS)
def test_it_agrees_with_trying_every_permutation(gold: list[Row], got: list[Row]) -> None:
    def slowly() -> bool:
        if len(gold) != len(got) or (gold and len(gold[0]) != len(got[0])):
            return False
        key = repr
        return not gold or any(
            sorted(gold, key=key) == sorted((tuple(row[at] for at in order) for row in got), key=key)
            for order in itertools.permutations(range(len(gold[0])))
        )

    assert same_rows(gold, got) == slowly()
