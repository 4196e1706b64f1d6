"""How sure an answer is: what speaks against it, and a number between 0 and 1."""

from typing import Any

import pytest

from text2sql.agents.confidence import WEIGHTS, against, confidence, confidence_of, evidence, signals
from text2sql.agents.state import Passed, SQLMessageState, fresh
from text2sql.schema import build
from text2sql.types import Catalogue, Column, Table

PLAIN = "SELECT name FROM customers WHERE level = 'gold'"


def state(sql: str = PLAIN, *, rows: int = 3, **facts: Any) -> SQLMessageState:
    execution = {"sql": sql, "row_count": rows, "agreement": facts.pop("agreement", None)}
    execution |= {"telling": facts.pop("telling")} if "telling" in facts else {}
    fits = {"unanswered": 0.0, "uncalled": 0.0, "loose": 0.0}
    passed = {
        "sql": sql,
        "against": fits | facts.pop("against", {}),
        "tables": facts.pop("tables", ["customers"]),
        "repairs": facts.pop("repairs", []),
        "candidate": 0,
    }
    logprob = facts.pop("logprob", -0.05)
    held: Any = {
        **fresh(),
        "connection_id": "sqlite:shop.db",
        "question": "Who are the gold customers?",
        "attempts": 1,
        "candidates": [{"sql": sql, "logprob": logprob}],
        "validation_result": {"ok": True, "passed": [passed], "checks": []},
        "execution_result": execution,
        **facts,
    }
    return held  # type: ignore[no-any-return]


def hits(*values: str) -> dict[str, Any]:
    return {"values": [{"said": v, "value": v, "table": "customers", "column": "level"} for v in values]}


def sure(one: SQLMessageState) -> float:
    found = confidence(one)
    assert found is not None
    return found


def test_a_plain_answer_has_nothing_against_it_but_the_models_own_doubt() -> None:
    found = signals(state())
    assert {name: value for name, value in found.items() if value} == {"doubt": 0.05}
    assert set(found) == set(WEIGHTS) - {"bias"}
    assert 0.8 < sure(state()) < 1.0


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
        ("empty", 1.0, {"rows": 1, "telling": 0}),  # a count of 0
        ("tables", 1.0, {"tables": ["customers", "cities"]}),
        ("hardness", 1.0, {"sql": "SELECT a FROM t WHERE b = 1 GROUP BY a ORDER BY a"}),
        ("unused", 1.0, {"schema_info": hits("gold", "Oslo")}),
        ("unsaid", 1.0, {"sql": "SELECT name FROM customers WHERE level = 'silver'"}),
        ("unanswered", 2.0, {"against": {"unanswered": 2.0}}),
        ("uncalled", 1.0, {"against": {"uncalled": 1.0}}),
        ("loose", 1.0, {"against": {"loose": 1.0}}),
        ("assumptions", 1.0, {"assumptions": ["this year"]}),
    ],
)
def test_whatever_speaks_against_an_answer_makes_it_less_sure(
    name: str, value: float, facts: dict[str, Any]
) -> None:
    assert signals(state(**facts))[name] == value
    assert sure(state(**facts)) < sure(state())


def test_the_tenth_error_says_no_more_than_the_fourth() -> None:
    assert signals(state(error_history=[{}] * 10)) == signals(state(error_history=[{}] * 4))


def test_a_verified_query_needs_no_model_to_be_sure() -> None:
    assert signals(state(logprob=None, attempts=0))["blind"] == 0.0


def test_a_value_with_a_quote_is_found_in_the_query() -> None:
    sql = "SELECT a FROM t WHERE b = 'O''Neill'"
    assert signals(state(sql, schema_info=hits("O'Neill")))["unused"] == 0.0


def test_without_a_query_that_ran_there_is_nothing_to_be_sure_of() -> None:
    assert confidence(state(execution_result=None)) is None
    assert confidence(state(validation_result=None)) is None
    assert confidence(fresh()) is None


def test_a_signal_of_an_older_version_counts_for_nothing() -> None:
    assert confidence_of({"forgotten": 9.0}) == confidence_of({}) == pytest.approx(0.9884, abs=1e-4)


SHOP = Catalogue(
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
def test_a_query_that_does_not_answer_to_its_question_has_that_against_it(
    question: str, sql: str, unanswered: int, uncalled: int, loose: int
) -> None:
    found = against(question, sql, build(SHOP))
    assert found == {"unanswered": unanswered, "uncalled": uncalled, "loose": loose}


def test_a_way_less_likely_is_worth_less_but_facts_are_worth_more() -> None:
    asked = state()
    asked["candidates"].append({"sql": "SELECT 1", "logprob": -0.1, "gap": -1.0})
    first = passed_of(asked)
    other: Passed = {**first, "candidate": 1}
    assert evidence(asked, first, 3) == 0.0
    assert evidence(asked, other, 3) == -0.5
    assert evidence(asked, first, 0) < evidence(asked, other, 3)


def passed_of(asked: SQLMessageState) -> Passed:
    validation = asked["validation_result"]
    assert validation is not None
    return validation["passed"][0]
