"""Text literals with the columns that they are compared with; queries without one of their conditions."""

import sqlite3

import pytest

from gallery import gallery
from text2sql.sql import Literal, condition_probes, literals, with_row_limit
from text2sql.types import Policy

SPAIN = Literal("artist", "country", "Spain")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT Name FROM artist WHERE country = 'Spain'", [SPAIN]),
        ("SELECT Name FROM artist WHERE 'Spain' = country", [SPAIN]),
        ('SELECT Name FROM artist WHERE country = "Spain"', [SPAIN]),
        ("SELECT a.Name FROM artist AS a WHERE a.Country LIKE 'Spain'", [SPAIN]),
        ("SELECT a.Name FROM artist AS a WHERE a.Country LIKE 'Sp%'", []),
        ("SELECT x.n FROM (SELECT Name AS n, country AS c FROM artist) AS x WHERE c = 'Spain'", [SPAIN]),
        ("WITH x(n, c) AS (SELECT Name, country FROM artist) SELECT n FROM x WHERE c = 'Spain'", [SPAIN]),
        ("SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM artist WHERE country = 'Spain')", [SPAIN]),
        ("SELECT 1 FROM artist WHERE EXISTS (SELECT 1 FROM city WHERE country = 'Spain')", [SPAIN]),
        ("SELECT 1 FROM artist WHERE country <> 'Spain'", [Literal("artist", "country", "Spain", True)]),
        ("SELECT 1 FROM artist WHERE NOT country = 'Spain'", [Literal("artist", "country", "Spain", True)]),
        ("SELECT 1 FROM artist WHERE NOT country <> 'Spain'", [SPAIN]),
        (
            "SELECT 1 FROM artist WHERE country NOT IN ('Spain', 'x')",
            [Literal("artist", "country", "Spain", True), Literal("artist", "country", "x", True)],
        ),
        ("SELECT 1 FROM artist, elsewhere WHERE country = 'Spain'", []),
        ("SELECT 1 FROM elsewhere WHERE country = 'Spain'", []),
        ("SELECT 1 FROM (SELECT UPPER(country) AS c FROM artist) AS x WHERE c = 'Spain'", []),
        ("SELECT 1 FROM artist WHERE BirthYear = 1900 AND country > 'Spain'", []),
        ("not sql", []),
    ],
)
def test_a_text_is_reported_with_its_real_column(sql: str, expected: list[Literal]) -> None:
    assert literals(sql, "sqlite", gallery()) == tuple(expected)


def probes(sql: str, policy: Policy | None = None, most: int = 4) -> list[tuple[str, str]]:
    results = condition_probes(sql, "sqlite", gallery(), policy, most)
    return [(text, checked.sql) for text, checked in results]


def test_each_condition_is_removed_once() -> None:
    sql = "SELECT T1.Name FROM artist AS T1 WHERE T1.country = 'Spain' AND T1.BirthYear > 1900 ORDER BY 1"
    assert probes(sql) == [
        ("country = 'Spain'", "SELECT 1 FROM artist AS T1 WHERE T1.BirthYear > 1900 LIMIT 1"),
        ("BirthYear > 1900", "SELECT 1 FROM artist AS T1 WHERE T1.country = 'Spain' LIMIT 1"),
    ]


def test_a_condition_names_tables_and_not_their_aliases() -> None:
    sql = (
        "SELECT p.title FROM painting AS p JOIN artist AS a ON p.artist_id = a.artist_id "
        "WHERE a.country = 'Spain' AND (p.price > 3 OR p.price IS NULL)"
    )
    (country, without), (price, _) = probes(sql)
    assert country == "artist.country = 'Spain'"
    assert without.endswith("WHERE p.price > 3 OR p.price IS NULL LIMIT 1")
    assert price == "painting.price > 3 OR painting.price IS NULL"


def test_an_or_stays_in_its_brackets() -> None:
    sql = "SELECT 1 FROM painting WHERE price > 1 AND (price > 3 OR price IS NULL) AND title = 'x'"
    assert probes(sql)[0][1] == (
        "SELECT 1 FROM painting WHERE (price > 3 OR price IS NULL) AND title = 'x' LIMIT 1"
    )


def test_a_condition_on_groups_is_tested_on_the_groups() -> None:
    sql = "SELECT artist_id AS who FROM painting WHERE price > 3 GROUP BY who HAVING COUNT(*) > 5"
    inner = "SELECT artist_id AS who FROM painting"
    assert probes(sql) == [
        ("price > 3", f"SELECT 1 FROM ({inner} GROUP BY who HAVING COUNT(*) > 5) AS text2sql_rows LIMIT 1"),
        ("COUNT(*) > 5", f"SELECT 1 FROM ({inner} WHERE price > 3 GROUP BY who) AS text2sql_rows LIMIT 1"),
    ]


def test_the_input_of_an_aggregate_is_tested() -> None:
    sql = "SELECT COUNT(*) FROM artist WHERE country = 'x'"
    assert probes(sql) == [("country = 'x'", "SELECT 1 FROM artist LIMIT 1")]


def test_the_number_of_probes_is_limited() -> None:
    sql = "SELECT 1 FROM painting WHERE price > 1 AND price > 2 AND price > 3"
    assert [text for text, _ in probes(sql, most=2)] == ["price > 1", "price > 2"]


@pytest.mark.parametrize(
    "sql", ["SELECT 1 FROM artist", "SELECT 1 UNION SELECT 2", "DELETE FROM artist WHERE country = 'x'", "("]
)
def test_a_query_without_conditions_has_no_probe(sql: str) -> None:
    assert probes(sql) == []


def test_a_probe_that_the_guard_refuses_is_left_out() -> None:
    policy = Policy({"artist": ("Name",)})
    sql = "SELECT Name FROM artist WHERE country = 'x' AND Name = 'y'"
    assert [text for text, _ in probes(sql, policy)] == ["country = 'x'"]


def test_the_probe_finds_the_condition_that_emptied_the_result() -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE artist (artist_id INT, Name TEXT, country TEXT, BirthYear INT)")
        connection.execute("INSERT INTO artist VALUES (1, 'Rosa Luz', 'france', 1950)")
        sql = "SELECT Name FROM artist WHERE country = 'France' AND BirthYear > 1900"
        assert [(text, connection.execute(probe).fetchall()) for text, probe in probes(sql)] == [
            ("country = 'France'", [(1,)]),
            ("BirthYear > 1900", []),
        ]
    connection.close()


def test_a_query_without_order_and_aggregate_gets_a_row_limit() -> None:
    checked = with_row_limit("SELECT title FROM painting WHERE price > 3", "sqlite", gallery(), rows=5)
    assert checked is not None
    assert checked.sql == "SELECT title FROM painting WHERE price > 3 LIMIT 5"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT title FROM painting ORDER BY price",
        "SELECT DISTINCT title FROM painting",
        "SELECT COUNT(*) FROM painting",
        "SELECT title FROM painting LIMIT 3",
        "SELECT title FROM painting UNION SELECT Name FROM artist",
        "DROP TABLE painting",
    ],
)
def test_a_query_that_needs_every_row_gets_no_row_limit(sql: str) -> None:
    assert with_row_limit(sql, "sqlite", gallery(), rows=5) is None
