"""The registry of fixes: which apply to the queries of which model, and how to choose some of them."""

import pytest

from gallery import GalleryValues, gallery
from text2sql.errors import UsageError
from text2sql.sql import chosen_fixes, fix_sql, fixes_for
from text2sql.sql.fixes import NAMES
from text2sql.sql.fixes.registry import FIXES, KINDS


def kinds_of(names: tuple[str, ...]) -> set[str]:
    return {fix.kind for fix in FIXES if fix.name in names}


def test_a_small_models_query_gets_every_fix() -> None:
    assert fixes_for("small", runs=True) == fixes_for("small", runs=False) == NAMES


def test_a_large_models_query_that_runs_gets_the_spelling_of_values_only() -> None:
    assert fixes_for("large", runs=True) == ("value_case",)


def test_a_large_models_query_that_fails_gets_no_fix_that_reads_the_question() -> None:
    names = fixes_for("large", runs=False)
    assert kinds_of(names) == {"dialect", "names", "joins", "values"}
    assert not {fix.name for fix in FIXES if fix.profile == "small"} & set(names)


def test_the_names_are_unique_and_no_fix_reads_the_question_alone() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert kinds_of(NAMES) == set(KINDS) - {"question"}


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("", set(NAMES)),
        ("all", set(NAMES)),
        ("none", set()),
        ("rebind", {"rebind"}),
        ("rebind, typo", {"rebind", "typo"}),
        ("-rebind", set(NAMES) - {"rebind"}),
        ("all -rebind,-typo", set(NAMES) - {"rebind", "typo"}),
        ("values", {fix.name for fix in FIXES if fix.kind == "values"}),
        ("names,-typo", {fix.name for fix in FIXES if fix.kind == "names"} - {"typo"}),
        ("-question", {fix.name for fix in FIXES if fix.kind != "question"}),
    ],
)
def test_a_choice_is_read_from_left_to_right(choice: str, names: set[str]) -> None:
    assert chosen_fixes(choice) == names


@pytest.mark.parametrize(("choice", "close"), [("rebnd", "rebind"), ("-jions", "joins"), ("xyz", "none")])
def test_an_unknown_name_is_refused_with_the_nearest_ones(choice: str, close: str) -> None:
    with pytest.raises(UsageError) as raised:
        chosen_fixes(choice)
    assert raised.value.message_key == "usage.fixes"
    assert raised.value.facts["name"] == choice.removeprefix("-")
    assert close in str(raised.value.facts["close"])


def test_only_the_chosen_fixes_are_applied() -> None:
    sql = "SELECT a.counrty FROM artists AS a WHERE a.country = 'France'"
    for name in ("near_table", "typo", "value_case"):
        chosen = {"near_table", name}  # the others need the table
        assert set(fix_sql(sql, "sqlite", gallery(), GalleryValues(), fixes=chosen).fixes) == chosen
    assert fix_sql(sql, "sqlite", gallery(), GalleryValues(), fixes=()).sql == sql
    assert fix_sql("SELECT (1", "sqlite", gallery(), fixes=()).sql == "SELECT (1"


def test_a_value_in_the_wrong_case_stays_where_another_condition_is_enough() -> None:
    sql = "SELECT Name FROM artist WHERE country = 'France' OR BirthYear = 1900"
    assert fix_sql(sql, "sqlite", gallery(), GalleryValues(), fixes=["value_case"]).sql == sql
