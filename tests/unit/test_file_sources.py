"""Files and folders as databases: notes in the catalog, hidden original texts, limits of the process."""

from dataclasses import replace
from pathlib import Path

import openpyxl  # type: ignore[import-untyped]
import pytest

from text2sql.config import Settings
from text2sql.database import open_database
from text2sql.errors import UsageError
from text2sql.i18n import note_text
from text2sql.memory.encoding import dump_catalog, load_catalog
from text2sql.schema import visible
from text2sql.schema.render import render
from text2sql.schema.value_queries import value_queries
from text2sql.types import Catalog, CheckedSql, Policy, RowRule

SALES = "day,rep,revenue\n03/04/2025,Ann,$1.50\n05/06/2025,Bob,$2.50\n"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    return path


def catalog_of(source: Path | str, settings: Settings | None = None) -> Catalog:
    with open_database(str(source), settings) as database:
        return database.catalog()


def test_the_catalog_says_what_was_assumed_and_how_to_change_it(sales: Path) -> None:
    note = next(note for note in catalog_of(sales).notes if note.column == "day")
    assert note_text(note, "en") == (
        "Dates such as 03/04/2025 could be day/month or month/day. They are taken as mdy; "
        "if that is wrong, use ?dates=dmy."
    )
    assert "?dates=dmy" in note_text(note, "zh")
    assert [note.column for note in catalog_of(f"{sales}?dates=dmy").notes] == ["revenue"]


def test_original_texts_are_kept_but_not_shown_to_a_model(sales: Path) -> None:
    catalog = catalog_of(sales)
    (table,) = catalog.tables
    assert [(column.name, column.hidden) for column in table.columns] == [
        ("day", False),
        ("rep", False),
        ("revenue", False),
        ("day (text)", True),
        ("revenue (text)", True),
    ]
    assert "(text)" not in render(catalog, samples=True)
    assert [query.column for query in value_queries(catalog)] == ["rep"]


def test_notes_and_hidden_columns_survive_the_memory(sales: Path) -> None:
    catalog = catalog_of(sales)
    assert load_catalog(dump_catalog(catalog)) == catalog


def test_a_policy_hides_the_notes_of_what_it_hides(sales: Path) -> None:
    catalog = catalog_of(sales)
    policy = Policy({"sales": ("day", "rep")})
    assert [note.column for note in visible(catalog, policy).notes] == ["day"]
    rules = replace(policy, rows={"sales": (RowRule("rep = 'Ann'"),)})
    assert visible(catalog, rules).notes == ()


def test_a_workbook_with_a_cell_far_outside_is_refused_before_memory_is_spent(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    workbook = openpyxl.Workbook()
    workbook.worksheets[0]["XFD1048576"] = 1
    workbook.worksheets[0]["A1"] = "a"
    workbook.save(tmp_path / "far.xlsx")
    with pytest.raises(UsageError) as caught:
        catalog_of(tmp_path / "far.xlsx", Settings(engine_memory=500))
    assert caught.value.message_key == "usage.file_memory"
    assert caught.value.facts["megabytes"] == 500


def test_a_file_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "1,$2.50\n" * 200_000)
    with pytest.raises(UsageError) as caught:
        catalog_of(path, Settings(file_time=0.05))
    assert caught.value.message_key == "usage.file_time"


@pytest.mark.parametrize(
    ("end", "rows", "notes"),
    [
        ("", 9_000, []),
        ("Total,9000,,\n", 9_000, ["file.total_row"]),
        ("9001,1\n", 9_001, ["file.short_rows"]),
    ],
)
def test_a_large_file_is_read_like_a_small_one(tmp_path: Path, end: str, rows: int, notes: list[str]) -> None:
    path = tmp_path / "large.csv"
    text = "x" * 1_000
    lines = [f'{number},{number / 4},2025-03-04,"{text}, {number % 7}"\n' for number in range(9_000)]
    path.write_text("id,amount,day,note\n" + "".join(lines) + end)
    content = path.read_bytes()
    with open_database(str(path)) as database:
        catalog = database.catalog()
        result = database.run(CheckedSql("SELECT count(*), sum(amount), max(day) FROM large", "duckdb"))
    kinds = {column.name: column.type for column in catalog.tables[0].columns}
    assert kinds == {"id": "BIGINT", "amount": "DOUBLE", "day": "DATE", "note": "VARCHAR"}
    assert result.rows[0][0] == rows
    assert result.rows[0][2] == "2025-03-04"
    assert [note.key for note in catalog.notes] == notes
    assert path.read_bytes() == content
