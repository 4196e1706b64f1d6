"""Repairs. Every case is two lines in `cases/repairs/`: a query, and what becomes of it in `gallery.py`."""

import sqlite3
import time
from dataclasses import replace

import duckdb
import pytest

from docs_text import cells, read, section
from gallery import ASKED, SAID, GalleryValues, gallery
from sql_cases import CASES, by_dialect, headed
from text2sql.sql import check, repair
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.repairs import REPAIRS, Repaired, mended
from text2sql.types import (
    Catalogue,
    CheckedSql,
    Column,
    ForeignKey,
    Policy,
    RowRule,
    Said,
    SqlRejected,
    Table,
)

FILES = sorted((CASES / "repairs").glob("*.sql"))
SPELLING = {"near_table", "near_column", "typo", "quoted_text", "alias_in_clause"}


def cases() -> list[tuple[str, str, str, str]]:
    """(repair, dialect, query, what becomes of it)"""
    found = []
    for file in FILES:
        lines = list(headed(file))
        found += [(file.stem, *lines[i], lines[i + 1][1]) for i in range(0, len(lines), 2)]
    return found


@pytest.fixture(scope="session")
def shops(policy: Policy) -> dict[str, Catalogue]:
    """The tables of `policy.json` as each dialect stores their names."""
    return {name: _shop(name, policy) for name in GRAMMARS}


def _shop(dialect: str, policy: Policy) -> Catalogue:
    grammar = GRAMMARS[dialect]
    tables = tuple(
        Table(
            grammar.tables.stored(name),
            tuple(Column(grammar.columns.stored(column), "text") for column in columns),
            primary_key=(grammar.columns.stored("id"),) if "id" in columns else (),
        )
        for name, columns in policy.tables.items()
    )
    return Catalogue(dialect, policy.default_schema[dialect], tables, "")


def _mended(name: str, dialect: str, query: str) -> Repaired:
    """Most repairs need to know nothing of the question."""
    return mended(query, dialect, gallery(dialect), GalleryValues(), said=SAID.get(name))


@pytest.mark.parametrize(("name", "dialect", "query", "expected"), cases())
def test_a_sure_fault_is_mended_and_an_unsure_one_is_let_be(
    name: str, dialect: str, query: str, expected: str
) -> None:
    got = _mended(name, dialect, query)
    if expected == "unchanged":
        assert got == Repaired(query)
    else:
        assert got.sql == expected
        assert name.partition(".")[0] in got.fixes


@pytest.mark.parametrize(("name", "dialect", "query", "expected"), cases())
def test_what_was_mended_is_mended_for_good(name: str, dialect: str, query: str, expected: str) -> None:
    once = _mended(name, dialect, query)
    assert _mended(name, dialect, once.sql) == Repaired(once.sql)


@pytest.mark.parametrize(("name", "dialect", "query", "expected"), cases())
def test_what_was_mended_passes_the_guard(name: str, dialect: str, query: str, expected: str) -> None:
    if expected != "unchanged":
        assert isinstance(check(expected, dialect, gallery(dialect)), CheckedSql)


def test_what_was_mended_for_sqlite_and_duckdb_runs_there() -> None:
    lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
    for table in gallery().tables:
        columns = ", ".join(f'"{one.name}" {one.type}' for one in table.columns)
        lite.execute(f"CREATE TABLE {table.name} ({columns})")
        duck.execute(f"CREATE TABLE {table.name} ({columns})")
    for _, dialect, _, expected in cases():
        if dialect == "sqlite" and expected != "unchanged":
            lite.execute(expected)
        elif dialect == "duckdb" and expected != "unchanged":
            duck.execute(expected)
    lite.close()
    duck.close()


def test_every_repair_has_its_cases() -> None:
    reading = {"foreign_syntax", "open_bracket"}
    assert {file.stem.partition(".")[0] for file in FILES} == {one.__name__ for one in REPAIRS} | reading


@pytest.mark.parametrize(("dialect", "_", "sql"), by_dialect("allowed"))
def test_an_honest_statement_is_left_as_it_is(
    dialect: str, _: str, sql: str, shops: dict[str, Catalogue]
) -> None:
    assert mended(sql, dialect, shops[dialect]) == Repaired(sql)


