"""Confidence: the signals against an answer, and a number between 0 and 1."""

import asyncio
from typing import Any

import pytest

from text2sql.agents.confidence import (
    EXTRA,
    WEIGHTS,
    certainty_of,
    confidence,
    confidence_of,
    evidence,
    mismatch_signals,
    question_signals,
    signals,
)
from text2sql.agents.state import SQLMessageState, ValidatedQuery, new_question_state
from text2sql.schema import build
from text2sql.types import Catalog, Column, Table

PLAIN = "SELECT name FROM customers WHERE level = 'gold'"


def state(sql: str = PLAIN, *, rows: int = 3, **facts: Any) -> SQLMessageState:
    execution = {"sql": sql, "row_count": rows, "agreement": facts.pop("agreement", None)}
    execution |= {"informative_rows": facts.pop("informative_rows")} if "informative_rows" in facts else {}
    fits = {"unanswered": 0.0, "uncalled": 0.0, "loose": 0.0}
    passed = {
        "sql": sql,
        "against": fits | facts.pop("against", {}),
        "tables": facts.pop("tables", ["customers"]),
        "repairs": facts.pop("repairs", []),
        "candidate": 0,
        "hardness": facts.pop("hardness", "easy"),
    }
    logprob = facts.pop("logprob", -0.05)
    full_state: Any = {
        **new_question_state(),
        "connection_id": "sqlite:shop.db",
        "question": "Who are the gold customers?",
        "attempts": 1,
        "candidates": [{"sql": sql, "logprob": logprob}],
        "validation_result": {"ok": True, "passed": [passed], "checks": []},
        "execution_result": execution,
        **facts,
    }
    return full_state  # type: ignore[no-any-return]


def hits(*values: str) -> dict[str, Any]:
    return {"values": [{"said": v, "value": v, "table": "customers", "column": "level"} for v in values]}


def confidence_in(answered: SQLMessageState) -> float:
    value = confidence(answered)
    assert value is not None
    return value


def test_a_plain_answer_has_only_the_signal_of_the_models_own_doubt() -> None:
    found_signals = signals(state())
    assert {name: value for name, value in found_signals.items() if value} == {"doubt": 0.05}
    assert set(found_signals) == set(WEIGHTS) - {"bias", "compiled", "edited", "loosely_named", *EXTRA}
    assert 0.8 < confidence_in(state()) < 1.0


@pytest.mark.parametrize(
    ("name", "value", "facts"),
    [
        ("doubt", 0.4, {"logprob": -0.4}),
        ("blind", 1.0, {"logprob": None}),
        ("repairs", 2.0, {"repairs": ["typo", "rebind"]}),
        ("retries", 1.0, {"retry_count": 1}),
        ("errors", 1.0, {"error_history": [{}]}),
        ("disagreement", 0.5, {"agreement": 0.5}),
        ("empty", 1.0, {"rows": 0}),
        ("empty", 1.0, {"rows": 1, "informative_rows": 0}),  # a count of 0
        ("tables", 1.0, {"tables": ["customers", "cities"]}),
        ("hardness", 1.0, {"hardness": "medium"}),
        ("unused", 1.0, {"schema_info": hits("gold", "Oslo")}),
        ("unsaid", 1.0, {"sql": "SELECT name FROM customers WHERE level = 'silver'"}),
        ("unanswered", 2.0, {"against": {"unanswered": 2.0}}),
        ("uncalled", 1.0, {"against": {"uncalled": 1.0}}),
        ("loose", 1.0, {"against": {"loose": 1.0}}),
        ("assumptions", 1.0, {"assumptions": ["this year"]}),
    ],
)
def test_every_signal_lowers_the_confidence(name: str, value: float, facts: dict[str, Any]) -> None:
    assert signals(state(**facts))[name] == value
    assert confidence_in(state(**facts)) < confidence_in(state())


def test_the_tenth_error_counts_no_more_than_the_fourth() -> None:
    assert signals(state(error_history=[{}] * 10)) == signals(state(error_history=[{}] * 4))


def test_a_verified_query_needs_no_model_to_be_sure() -> None:
    verified = state(logprob=None, attempts=0, assumptions=["verified"])
    assert signals(verified) == {"verified": 1.0}
    assert certainty_of(confidence(verified)) == "sure"


def test_a_value_with_a_quote_is_found_in_the_query() -> None:
    sql = "SELECT a FROM t WHERE b = 'O''Neill'"
    assert signals(state(sql, schema_info=hits("O'Neill")))["unused"] == 0.0


