"""docs/reliability.md names an existing test for every fault, or says that there is none."""

from docs_text import cells, read
from faults.table import IDS, filled


def rows() -> list[list[str]]:
    return [row for row in cells(read("docs/reliability.md")) if row[0] in IDS]


def test_every_rule_and_every_fault_is_listed_in_order() -> None:
    assert [row[0] for row in rows()] == list(IDS)


def test_the_tests_named_in_the_table_exist() -> None:
    """The rows of the tables that `python tests/faults/table.py` writes."""
    page = read("docs/reliability.md")
    assert filled(page) == page


def test_rows_without_a_test_are_marked_as_not_proved() -> None:
    for row, fault, here, tests in rows():
        assert fault, row
        assert here, row
        assert tests or "**Not proved" in here, row
