"""Policy documents and the policy of a person: roles add up, and a mistake exposes nothing."""

import json
from typing import Any

import pytest

from text2sql.errors import UsageError
from text2sql.sql import policy_for, read_policies, read_policy, readable_by_all_roles
from text2sql.types import Policies, Policy, Role, RowRule

REGION = "region = :region"


def document(**fields: Any) -> Policies:
    return read_policies(json.dumps(fields))


SHOP = document(
    tables={"products": ["id", "name"]},
    roles={
        "clerk": {"tables": {"orders": ["id", "total"]}, "rows": {"orders": REGION}},
        "owner": {"tables": {"orders": ["id", "note"]}, "rows": {"orders": "owner_id = :user"}},
        "manager": {"tables": {"orders": ["id"], "staff": ["id"]}},
    },
)


def test_a_document_without_roles_holds_for_everybody() -> None:
    policies = document(tables={"orders": ["id"]}, rows={"orders": REGION}, default_schema={"postgres": "s"})
    assert policies == Policies(Role({"orders": ("id",)}, {"orders": REGION}), {}, {"postgres": "s"})
    assert policy_for(policies, ["anybody"], {"region": "north", "other": 1}) == Policy(
        {"orders": ("id",)}, {"postgres": "s"}, {"orders": (RowRule(REGION, (("region", "north"),)),)}
    )


def test_a_person_without_a_role_sees_what_everybody_sees() -> None:
    assert policy_for(SHOP, [], {"region": "north"}) == Policy({"products": ("id", "name")})
    assert policy_for(SHOP, ["nobody knows it"], {}) == Policy({"products": ("id", "name")})


def test_roles_add_columns_and_rows_up() -> None:
    policy = policy_for(SHOP, ["clerk", "owner", "clerk"], {"region": "north", "user": 7})
    assert policy.tables == {"products": ("id", "name"), "orders": ("id", "total", "note")}
    assert policy.rows == {
        "orders": (RowRule(REGION, (("region", "north"),)), RowRule("owner_id = :user", (("user", 7),)))
    }


def test_a_role_without_a_predicate_sees_all_rows() -> None:
    policy = policy_for(SHOP, ["clerk", "manager"], {"region": "north"})
    assert policy.rows == {}
    assert policy.tables["orders"] == ("id", "total")


def test_a_predicate_without_its_claim_shows_nothing() -> None:
    assert policy_for(SHOP, ["clerk"], {"user": 7}).tables == {"products": ("id", "name")}
    assert policy_for(SHOP, ["clerk", "owner"], {"user": 7}).rows == {
        "orders": (RowRule("owner_id = :user", (("user", 7),)),)
    }


@pytest.mark.parametrize(
    "value",
    [None, {"a": 1}, [1, None], [[1]], float("nan"), float("inf"), b"x", "a\x00b", "\u202ex", "\ud800"],
)
def test_a_claim_that_is_not_a_plain_value_counts_as_missing(value: object) -> None:
    assert "orders" not in policy_for(SHOP, ["clerk"], {"region": value}).tables


@pytest.mark.parametrize("value", ["", "  ", "O'Neil", 0, -3, 1.5, True, ["b", "a"], []])
def test_a_claim_may_be_a_text_a_number_a_truth_or_a_list(value: object) -> None:
    (rule,) = policy_for(SHOP, ["clerk"], {"region": value}).rows["orders"]
    expected = tuple(sorted(value)) if isinstance(value, list) else value
    assert rule.claims == (("region", expected),)


def test_a_list_claim_in_an_order_comparison_hides_the_table() -> None:
    policies = document(tables={"t": ["a"]}, rows={"t": "a > :low"})
    assert policy_for(policies, [], {"low": [1, 2]}).tables == {}


def test_a_policy_is_read_without_roles_and_claims() -> None:
    text = json.dumps({"tables": {"a": ["x"], "b": ["x"]}, "rows": {"a": "x = :me"}})
    assert read_policy(text) == Policy({"b": ("x",)})


