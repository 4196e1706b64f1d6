"""The resolver's tolerant mode: what it records for the fixes where strict mode refuses."""

import pytest

from gallery import gallery
from text2sql.sql import check
from text2sql.sql.fixes.fix_context import Fault, FixContext
from text2sql.sql.lenient_parse import parse_leniently
from text2sql.sql.refusal import Refused
from text2sql.sql.resolver import Resolver
from text2sql.sql.schema_index import schema_index_for
from text2sql.sql.statement import Statement
from text2sql.types import Policy, SqlRejected


def context(sql: str, dialect: str = "sqlite") -> FixContext:
    tree, _ = parse_leniently(sql, dialect)
    assert tree is not None
    return FixContext(tree, dialect, schema_index_for(gallery(dialect), None, dialect))


def origins(sql: str) -> list[str]:
    """The stored columns that the outermost SELECT returns, "" for one that is computed or not known."""
    resolved = context(sql)
    outputs = resolved.resolver.outputs
    output_origins = [outputs.origins.get(name) for name in outputs.names]
    return [f"{origin[0].name}.{origin[1].name}" if origin else "" for origin in output_origins]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a.country FROM artist AS a", ["artist.country"]),
        ("SELECT x.c FROM (SELECT country AS c FROM artist) AS x", ["artist.country"]),
        ("WITH x(c) AS (SELECT country FROM artist) SELECT c FROM x", ["artist.country"]),
        (
            "WITH x AS (SELECT title, price FROM painting) SELECT * FROM x",
            ["painting.title", "painting.price"],
        ),
        ("SELECT title FROM painting UNION SELECT title FROM painting", ["painting.title"]),
        ("SELECT title FROM painting UNION SELECT country FROM artist", [""]),
        ("SELECT price + 1 AS p FROM painting", [""]),
        ("SELECT country FROM artist, nowhere", [""]),
        (
            "WITH RECURSIVE x(t, n) AS (SELECT title, 1 FROM painting UNION ALL SELECT t, n + 1 FROM x) "
            "SELECT t FROM x",
            ["painting.title"],
        ),
    ],
)
def test_the_origin_of_an_output_column_is_followed(sql: str, expected: list[str]) -> None:
    assert origins(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM artist NATURAL JOIN painting",
        "SELECT 1 FROM artist, nowhere",
        "SELECT 1 FROM artist, artist",
        "SELECT 1 FROM artist, (SELECT * FROM nowhere) AS x",
        "SELECT 1 FROM artist, json_each('[1]')",
        "SELECT 1 FROM (artist JOIN painting ON 1)",
        "SELECT 1 FROM artist WHERE 1 IN nowhere",
        "WITH x AS (SELECT 1), x AS (SELECT 2) SELECT 1 FROM x",
    ],
)
def test_what_is_not_understood_is_open(sql: str) -> None:
    assert context(sql).scopes[-1].open


def test_a_refusal_leaves_the_rest_of_the_statement_resolved() -> None:
    resolved = context("SELECT a.country FROM artist AS a WHERE EXISTS (SELECT 1 FROM artist, sqlite_master)")
    outer, inner = resolved.scopes
    assert (outer.open, inner.open) == (False, True)
    assert list(inner.sources) == ["artist", "sqlite_master"]
    assert inner.enclosing_select is outer
    assert [column.sql() for column in outer.columns] == ["a.country"]


def test_scopes_record_sources_joins_and_merged_columns() -> None:
    (scope,) = context("SELECT 1 FROM artist AS a JOIN painting AS p USING (artist_id)").scopes
    first, second = scope.sources.values()
    assert (first.key, first.join, second.join) == ("a", None, scope.joins[0])
    assert (first.entry and first.entry.name, second.node.sql()) == ("artist", "painting AS p")
    assert scope.merged == {"artist_id"}


def test_a_cte_may_refer_to_the_query_around_it() -> None:
    sql = "SELECT 1 FROM artist AS a WHERE EXISTS (WITH x AS (SELECT a.country AS c) SELECT c FROM x)"
    resolved = context(sql)
    assert list(resolved.faulty_columns(*Fault)) == []
    outer, cte, _ = resolved.scopes
    assert cte.enclosing_select is outer


def test_tolerant_mode_changes_nothing_in_the_tree() -> None:
    sql = "SELECT main.a.* FROM artist AS a CROSS JOIN main.painting AS p WHERE p.nowhere = 1"
    resolved = context(sql)
    assert resolved.scopes
    assert resolved.tree.sql(dialect="sqlite") == sql


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM orders, sqlite_master",
        "SELECT 1 FROM orders WHERE 1 IN secrets",
        "SELECT ssn FROM customers",
    ],
)
def test_strict_mode_still_refuses(sql: str, policy: Policy) -> None:
    assert isinstance(check(sql, "sqlite", None, policy), SqlRejected)
    resolved = context(sql)
    statement = Statement(resolved.tree, "sqlite", resolved.grammar, policy, None)
    with pytest.raises(Refused):
        Resolver(statement).run()