@pytest.mark.parametrize(("dialect", "rule", "sql"), by_dialect("refused"))
def test_a_hostile_statement_is_not_mended_into_another_one(
    dialect: str, rule: str, sql: str, shops: dict[str, Catalogue], policy: Policy
) -> None:
    """A name in the wrong case may become the visible one; nothing else may pass that was refused."""
    got = mended(sql, dialect, shops[dialect])
    if rule not in ("table", "column"):
        assert isinstance(check(got.sql, dialect, None, policy), SqlRejected)
    assert set(got.fixes) <= SPELLING


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "SELECT",
        "not sql at all",
        "SELECT (" * 500,
        "SELECT 'x",
        "DROP TABLE painting",
        "SELECT \x00 1",
    ],
)
def test_what_cannot_be_read_is_left_as_it_is(text: str) -> None:
    assert repair(text, "sqlite", gallery()) == Repaired(text)
    assert repair(text, "cobol", gallery()) == Repaired(text)


def test_a_join_stays_where_a_word_of_the_question_is_not_understood() -> None:
    sql = "SELECT COUNT(a.artist_id) FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id"
    assert mended(sql, "sqlite", gallery(), said=ASKED).fixes == ("unasked_join",)
    unsure = replace(ASKED, understood=False)
    assert mended(sql, "sqlite", gallery(), said=unsure) == Repaired(sql)
    listed = "SELECT a.Name FROM artist AS a JOIN painting AS p ON p.artist_id = a.artist_id"
    assert mended(listed, "sqlite", gallery(), said=unsure).sql == "SELECT a.Name FROM artist AS a"


def test_a_hidden_column_is_never_spelled_as_another() -> None:
    secret = Table("staff", (Column("nam", "text"), Column("name", "text"), Column("salary", "int")))
    other = Table("payroll", (Column("salary", "int"),))
    catalogue = Catalogue("sqlite", "", (secret, other), "")
    policy = Policy({"staff": ("name",)})
    for sql in ("SELECT salary FROM staff", "SELECT nam FROM staff", "SELECT payroll.salary FROM staff"):
        assert mended(sql, "sqlite", catalogue, policy=policy) == Repaired(sql)


def test_a_hidden_table_is_never_joined() -> None:
    policy = Policy({"painting": ("title", "artist_id"), "museum": ("museum_id",)})
    sql = "SELECT title, country FROM painting"
    assert mended(sql, "sqlite", gallery(), policy=policy) == Repaired(sql)


def test_catalogues_with_one_fingerprint_are_told_apart() -> None:
    whole = gallery()
    part = Catalogue("sqlite", "", tuple(one for one in whole.tables if one.name != "artist"), "gallery")
    sql = "SELECT title, country FROM painting"
    assert mended(sql, "sqlite", whole).fixes == ("missing_join",)
    assert mended(sql, "sqlite", part) == Repaired(sql)


def _previous(i: int) -> tuple[ForeignKey, ...]:
    here, there = chr(97 + i), chr(96 + i)
    return (ForeignKey((f"col_{here}_1",), f"table_{there}", (f"col_{there}_0",)),) if i else ()


def test_a_column_called_as_another_tables_key_names_its_rows() -> None:
    """Warehouses declare no foreign keys."""
    staff = Table("staff", (Column("name", "text"), Column("office_id", "int"), Column("id", "int")))
    office = Table("office", (Column("office_id", "int"), Column("city", "text")), primary_key=("office_id",))
    other = Table("badge", (Column("id", "int"), Column("colour", "text")), primary_key=("id",))
    catalogue = Catalogue("sqlite", "", (staff, office, other), "")
    joined = "SELECT s.name, office.city FROM staff AS s JOIN office ON s.office_id = office.office_id"
    assert mended("SELECT s.name, s.city FROM staff AS s", "sqlite", catalogue).sql == joined
    everybodys = "SELECT s.name, s.colour FROM staff AS s"
    assert mended(everybodys, "sqlite", catalogue) == Repaired(everybodys)


