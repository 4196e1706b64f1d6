"""The generated text: its wrappers are found in it, and cut out of the text that people read."""

from dataclasses import replace

import pytest
from sqlglot import exp

from sql_cases import by_dialect
from text2sql.sql import check
from text2sql.sql.parse import parse_statement, text_of
from text2sql.sql.wrapper_verification import unwrap, verify, without_wrappers
from text2sql.types import Catalog, CheckedSql, Column, Policy, Table


@pytest.mark.parametrize(("dialect", "_", "sql"), by_dialect("allowed"))
def test_the_shown_text_is_the_one_of_the_tree_without_wrappers(
    dialect: str, _: str, sql: str, policy: Policy
) -> None:
    sent = check(sql, dialect, None, policy)
    assert isinstance(sent, CheckedSql)
    statement = parse_statement(sent.sql, dialect, None, policy)
    wrappers = verify(statement, statement.tree)
    cut = without_wrappers(sent.sql, wrappers)
    unwrap(wrappers)
    generated = text_of(statement.tree, dialect)
    assert generated == sent.shown
    assert cut in (generated, None)


def test_a_wrapper_in_a_string_stays_there(policy: Policy) -> None:
    wrapper = check("SELECT id FROM update_log", "postgres", None, policy)
    assert isinstance(wrapper, CheckedSql)
    quoted = wrapper.sql.partition(" FROM ")[2].replace("'", "''")
    both = check(f"SELECT '{quoted}' AS a FROM update_log", "postgres", None, policy)
    assert isinstance(both, CheckedSql)
    assert both.shown == f"SELECT '{quoted}' AS a FROM update_log LIMIT 1000"
    assert both.sql.count("text2sql_base.") == 2 * wrapper.sql.count("text2sql_base.")


@pytest.mark.parametrize("dialect", ["oracle", "postgres", "snowflake", "sqlite"])
def test_the_row_limit_is_in_the_form_that_the_parser_reads(dialect: str) -> None:
    """Else every statement of the dialect would go through all checks twice."""
    sent = check("SELECT 1 AS a", dialect)
    assert isinstance(sent, CheckedSql)
    limit = parse_statement(sent.sql, dialect, None, None).tree.args["limit"]
    assert isinstance(limit, exp.Fetch if dialect == "oracle" else exp.Limit)
    assert check(sent.sql, dialect) == sent


def test_a_changed_policy_and_a_changed_catalog_change_the_wrapper(policy: Policy) -> None:
    def sent(policy: Policy, columns: tuple[str, ...]) -> str:
        table = Table("customers", tuple(Column(name, "text") for name in columns))
        checked = check(
            "SELECT id FROM customers", "postgres", Catalog("postgres", "", (table,), "f"), policy
        )
        assert isinstance(checked, CheckedSql)
        return checked.sql

    fewer = replace(policy, tables={**policy.tables, "customers": ("id", "name")})
    for _ in range(2):
        assert 'base."email"' in sent(policy, ("id", "name", "email", "ssn"))
        assert 'base."email"' not in sent(policy, ("id", "name", "ssn"))
        assert 'base."email"' not in sent(fewer, ("id", "name", "email", "ssn"))
        assert "ssn" not in sent(policy, ("id", "name", "email", "ssn"))
