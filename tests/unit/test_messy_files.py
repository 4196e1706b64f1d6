"""Everyday files, as people export and send them: opened right, or refused with the place.

The cases are data, in `messy_files/`; each file is made by the test.
"""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import openpyxl  # type: ignore[import-untyped]
import pytest
import yaml  # type: ignore[import-untyped]

from text2sql.database.files import convert, load_notes, read_options
from text2sql.errors import UsageError
from text2sql.i18n import explain, note_text

CASES = Path(__file__).parent / "messy_files"
MARKS = {"utf-16-be": b"\xfe\xff", "utf-8": b"\xef\xbb\xbf"}


def cases() -> list[Any]:
    loaded = [
        case for path in sorted(CASES.glob("*.yaml")) for case in yaml.safe_load(path.read_text("utf-8"))
    ]
    return [pytest.param(case, id=case["name"].replace(" ", "-")) for case in loaded]


def make(case: dict[str, Any], folder: Path) -> Path:
    """The file or folder of a case."""
    if "files" in case:
        source = folder / str(case["folder"])
        source.mkdir()
        for name, text in case["files"].items():
            (source / name).write_text(text, encoding="utf-8")
        return source
    path = folder / str(case["file"])
    if "sheets" in case:
        make_workbook(case, path)
    elif "hex" in case:
        path.write_bytes(bytes.fromhex(case["hex"]))
    else:
        encoding = case.get("encoding", "utf-8")
        text = case["text"].replace("\n", case.get("newline", "\n"))
        path.write_bytes((MARKS[encoding] if case.get("bom") else b"") + text.encode(encoding))
    return path


def make_workbook(case: dict[str, Any], path: Path) -> None:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    for name, rows in case["sheets"].items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append([cell_value(cell) for cell in row])
        for area in case.get("merge", {}).get(name, ()):
            sheet.merge_cells(area)
    with path.open("wb") as file:
        workbook.save(file)


def cell_value(cell: object) -> object:
    text = str(cell)
    if text.startswith("=date "):
        return date.fromisoformat(text.removeprefix("=date "))
    return datetime.fromisoformat(text.removeprefix("=time ")) if text.startswith("=time ") else cell


@pytest.mark.parametrize("case", cases())
def test_a_messy_file_is_opened_right_or_refused_with_the_place(case: dict[str, Any], tmp_path: Path) -> None:
    if "sheets" in case:
        pytest.importorskip("python_calamine")
    path = make(case, tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    options = {name: str(value) for name, value in case.get("options", {}).items()}
    if "error" in case:
        with pytest.raises(UsageError) as caught:
            convert(path, scratch, read_options(options), "500MB")
        expected = dict(case["error"])
        assert caught.value.message_key == expected.pop("key")
        assert {name: caught.value.facts[name] for name in expected} == expected
        assert explain(caught.value, "en").count("\n") == explain(caught.value, "zh").count("\n") == 1
        assert not (scratch / "copy.duckdb").exists()
        return
    copy = convert(path, scratch, read_options(options), "500MB")
    with duckdb.connect(str(copy), read_only=True) as connection:
        tables = {name: table_facts(connection, name, facts) for name, facts in case["tables"].items()}
        names = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert tables == case["tables"]
    assert {name for (name,) in names} == set(case["tables"])
    notes = load_notes(scratch).items
    for key, facts in case.get("notes", {}).items():
        note = next((note for note in notes if note.key == key), None)
        assert note is not None, (key, notes)
        assert {name: note.facts[name] for name in facts} == facts
    for note in notes:
        assert "{" not in note_text(note, "en") + note_text(note, "zh")


def table_facts(connection: duckdb.DuckDBPyConnection, name: str, expected: dict[str, Any]) -> dict[str, Any]:
    """What a case says about a table."""
    columns = connection.execute(
        "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = ?"
        " ORDER BY column_index",
        [name],
    ).fetchall()
    texts = ", ".join(f"CAST({quoted(column)} AS VARCHAR)" for column, *_ in columns)
    rows = [list(row) for row in connection.execute(f"SELECT {texts} FROM {quoted(name)}").fetchall()]
    facts: dict[str, Any] = {"rows": len(rows), "columns": {column: kind for column, kind, _ in columns}}
    places = {"first": 0, "second": 1, "last": -1}
    facts |= {place: rows[at] for place, at in places.items() if place in expected}
    if "comments" in expected:
        facts["comments"] = {column: comment for column, _, comment in columns if comment}
    return facts


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