def test_without_an_executed_query_there_is_no_confidence() -> None:
    assert confidence(state(execution_result=None)) is None
    assert confidence(state(validation_result=None)) is None
    assert confidence(new_question_state()) is None


def test_a_signal_of_an_older_version_is_ignored() -> None:
    assert confidence_of({"forgotten": 9.0}) == confidence_of({}) == pytest.approx(0.9884, abs=1e-4)


SHOP = Catalog(
    dialect="sqlite",
    default_schema="",
    fingerprint="shop",
    tables=(
        Table("manager", (Column("id", "int"), Column("name", "text"), Column("town", "text"))),
        Table("sale", (Column("id", "int"), Column("clerk", "text"), Column("total", "int"))),
    ),
)


@pytest.mark.parametrize(
    ("question", "sql", "unanswered", "uncalled", "loose"),
    [
        ("Towns of the managers", "SELECT town FROM manager", 0, 0, 0),
        ("Towns of the managers", "SELECT clerk FROM sale", 2, 1, 0),
        ("经理所在的城镇", "SELECT town FROM manager", 0, 0, 0),
        ("Names of managers in Oslo", "SELECT name FROM manager WHERE town = 'Oslo'", 0, 1, 0),
        ("Clerks and totals", "SELECT clerk, SUM(total) FROM sale", 0, 0, 1),
        ("Clerks and totals", "SELECT clerk, SUM(total) FROM sale GROUP BY clerk", 0, 0, 0),
    ],
)
def test_a_query_that_does_not_fit_its_question_gets_a_signal(
    question: str, sql: str, unanswered: int, uncalled: int, loose: int
) -> None:
    level, found_signals = asyncio.run(mismatch_signals(question, sql, sql, build(SHOP)))
    assert level == "easy"
    assert found_signals == {"unanswered": unanswered, "uncalled": uncalled, "loose": loose}


def test_a_less_likely_alternative_scores_lower_but_facts_weigh_more() -> None:
    answered = state()
    answered["candidates"].append({"sql": "SELECT 1", "logprob": -0.1, "gap": -1.0})
    first = passed_of(answered)
    other: ValidatedQuery = {**first, "candidate": 1}
    assert evidence(answered, first, 3) == 0.0
    assert evidence(answered, other, 3) == -0.5
    assert evidence(answered, first, 0) < evidence(answered, other, 3)


def passed_of(answered: SQLMessageState) -> ValidatedQuery:
    validation = answered["validation_result"]
    assert validation is not None
    return validation["passed"][0]


def test_a_confidence_maps_to_three_words() -> None:
    assert [certainty_of(value) for value in (None, 0.99, 0.93, 0.92, 0.6, 0.5, 0.0)] == [
        None, "sure", "sure", "probably", "probably", "not_sure", "not_sure",
    ]  # fmt: skip


COMPANY = build(
    Catalog(
        "sqlite",
        "main",
        tuple(
            Table(name, tuple(Column(column, "TEXT") for column in columns.split()))
            for name, columns in {
                "employees": "id name city",
                "invoices": "id total invoice_date rate",
            }.items()
        ),
        "f",
    )
)


@pytest.mark.parametrize(
    ("question", "analytic", "unmatched"),
    [
        ("How many employees are there?", 0, 0),
        ("Total of invoices by month in 2024", 0, 0),
        ("What is the rate of each invoice?", 0, 0),  # `rate` is a column
        ("What share of invoices is from last month?", 2, 0),
        ("Median invoice total", 1, 0),
        ("员工的工资是多少？", 0, 1),
        ("发票总额的同比增长率是多少", 2, 0),
    ],
)
def test_a_question_itself_may_lower_the_confidence(question: str, analytic: int, unmatched: int) -> None:
    found_signals = question_signals(question, COMPANY, follow_up=False)
    assert (found_signals["analytic"] > 0) == (analytic > 0)
    assert found_signals["unmatched"] == unmatched


def test_question_kinds_that_a_small_model_fails_at_are_ignored_without_probabilities() -> None:
    extra = {"analytic": 2.0, "unmatched": 0.0, "follow_up": 0.0}
    small, large = state(), state(logprob=None)
    for value in (small, large):
        assert value["validation_result"] is not None
        value["validation_result"]["passed"][0]["extra"] = extra
    assert certainty_of(confidence(small)) != "sure"
    assert "analytic" not in signals(large)
