"""The grammar allows one read query over the names of the schema, and nothing else."""

import pytest

from llm.gbnf import Grammar
from text2sql.llm.grammar import sql_grammar

TABLES = {
    "singer": ("Singer_ID", "Name", "Country", "Age"),
    "concert": ("concert_ID", "Year", "Stadium_ID", "order"),
    "singer_in_concert": ("concert_ID", "Singer_ID"),
    "order details": ("Unit Price", "Quantity", 'say "hi"'),
    "学生": ("姓名", "年龄"),
}
SQLITE = Grammar(sql_grammar("sqlite", TABLES))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM singer",
        "SELECT COUNT(DISTINCT Country) FROM singer;",
        "select Name, Age from singer where Age > 20 order by Age desc limit 3",
        "SELECT T1.Name, T2.Year FROM singer AS T1 JOIN singer_in_concert AS T3 "
        "ON T1.Singer_ID = T3.Singer_ID JOIN concert AS T2 ON T2.concert_ID = T3.concert_ID "
        "WHERE T2.Year = '2014'",
        "SELECT s.Name FROM singer s LEFT JOIN singer_in_concert sc ON s.Singer_ID = sc.Singer_ID "
        "WHERE sc.concert_ID IS NULL",
        "SELECT Country, AVG(Age) AS average_age FROM singer GROUP BY Country HAVING COUNT(*) > 1 "
        "ORDER BY average_age DESC",
        "SELECT Country, count(*) AS whatever_you_like FROM singer GROUP BY Country",
        "SELECT Name FROM singer WHERE Singer_ID NOT IN (SELECT Singer_ID FROM singer_in_concert)",
        "SELECT Name FROM singer EXCEPT SELECT Name FROM singer WHERE Age < 30",
        "SELECT Name FROM singer WHERE Age = (SELECT max(Age) FROM singer)",
        "SELECT Name FROM singer WHERE Name LIKE '%Hey%' AND NOT Age BETWEEN 20 AND 30 "
        "OR Country IN ('France', 'US')",
        "SELECT CASE WHEN Age >= 30 THEN 'old' ELSE 'young' END AS kind, count(*) FROM singer GROUP BY 1",
        "SELECT Name FROM singer WHERE Name = 'O''Brien'",
        "SELECT Name FROM singer WHERE Country = '法国' -1",
        "SELECT 姓名 FROM 学生 WHERE 年龄 > 18",
        "SELECT 姓名 AS 学生姓名 FROM 学生",
        'SELECT "Unit Price" * Quantity FROM "order details"',
        "SELECT `Unit Price` FROM `order details`",
        'SELECT "say ""hi""" FROM "order details"',
        'SELECT "order" FROM concert',
        "SELECT * FROM singer",
        "SELECT T1.* FROM singer AS T1",
        "SELECT singer.Name FROM singer, concert",
        "SELECT Name, RANK() OVER (PARTITION BY Country ORDER BY Age DESC) AS rn FROM singer",
        "SELECT SUM(Age) OVER (ORDER BY Age ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM singer",
        "WITH young AS (SELECT Name FROM singer WHERE Age < 30) SELECT count(*) FROM young",
        "WITH young AS (SELECT Name AS who FROM singer) SELECT young.who FROM young ORDER BY who",
        "SELECT sub.total FROM (SELECT count(*) AS total FROM singer) AS sub",
        "SELECT CAST(count(*) AS REAL) / (SELECT count(*) FROM concert) FROM singer",
        "SELECT strftime('%Y', Year) FROM concert",
        "SELECT Age - -1, -Age FROM singer LIMIT 10 OFFSET 5",
        "SELECT Name\nFROM singer\nWHERE EXISTS (\n  SELECT * FROM concert\n)",
        "SELECT avg(Age) , min(Age) , max(Age) FROM singer WHERE Country = 'France'",
        "SELECT Country FROM singer WHERE Age > 40 INTERSECT SELECT Country FROM singer WHERE Age < 30",
        "SELECT DISTINCT Country FROM singer WHERE (Age > 20 AND Age < 30) OR (Name <> 'x')",
        "SELECT count(*) FILTER (WHERE Age > 3) FROM singer",
        "SELECT round(100.0 * sum(CASE WHEN Age > 20 THEN 1 ELSE 0 END) / count(*), 2) AS percentage "
        "FROM singer",
    ],
)
def test_what_models_write_is_accepted(sql: str) -> None:
    assert SQLITE.accepts(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "DELETE FROM singer",
        "DROP TABLE singer",
        "INSERT INTO singer VALUES (1)",
        "UPDATE singer SET Age = 1",
        "PRAGMA table_info(singer)",
        "EXPLAIN SELECT * FROM singer",
        "SELECT * FROM singer; DROP TABLE singer",
        "SELECT * FROM singer; SELECT 1",
        "SELECT * FROM singer -- all of them",
        "SELECT * FROM singer --1",
        "SELECT Age--1 FROM singer",
        "SELECT /* x */ * FROM singer",
        "SELECT * FROM passwords",
        "SELECT password FROM singer",
        "SELECT T1.password FROM singer AS T1",
        "SELECT Singer_Id FROM singer",
        "SELECT Unit Price FROM singer",
        "SELECT order FROM concert",
        "SELECT load_extension('x')",
        "SELECT 'never closed FROM singer",
        "SELECT Name FROM singer WHERE Name = 'a' 'b'",
        "SELECT * INTO t FROM singer",
        "WITH gone AS (DELETE FROM singer RETURNING *) SELECT * FROM gone",
        "```sql",
        "Here is the query: SELECT",
    ],
)
def test_anything_else_is_refused(sql: str) -> None:
    assert not SQLITE.accepts(sql)


