"""Features of a query: its order, its hardness, and differences between two queries."""

import pytest

from text2sql.sql.query_features import (
    Hardness,
    UsedNames,
    differences,
    hardness,
    is_ordered,
    shows_arbitrary_row,
    used_names,
)


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("SELECT a FROM t", False),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", False),
        ("SELECT a FROM t UNION SELECT a FROM u ORDER BY a", True),
        ("WITH x AS (SELECT a FROM t ORDER BY a) SELECT a FROM x", False),
        ("(SELECT a FROM t ORDER BY a)", True),
        ("SELECT max(a) OVER (ORDER BY b) FROM t", False),
        ("SELECT FROM WHERE (", False),
    ],
)
def test_only_a_top_level_order_by_orders_the_result(sql: str, ordered: bool) -> None:
    assert is_ordered(sql, "sqlite") is ordered


@pytest.mark.parametrize(
    ("sql", "level"),
    [
        ("SELECT count(*) FROM t", "easy"),
        ("SELECT a FROM t WHERE b = 1 ORDER BY a", "easy"),
        ("SELECT a, count(*) FROM t JOIN u ON t.id = u.id GROUP BY a", "medium"),
        ("SELECT a FROM t WHERE id NOT IN (SELECT id FROM u)", "medium"),
        (
            "SELECT a FROM t JOIN u ON t.id = u.id GROUP BY a HAVING count(*) > 1 ORDER BY count(*) DESC",
            "hard",
        ),
        (
            "SELECT a FROM t WHERE b = 1 INTERSECT SELECT a FROM t JOIN u ON t.i = u.i WHERE c = 2 AND d = 3",
            "hard",
        ),
        (
            "SELECT a FROM t WHERE x=(SELECT max(x) FROM t) EXCEPT SELECT a FROM t JOIN u USING (i) WHERE b",
            "extra",
        ),
        ("SELECT (", "unknown"),
    ],
)
def test_hardness_grows_with_the_parts_of_a_query(sql: str, level: Hardness) -> None:
    assert hardness(sql, "sqlite") == level


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("SELECT name, age FROM t WHERE city = 'Paris'", "column_count"),
        ("SELECT t.name FROM t JOIN u ON t.id = u.id WHERE city = 'Paris'", "table"),
        ("SELECT name FROM t WHERE id IN (SELECT id FROM t WHERE city = 'Paris')", "nesting"),
        ("SELECT max(name) FROM t WHERE city = 'Paris'", "aggregation"),
        ("SELECT DISTINCT name FROM t WHERE city = 'Paris'", "distinct"),
        ("SELECT name FROM t WHERE town = 'Paris'", "condition"),
        ("SELECT name FROM t WHERE city = 'paris'", "value"),
        ("SELECT name FROM t WHERE city = 'Paris' ORDER BY name", "ordering"),
        ("SELECT title FROM t WHERE city = 'Paris'", "output_column"),
        ("SELECT T1.Name FROM t AS T1 WHERE T1.City = 'Paris'", "other"),
        ("SELECT name FROM", "unreadable"),
    ],
)
def test_the_most_significant_difference_comes_first(sql: str, first: str) -> None:
    assert differences("SELECT name FROM t WHERE city = 'Paris'", sql, "sqlite")[0] == first


def test_the_used_names_are_tables_columns_and_texts_without_join_keys() -> None:
    sql = "SELECT T1.name FROM t AS T1 JOIN u AS T2 ON T1.id = T2.t_id WHERE T2.kind = 'x' AND T2.size > 3"
    assert used_names(sql, "sqlite") == UsedNames(("t", "u"), ("name", "kind", "size"), ("x",))
    assert used_names("SELECT FROM WHERE (", "sqlite") == UsedNames()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT name, SUM(price) FROM t", True),
        ("SELECT name FROM t GROUP BY city", True),
        ("SELECT name FROM t WHERE id IN (SELECT size FROM u GROUP BY kind)", True),
        ("SELECT name, MAX(price) FROM t", False),
        ("SELECT name, COUNT(*) OVER () FROM t", False),
        ("SELECT name, COUNT(*) FROM t GROUP BY id", False),
        ("SELECT Name, COUNT(*) FROM t GROUP BY name", False),
        ("SELECT COUNT(*) FROM t", False),
        ("SELECT FROM WHERE (", False),
    ],
)
def test_a_column_that_differs_within_a_group_is_detected(sql: str, expected: bool) -> None:
    assert shows_arbitrary_row(sql, "sqlite", {"ID"}) is expected
