"""How well a query matches the words of its question."""

import pytest

from text2sql.schema import build, count_ignored_words, count_unrequested_columns
from text2sql.types import Catalog, Column, Table

STATIONS = build(
    Catalog(
        dialect="sqlite",
        default_schema="",
        fingerprint="stations",
        tables=(
            Table("gas_station", (Column("manager_name", "text"), Column("agent_name", "text"))),
            Table("enzyme", (Column("id", "int"), Column("formula", "text"))),
        ),
    )
)


@pytest.mark.parametrize(
    ("question", "names", "missed"),
    [
        ("Show the manager of each gas station", ["gas_station", "manager_name"], 0),
        ("Show the manager of each gas station", ["gas_station", "agent_name"], 1),
        ("显示每个加油站的经理", ["gas_station", "manager_name"], 0),
        ("显示每个加油站的经理", ["gas_station", "agent_name"], 1),
        ("Which enzymes are there?", ["gas_station"], 1),
        ("Which planets are there?", ["gas_station"], 0),
        ("How many names are there in 2008?", ["enzyme"], 0),
    ],
)
def test_a_word_of_the_schema_that_the_query_ignores_is_counted(
    question: str, names: list[str], missed: int
) -> None:
    assert count_ignored_words(question, names, STATIONS) == missed


@pytest.mark.parametrize(
    ("question", "columns", "strange"),
    [
        ("Show the managers", ["manager_name"], 0),
        ("Show the managers", ["agent_name", "agent_name"], 1),
        ("经理是谁", ["manager_name"], 0),
        ("经理是谁", ["formula"], 1),
    ],
)
def test_a_column_that_no_word_asks_for_is_counted(question: str, columns: list[str], strange: int) -> None:
    assert count_unrequested_columns(question, columns) == strange
