"""docs/reliability.md and its Chinese twin name the tests of every fault, or say that there is none."""

from pathlib import Path

import pytest

from docs_text import cells
from faults.table import IDS, PAGES, filled

both = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def rows(page: Path) -> list[list[str]]:
    return [row for row in cells(page.read_text(encoding="utf-8")) if row[0] in IDS]


@both
def test_every_rule_and_every_fault_is_listed_in_order(page: Path) -> None:
    assert [row[0] for row in rows(page)] == list(IDS)


@both
def test_the_tests_named_in_the_table_exist(page: Path) -> None:
    """The rows of the tables that `python tests/faults/table.py` writes."""
    text = page.read_text(encoding="utf-8")
    assert filled(text) == text


@both
def test_rows_without_a_test_are_marked_as_not_proved(page: Path) -> None:
    for row, fault, here, tests in rows(page):
        assert fault, row
        assert here, row
        assert tests or "**Not proved" in here or "**未证明**" in here, row


def test_both_pages_say_not_proved_in_the_same_rows() -> None:
    english, chinese = (rows(page) for page in PAGES)
    assert [row[0] for row in english if "**Not proved" in row[2]] == [
        row[0] for row in chinese if "**未证明**" in row[2]
    ]