def test_the_account_reads_what_any_role_sees_and_what_predicates_look_at() -> None:
    policies = document(
        tables={"a": ["x"]},
        rows={"a": "y = 1 AND x IN (SELECT m.z FROM hr.m WHERE m.who = :me AND m.a = a.k)"},
        roles={"r": {"tables": {"a": ["w"], "b": ["x"]}}},
    )
    assert readable_by_all_roles(policies).tables == {
        "a": ("x", "y", "k", "w"),
        "hr.m": ("z", "who", "a"),
        "b": ("x",),
    }


@pytest.mark.parametrize(
    "predicate",
    [
        REGION,
        "TRUE",
        "NOT deleted",
        "(region IN (:regions) OR region IS NULL) AND total BETWEEN 1 AND 100",
        "region NOT IN (:a, 'x')",
        "orders.region = :region",
        "lower(owner) = :user AND valid_to >= CURRENT_DATE",
        "code LIKE 'A%'",
        "team_id IN (SELECT team_id FROM hr.members WHERE user_id = :user)",
        "EXISTS (SELECT 1 FROM members AS m WHERE m.team_id = orders.team_id AND m.user_id = :user)",
    ],
)
def test_a_predicate_is_a_condition_over_its_table(predicate: str) -> None:
    assert (
        document(tables={"orders": ["id"]}, rows={"orders": predicate}).everybody.rows["orders"] == predicate
    )


@pytest.mark.parametrize(
    ("predicate", "problem"),
    [
        ("", "empty"),
        ("region = ", "cannot be read"),
        ("region = 'a'; DELETE FROM orders", "cannot be read"),
        ("region = 'a'; region = 'b'", "is not one condition"),
        ("region = 'a' GROUP BY 1", "cannot be read"),
        ("1", "is no condition"),
        ("region = ?", "needs names"),
        ("pg_sleep(1) = 1", "may not hold Anonymous"),
        ("region LIKE :prefix", "as a pattern"),
        ("other.region = 'a'", "is a column of another table"),
        ("public.orders.region = 'a'", "by its schema"),
        ("text2sql_base.region = 'a'", "may not use the name"),
        ("id IN (SELECT id FROM a, b)", "may not hold joins"),
        ("id IN (SELECT * FROM a)", "may not hold Star"),
        ("id IN (SELECT id FROM f(1))", "may not hold"),
        ("id IN (SELECT id FROM a LIMIT 1)", "may not hold limit"),
        ("id IN (SELECT id FROM a UNION SELECT id FROM b)", "may not hold Union"),
        ("id IN (WITH a AS (SELECT 1) SELECT id FROM a)", "may not hold"),
        ("region\u200b = 'a'", "hidden_character"),
    ],
)
def test_any_other_predicate_is_an_error_when_the_document_is_read(predicate: str, problem: str) -> None:
    with pytest.raises(UsageError, match="rows") as raised:
        document(tables={"orders": ["id"]}, rows={"orders": predicate})
    assert problem in str(raised.value.facts["problem"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "not a JSON object"),
        ("{}", "tables: missing"),
        ('{"tables": {"a": "x"}}', "tables.a: not a list"),
        ('{"tables": {"a": []}, "row": {"a": "x = 1"}}', "row: is it one of"),
        ('{"tables": {"a": []}, "Rows": {"a": "x = 1"}}', "Rows: is it one of"),
        ('{"tables": {"a": []}, "rows": {"b": "x = 1"}}', "rows.b: not among the tables"),
        ('{"tables": {"a": []}, "rows": {"a": 1}}', "rows.a: not a condition"),
        ('{"tables": {"a": []}, "rows": []}', "rows: missing, or not an object"),
        ('{"tables": {"a": ["x"], "a": ["y"]}}', "a: there twice"),
        ('{"roles": {"r": {"tables": {"a": []}, "row": {}}}}', "roles.r: holds more"),
        ('{"roles": {"r": {}}}', "roles.r.tables: missing"),
        ('{"roles": {"r": 1}}', "roles.r: not an object"),
        ('{"roles": {"r": {"tables": {"a": []}, "rows": {"b": "x = 1"}}}}', "roles.r.rows.b: not among"),
    ],
)
def test_a_mistake_in_the_document_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_policies(text)
    assert problem in str(raised.value.facts["problem"])
