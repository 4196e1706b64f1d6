"""`text2sql explain`: a query in plain words, what it reads, and the verdict of the guard."""

import json

import pytest

from terminal import run

QUERY = (
    "SELECT c.city, SUM(o.total) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id "
    "WHERE o.status = 'paid' GROUP BY c.city ORDER BY revenue DESC LIMIT 5"
)


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "en",
            [
                "It reads: the total of orders.total for each customers.city, from orders, customers, "
                "where orders.status = 'paid', sorted by the total of orders.total (highest first), "
                "only the first 5.",
                "Tables: orders, customers",
                "Columns: customers.city, orders.total, customers.id, orders.customer_id, orders.status",
                "The guard allows it.",
            ],
        ),
        (
            "zh",
            [
                "查询内容：每个 customers.city 的 orders.total 的总和，来自表 orders、customers，"
                "条件为 orders.status = 'paid'，按 orders.total 的总和（从高到低） 排序，只取前 5 行。",
                "表：orders, customers",
                "列：customers.city, orders.total, customers.id, orders.customer_id, orders.status",
                "检查允许执行。",
            ],
        ),
    ],
)
def test_a_query_is_explained_in_both_languages(language: str, lines: list[str]) -> None:
    ended = run("explain", QUERY, "--dialect", "sqlite", "--lang", language)
    assert (ended.code, ended.out.splitlines()) == (0, lines)


def test_the_explanation_of_a_refused_query_as_json_has_the_rule() -> None:
    ended = run("explain", "SELECT pg_read_file(path) FROM files", "--dialect", "postgres", "--json")
    explained = json.loads(ended.out)
    assert (ended.code, explained["allowed"], explained["rule"]) == (3, False, "function")
    assert (explained["tables"], explained["columns"]) == (["files"], ["files.path"])


def test_columns_of_a_step_are_not_columns_that_are_read() -> None:
    query = "WITH r AS (SELECT city, SUM(total) AS revenue FROM sales GROUP BY city) SELECT revenue FROM r"
    explained = json.loads(run("explain", query, "--dialect", "duckdb", "--json").out)
    assert (explained["tables"], explained["columns"]) == (["sales"], ["sales.city", "sales.total"])


def test_a_statement_that_is_no_query_has_no_description() -> None:
    ended = run("explain", "DELETE FROM orders", "--dialect", "sqlite")
    assert (ended.code, ended.out.startswith("Only queries are allowed")) == (3, True)