def test_a_key_does_not_decide_its_row_through_a_row_policy() -> None:
    """PostgreSQL knows that it does, unless the table is wrapped in the rows that may be seen."""
    sql = "SELECT a.artist_id, a.country, COUNT(*) FROM artist AS a GROUP BY a.artist_id"
    shown = {one.name: tuple(column.name for column in one.columns) for one in gallery().tables}
    rule = RowRule("country = 'Spain'", ())
    policed = Policy(shown, {"postgres": ""}, {"artist": (rule,)})
    assert mended(sql, "postgres", gallery("postgres"), policy=Policy(shown)) == Repaired(sql)
    assert mended(sql, "postgres", gallery("postgres"), policy=policed).sql == f"{sql}, a.country"


def test_a_repair_takes_milliseconds() -> None:
    """Fourteen tables of ten columns."""
    tables = tuple(
        Table(
            f"table_{chr(97 + i)}",
            tuple(Column(f"col_{chr(97 + i)}_{j}", "text") for j in range(10)),
            primary_key=(f"col_{chr(97 + i)}_0",),
            foreign_keys=_previous(i),
        )
        for i in range(14)
    )
    catalogue = Catalogue("sqlite", "", tables, "")
    sql = (
        "SELECT T2.col_a_3, COUNT(*) FROM table_a AS T1 JOIN table_b AS T2 ON T1.col_a_0 = T2.col_b_1 "
        "WHERE T2.col_b_4 = 'x' AND T1.col_b_5 > 3 GROUP BY T1.col_a_3 ORDER BY COUNT(*) DESC LIMIT 3"
    )
    assert mended(sql, "sqlite", catalogue).fixes == ("rebind",)
    seconds = []
    for _ in range(41):
        start = time.process_time()
        mended(sql, "sqlite", catalogue)
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.008  # the best of many: what a busy neighbour costs is not measured


def test_every_repair_is_documented() -> None:
    told = [row[0].strip("`") for row in cells(section(read("docs/repairs.md"), "The repairs"))]
    assert told[1:] == ["foreign_syntax", "open_bracket", *(one.__name__ for one in REPAIRS)]


def test_of_two_tables_with_the_column_the_one_whose_names_are_asked_for_is_joined() -> None:
    people = [
        Table(name, (Column("id", "int"), Column("first_name", "text")), primary_key=("id",))
        for name in ("student", "teacher")
    ]
    columns = tuple(Column(name, "int") for name in ("student_id", "teacher_id", "kind"))
    keys = tuple(ForeignKey((f"{one.name}_id",), one.name, ("id",)) for one in people)
    catalogue = Catalogue("sqlite", "", (*people, Table("incident", columns, foreign_keys=keys)), "")
    both = (
        "FROM incident AS i JOIN student AS s ON i.student_id = s.id JOIN teacher AS t ON i.teacher_id = t.id"
    )
    asked = Said({}, understood=True, named=("teacher",))
    assert mended(f"SELECT first_name {both}", "sqlite", catalogue, said=asked).sql.startswith(
        "SELECT t.first_name FROM"
    )
    query = "SELECT i.first_name FROM incident AS i WHERE i.kind = 3"
    assert mended(query, "sqlite", catalogue) == Repaired(query)
    asked = Said({}, understood=True, named=("student",))
    assert mended(query, "sqlite", catalogue, said=asked).sql == (
        "SELECT student.first_name FROM incident AS i JOIN student ON i.student_id = student.id"
        " WHERE i.kind = 3"
    )


def test_what_is_selected_of_a_third_table_is_ordered_by_it_too() -> None:
    named = [
        Table(name, (Column(f"{name}_id", "int"), Column("name", "text")), primary_key=(f"{name}_id",))
        for name in ("pilot", "plane")
    ]
    keys = tuple(ForeignKey((f"{one.name}_id",), one.name, (f"{one.name}_id",)) for one in named)
    flies = Table(
        "flies",
        (Column("pilot_id", "int"), Column("plane_id", "int"), Column("since", "int")),
        foreign_keys=keys,
    )
    catalogue = Catalogue("sqlite", "", (*named, flies), "")
    joined = "FROM pilot AS T1 JOIN flies AS T2 ON T1.pilot_id = T2.pilot_id"
    got = mended(f"SELECT T1.name, T2.name {joined} ORDER BY T2.name, T1.name", "sqlite", catalogue)
    assert got.sql == (
        f"SELECT T1.name, plane.name {joined} JOIN plane ON T2.plane_id = plane.plane_id "
        "ORDER BY plane.name, T1.name"
    )
