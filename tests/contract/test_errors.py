"""Errors: one tree, whatever the engine says."""

import pytest

from contract.engine_databases import EngineDatabase
from text2sql.database import Database
from text2sql.database.dialects import Gap
from text2sql.errors import DatabaseError
from text2sql.i18n import explain

# sql, kind, the name the engine complains about, the gap that excuses an engine
CASES: list[tuple[str, str, str, Gap | None]] = [
    ("SELEC 1", "syntax", "", None),
    ("SELECT (1 FROM customers", "syntax", "", None),
    ("SELECT * FROM nowhere", "unknown_table", "nowhere", None),
    ("SELECT absent FROM customers", "unknown_column", "absent", None),
    ("SELECT c.absent FROM customers c", "unknown_column", "absent", None),
    ("SELECT id FROM customers, orders", "ambiguous_column", "id", None),
    ("SELECT CAST('abc' AS INTEGER) FROM customers", "type", "", "strict_types"),
]


@pytest.mark.parametrize(("sql", "kind", "name", "gap"), CASES)
def test_an_error_has_its_kind_and_names_what_is_wrong(
    db: Database, engine_db: EngineDatabase, sql: str, kind: str, name: str, gap: Gap | None
) -> None:
    if gap in engine_db.facts.gaps:
        pytest.skip(f"{engine_db.facts.product}: {gap}")
    with pytest.raises(DatabaseError) as caught:
        db.run(engine_db.checked(sql))
    error = caught.value
    assert (error.kind, error.retry) == (kind, "rewrite")
    assert error.code
    assert error.__cause__ is not None or error.code in ("statements", "statement_type", "first_word")
    if name:
        assert error.identifiers[-1].rpartition(".")[2] == engine_db.named(name)[0]
    for lang in ("en", "zh"):
        assert explain(error, lang).count("\n") == 1


@pytest.mark.needs("error_position")
def test_an_error_has_its_position(db: Database, engine_db: EngineDatabase) -> None:
    sql = "SELECT id,\n  absent\nFROM customers"
    with pytest.raises(DatabaseError) as caught:
        db.run(engine_db.checked(sql))
    assert caught.value.position == sql.index("absent") + 1


def test_explaining_a_wrong_query_raises_the_same_error(db: Database, engine_db: EngineDatabase) -> None:
    with pytest.raises(DatabaseError) as caught:
        db.explain(engine_db.checked("SELECT absent FROM customers"))
    assert caught.value.kind == "unknown_column"


def test_two_statements_are_not_sent(db: Database, engine_db: EngineDatabase) -> None:
    with pytest.raises(DatabaseError) as caught:
        db.run(engine_db.checked("SELECT 1; SELECT 2"))
    assert caught.value.kind == (
        "forbidden" if engine_db.dialect == "bigquery" else "syntax"
    )  # it runs scripts


def test_a_query_that_fails_leaves_the_next_one_alone(db: Database, engine_db: EngineDatabase) -> None:
    for _ in range(5):
        with pytest.raises(DatabaseError):
            db.run(engine_db.checked("SELECT * FROM nowhere"))
        assert db.run(engine_db.checked("SELECT 1 AS a")).rows == ((1,),)
