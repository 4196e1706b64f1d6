"""Reading: shapes, names, and the one kind of thing that may be run."""

import pytest

from contract.engine_databases import EngineDatabase
from text2sql.database import Database
from text2sql.types import CheckedSql


def test_rows_come_back_in_order_with_their_values(db: Database, engine_db: EngineDatabase) -> None:
    result = db.run(engine_db.checked("SELECT id, name, city FROM customers ORDER BY id"))
    assert [column.name for column in result.columns] == engine_db.named("id", "name", "city")
    assert result.rows == ((1, "王芳", "北京"), (2, "Ann", "Oslo"), (3, "Bob", "Oslo"))
    assert (result.truncated, result.cut_cells, result.row_count) == ("", 0, 3)


def test_a_result_without_rows_keeps_its_columns(db: Database, engine_db: EngineDatabase) -> None:
    result = db.run(engine_db.checked("SELECT id, name FROM customers WHERE id < 0"))
    assert [column.name for column in result.columns] == engine_db.named("id", "name")
    assert result.rows == ()


@pytest.mark.needs("twin_names")
def test_two_columns_may_share_a_name(db: Database, engine_db: EngineDatabase) -> None:
    result = db.run(engine_db.checked("SELECT 1 AS a, 2 AS a"))
    assert [column.name for column in result.columns] == engine_db.named("a", "a")
    assert result.rows == ((1, 2),)


@pytest.mark.fault("D28")
def test_names_with_spaces_dots_quotes_and_chinese_are_read(db: Database, engine_db: EngineDatabase) -> None:
    assert db.run(engine_db.checked('SELECT "姓 名", "a.b" FROM "客户 表"')).rows == (("李雷", 7),)
    assert db.run(engine_db.checked('SELECT "it\'s" FROM "dotted.name"')).rows == ()
    assert db.run(engine_db.checked('SELECT "group", "select" FROM "order"')).rows == ()


def test_a_thousand_columns_come_back(db: Database, engine_db: EngineDatabase) -> None:
    columns = ", ".join(f"{number} AS c{number}" for number in range(1000))
    assert db.run(engine_db.checked(f"SELECT {columns}")).rows == (tuple(range(1000)),)


def test_only_a_checked_query_is_run(db: Database, engine_db: EngineDatabase) -> None:
    for verb in (db.run, db.stream, db.explain):
        with pytest.raises(TypeError, match="CheckedSql"):
            verb("SELECT 1")  # type: ignore[arg-type]


def test_a_query_checked_for_another_dialect_is_not_run(db: Database) -> None:
    with pytest.raises(TypeError, match="cannot run on"):
        db.run(CheckedSql("SELECT 1", "oracle"))


@pytest.mark.needs("result_types")
def test_columns_name_their_types(db: Database, engine_db: EngineDatabase) -> None:
    result = db.run(engine_db.checked("SELECT id, name, amount FROM customers JOIN orders USING (id)"))
    words = [column.type.upper() for column in result.columns]
    assert words[0].startswith(("INT", "NUMBER"))
    assert any(word in words[1] for word in ("CHAR", "TEXT", "STRING"))
    assert "DEC" in words[2] or "NUM" in words[2]


def test_a_database_answers_a_ping(db: Database) -> None:
    db.ping()


@pytest.mark.needs("plan_text")
def test_explain_does_not_run_the_query(db: Database, engine_db: EngineDatabase) -> None:
    plan = db.explain(engine_db.checked("SELECT name FROM customers WHERE id = 2"))
    assert "customers" in plan.text or "by_city" in plan.text


@pytest.mark.needs("plan_rows")
def test_a_plan_estimates_rows(db: Database, engine_db: EngineDatabase) -> None:
    rows = db.explain(engine_db.checked("SELECT * FROM orders")).rows
    assert rows is not None
    assert rows >= 1


@pytest.mark.needs("plan_cost")
def test_a_plan_estimates_cost(db: Database, engine_db: EngineDatabase) -> None:
    cost = db.explain(engine_db.checked("SELECT * FROM orders")).cost
    assert cost is not None
    assert cost > 0