def test_a_text_quoted_like_a_name_cannot_begin() -> None:
    """`WHERE Country = "France"` names a column in SQLite: the model has to take the other quote."""
    assert not SQLITE.begins('SELECT Name FROM singer WHERE Country = "F')
    assert Grammar(sql_grammar("mysql", TABLES)).accepts('SELECT Name FROM singer WHERE Country = "France"')


@pytest.mark.parametrize(
    ("dialect", "accepted", "refused"),
    [
        ("postgres", 'SELECT "Name" FROM singer', "SELECT Name FROM singer"),
        ("postgres", "SELECT 姓名 FROM 学生", 'SELECT "nope" FROM singer'),
        ("duckdb", 'SELECT Name, "Unit Price" FROM singer', "SELECT `Name` FROM singer"),
        ("mysql", "SELECT `order` FROM concert", 'SELECT Name FROM "order details"'),
        ("bigquery", "SELECT `姓名` FROM `学生`", "SELECT 姓名 FROM 学生"),
        ("snowflake", 'SELECT "Name" FROM "singer"', "SELECT Name FROM singer"),
        ("clickhouse", "SELECT `Unit Price` FROM `order details`", "SELECT Unit Price FROM singer"),
    ],
)
def test_names_are_quoted_as_the_dialect_needs_it(dialect: str, accepted: str, refused: str) -> None:
    grammar = Grammar(sql_grammar(dialect, TABLES))
    assert grammar.accepts(accepted)
    assert not grammar.accepts(refused)


def test_stored_in_capitals_means_written_in_any_case() -> None:
    grammar = Grammar(sql_grammar("oracle", {"EMP": ("ENAME", "SAL")}))
    assert grammar.accepts("SELECT ename FROM emp WHERE SAL > 10 FETCH FIRST 5 ROWS ONLY")


def test_a_table_of_a_schema_is_written_with_it() -> None:
    grammar = Grammar(sql_grammar("postgres", {"sales.orders": ("id",), "users": ("id",)}))
    assert grammar.accepts(
        "SELECT sales.orders.id FROM sales.orders JOIN users ON sales.orders.id = users.id"
    )
    assert not grammar.accepts("SELECT id FROM orders")


def test_backslashes_escape_only_where_they_do() -> None:
    sql = r"SELECT Name FROM singer WHERE Name = 'it\'s'"
    assert Grammar(sql_grammar("mysql", TABLES)).accepts(sql)
    assert not SQLITE.accepts(sql)
    assert SQLITE.accepts(r"SELECT Name FROM singer WHERE Name = 'C:\'")


def test_a_huge_schema_gives_a_grammar_of_bounded_size() -> None:
    tables = {f"table_{t}": tuple(f"column_{t}_{c}" for c in range(40)) for t in range(500)}
    grammar = sql_grammar("sqlite", tables)
    assert len(grammar) < 300_000
    parsed = Grammar(grammar)
    assert parsed.accepts("SELECT column_3_7 FROM table_3")
    assert not parsed.accepts("SELECT column_3_7 FROM other")


def test_few_grammar_stacks_stay_open_while_decoding() -> None:
    """Each costs time at every token."""
    sql = (
        "SELECT T1.Name FROM singer AS T1 JOIN concert AS T2 ON T1.Singer_ID = T2.concert_ID WHERE T1.Age > 3"
    )
    assert max(SQLITE.open_stacks(sql[:at]) for at in range(len(sql))) < 250


def test_the_same_schema_gives_the_same_grammar() -> None:
    assert sql_grammar("sqlite", TABLES) == sql_grammar("sqlite", dict(TABLES))
