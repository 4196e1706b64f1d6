"""The schema context: the part of a catalog that a policy shows, value queries and the value index."""

import random
import string
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.errors import UsageError
from text2sql.schema import Domain, SchemaContext, ValueIndex, ValueQuery, build, value_queries, visible
from text2sql.sql import check
from text2sql.types import (
    Catalog,
    CheckedSql,
    Claim,
    Column,
    ForeignKey,
    Index,
    Policy,
    RowRule,
    SqlRejected,
    Table,
    ValueDomains,
    ValueHit,
)


def company(dialect: str = "postgres") -> Catalog:
    people = Table(
        "people",
        (Column("id", "int"), Column("name", "text", samples=("Ann",)), Column("salary", "int")),
        "public",
        primary_key=("id",),
        indexes=(Index("by_pay", ("salary",)), Index("by_name", ("name",))),
    )
    badges = Table(
        "badges",
        (Column("code", "text"), Column("person_id", "int"), Column("door", "text")),
        "public",
        primary_key=("code",),
        foreign_keys=(ForeignKey(("person_id",), "people", ("id",), "public"),),
    )
    secrets = Table("people", (Column("id", "int"), Column("diagnosis", "text")), "medical")
    return Catalog(dialect, "public", (badges, people, secrets), "f")


def test_tables_and_columns_outside_the_policy_are_hidden() -> None:
    shown = visible(company(), Policy({"people": ("name",), "badges": ("code", "person_id")}))
    assert [(table.schema, table.name, [col.name for col in table.columns]) for table in shown.tables] == [
        ("public", "badges", ["code", "person_id"]),
        ("public", "people", ["name"]),
    ]


def test_a_key_or_index_that_mentions_something_hidden_goes_with_it() -> None:
    badges, people = visible(company(), Policy({"people": ("name",), "badges": ("code", "person_id")})).tables
    assert badges.primary_key == ("code",)
    assert badges.foreign_keys == ()
    assert people.primary_key == ()
    assert [index.name for index in people.indexes] == ["by_name"]


def test_a_bare_name_is_that_of_the_default_schema_only() -> None:
    shown = visible(company(), Policy({"people": ("id", "diagnosis", "name")}))
    assert [(table.schema, [column.name for column in table.columns]) for table in shown.tables] == [
        ("public", ["id", "name"])
    ]
    other = visible(company(), Policy({"people": ("id", "diagnosis")}, {"postgres": "medical"}))
    assert [table.schema for table in other.tables] == ["medical"]
    named = visible(company(), Policy({"medical.people": ("diagnosis",)}))
    assert [table.schema for table in named.tables] == ["medical"]


def test_a_table_says_that_columns_of_it_are_hidden() -> None:
    shown = visible(company(), Policy({"people": ("id", "name"), "badges": ("code", "person_id", "door")}))
    assert {table.name: table.partial for table in shown.tables} == {"people": True, "badges": False}


@pytest.mark.parametrize(("dialect", "tables"), [("sqlite", 1), ("duckdb", 1), ("postgres", 0)])
def test_case_is_ignored_only_if_the_engine_ignores_it(dialect: str, tables: int) -> None:
    assert len(visible(company(dialect), Policy({"PEOPLE": ("NAME",)})).tables) == tables


@pytest.mark.parametrize("dialect", ["snowflake", "oracle"])
def test_a_policy_in_lower_case_is_of_the_names_that_are_stored_in_capitals(dialect: str) -> None:
    capitals = Table("ORDERS", (Column("ID", "int"), Column("Note", "text")), "PUBLIC")
    quoted = Table("orders", (Column("ID", "int"),), "PUBLIC")
    catalog = Catalog(dialect, "PUBLIC", (capitals, quoted), "f")
    policy = Policy({"orders": ("id", "Note")}, rows={"orders": (RowRule("id = 1"),)})
    known = build(catalog, policy)
    assert known.policy.tables == {"ORDERS": ("ID", "Note")}
    assert known.policy.rows == {"ORDERS": (RowRule("id = 1"),)}
    by_both = build(catalog, Policy({"orders": ("id",)}, {dialect: "shop.public"}))
    assert by_both.policy.tables == {"ORDERS": ("ID",)}


@pytest.mark.parametrize("dialect", ["snowflake", "oracle"])
def test_a_name_that_is_stored_in_lower_case_is_found_by_its_quotes(dialect: str) -> None:
    table = Table("order", (Column("group", "int"), Column("ID", "int")), "PUBLIC")
    known = build(Catalog(dialect, "PUBLIC", (table,), "f"))
    for sql in ('SELECT "group", id FROM "order"', 'SELECT * FROM "order"'):
        assert isinstance(check(sql, dialect, known.catalog, known.policy), CheckedSql)
    assert isinstance(check("SELECT id FROM order_", dialect, known.catalog, known.policy), SqlRejected)
    assert isinstance(check('SELECT id FROM "ORDER"', dialect, known.catalog, known.policy), SqlRejected)


def test_another_policy_is_another_fingerprint() -> None:
    first, second = Policy({"people": ("name",)}), Policy({"people": ("id", "name")})
    prints = {visible(company(), policy).fingerprint for policy in (None, first, second)}
    assert len(prints) == 3
    assert (
        visible(company(), first).fingerprint == visible(company(), Policy({"people": ("name",)})).fingerprint
    )
    changed = replace(company(), fingerprint="g")
    assert visible(changed, first).fingerprint != visible(company(), first).fingerprint


def test_row_counts_and_samples_are_removed_if_rows_are_hidden() -> None:
    known = replace(company(), tables=tuple(replace(table, rows=7) for table in company().tables))
    rule = RowRule("id = :me", (("me", 1),))
    policy = Policy({"people": ("id", "name"), "badges": ("code",)}, rows={"people": (rule,)})
    badges, people = visible(known, policy).tables
    assert (badges.rows, people.rows) == (7, None)
    assert [column.samples for column in people.columns] == [(), ()]
    built = build(known, policy)
    assert built.policy.rows == {"people": (rule,)}
    assert len(built.values) == 0


def test_a_view_without_a_rule_is_hidden_if_tables_have_rules() -> None:
    people, badges = company().tables[1], replace(company().tables[0], kind="view")
    known = replace(company(), tables=(people, badges))
    shown = {"people": ("id",), "badges": ("code",)}
    rules = {"people": (RowRule("id = 1"),)}
    assert [table.name for table in visible(known, Policy(shown)).tables] == ["people", "badges"]
    assert [table.name for table in visible(known, Policy(shown, rows=rules)).tables] == ["people"]
    open_too = {**rules, "badges": (RowRule("TRUE"),)}
    assert [table.name for table in visible(known, Policy(shown, rows=open_too)).tables] == [
        "people",
        "badges",
    ]


def test_another_claim_is_another_fingerprint() -> None:
    def fingerprint(*claims: Claim) -> str:
        rules = tuple(RowRule("id = :me", (("me", claim),)) for claim in claims)
        return visible(company(), Policy({"people": ("id",)}, rows={"people": rules})).fingerprint

    claim_sets: list[tuple[Claim, ...]] = [(), (1,), ("1",), (True,), (1.5,), (("1",),), (1, 2), (2, 1)]
    assert len({fingerprint(*claims) for claims in claim_sets}) == len(claim_sets)


def test_one_table_with_rules_under_two_names_is_bad_usage() -> None:
    policy = Policy({"people": ("id",), "public.people": ("id",)}, rows={"people": (RowRule("id = 1"),)})
    with pytest.raises(UsageError, match="two names"):
        visible(company(), policy)


def test_a_hidden_column_has_no_values_and_no_links() -> None:
    schema_context = build(company(), Policy({"people": ("id",), "badges": ("code",)})).with_values(
        [Domain("people", "name", ("Ann",), True), Domain("badges", "code", ("B-17",), True)]
    )
    assert schema_context.values.find("the code of Ann") == []
    assert schema_context.values.contains("people", "name", "Ann") is None
    assert [hit.column for hit in schema_context.values.find("who has B-17?")] == ["code"]


def test_samples_are_known_before_any_value_is_fetched() -> None:
    schema_context = build(company())
    assert schema_context.values.find("Where is Ann?") == [ValueHit("Ann", "Ann", "people", "name")]
    assert schema_context.values.contains("people", "name", "Bob") is None


def test_a_query_asks_for_one_value_more_than_it_keeps() -> None:
    catalog = company()
    first = next(iter(value_queries(catalog, most=3)))
    assert first.sql == 'SELECT DISTINCT "code" FROM "public"."badges" WHERE "code" IS NOT NULL LIMIT 4'
    assert first.domain(["a", "b", "c"]) == Domain("badges", "code", ("a", "b", "c"), True)
    assert first.domain(["a", "b", "c", "d"]) == Domain("badges", "code", ("a", "b", "c"), False)
    assert not first.domain(["a"], truncated=True).complete


def test_value_queries_distinguish_tables_of_the_same_name() -> None:
    assert [(query.table, query.column) for query in value_queries(company())] == [
        ("badges", "code"),
        ("badges", "door"),
        ("people", "name"),
        ("medical.people", "diagnosis"),
    ]


def test_the_smallest_tables_come_first_and_the_number_is_bounded() -> None:
    tables = tuple(
        Table(name, (Column("a", "text"), Column("b", "text")), rows=rows)
        for name, rows in (("big", 900_000), ("unknown", None), ("small", 5), ("huge", 50_000_000))
    )
    queries = list(value_queries(Catalog("mysql", "shop", tables, "f"), queries=7))
    assert [query.table for query in queries] == ["small"] * 2 + ["big"] * 2 + ["unknown"] * 2 + ["huge"]
    assert queries[0].sql == "SELECT DISTINCT `a` FROM `small` WHERE `a` IS NOT NULL LIMIT 2001"
    assert "LIMIT 100000) t" in queries[-1].sql
    assert not queries[-1].domain(["x"]).complete


@pytest.mark.parametrize(
    "samples",
    [
        ("0b9c3a52-11f3-4c6e-9d0e-7f0a4be6a001",),
        ("ann@example.com", "bob@example.com"),
        ("https://example.com/a",),
        ('{"a": 1}', "[1, 2]"),
        ("2024-01-31", "2024-02-01 10:00:00"),
        ("+49 170 1234567",),
        ("d41d8cd98f00b204e9800998ecf8427e",),
        ("a long text that nobody would ever type into a question, however patient",),
    ],
)
def test_columns_whose_values_users_never_type_are_not_fetched(samples: tuple[str, ...]) -> None:
    table = Table("t", (Column("a", "TEXT", samples=samples), Column("b", "TEXT", samples=("Paris",))))
    assert [query.column for query in value_queries(Catalog("sqlite", "main", (table,), "f"))] == ["b"]


def test_every_query_for_the_shop_passed_the_guard_and_small_domains_are_whole(known: SchemaContext) -> None:
    domains: ValueDomains = known.values
    assert domains.contains("orders", "status", "completed") is True
    assert domains.contains("orders", "status", "done") is False
    assert domains.contains("customers", "email", "a@b.c") is None
    assert domains.contains("nowhere", "status", "completed") is None
    assert domains.contains("main.Orders", "STATUS", "completed") is True


def index(**columns: list[str]) -> ValueIndex:
    value_index = ValueIndex(["orders", "name", "unit price"])
    for column, values in columns.items():
        value_index.add("t", column, values, complete=True)
    return value_index


def test_a_word_of_a_name_is_no_value_of_another_column() -> None:
    value_index = ValueIndex(["head", "born_state", "department", "name", "good_or_bad_customer"])
    value_index.add("department", "name", ["State", "Treasury"])
    value_index.add("customer", "good_or_bad_customer", ["good", "bad"])
    assert value_index.find("How many heads were born in each state?") == []
    assert [hit.value for hit in value_index.find("Who heads State?")] == ["State"], "written as a name"
    assert [hit.value for hit in value_index.find("Who heads the 'state' department?")] == ["State"], "quoted"
    assert [hit.value for hit in value_index.find("How many good customers?")] == ["good"], "its own name"


def test_a_lower_case_word_is_no_name_in_a_question_with_capitals() -> None:
    value_index = ValueIndex()
    value_index.add("staff", "surname", ["Mason", *(f"Name {n}" for n in range(40))])
    value_index.add("staff", "level", ["Senior", "Junior"])
    assert value_index.find("Which mason is there?") == []
    assert [hit.value for hit in value_index.find("Does Mason work here?")] == ["Mason"]
    assert [hit.value for hit in value_index.find("does mason work here?")] == ["Mason"]
    assert [hit.value for hit in value_index.find("How many are senior?")] == ["Senior"], (
        "few values: no names"
    )


def test_a_value_is_found_by_a_synonym() -> None:
    value_index = ValueIndex(["artist", "country", "employee", "role"])
    value_index.add("artist", "country", ["France", "Spain"])
    value_index.add("employee", "role", ["Manager"])
    expected = [("artist", "country", "France")]
    for question in ("How many French artists are there?", "有多少位法国画家？", "法国的画家"):
        assert [(hit.table, hit.column, hit.value) for hit in value_index.find(question)] == expected
    assert [hit.said for hit in value_index.find("French artists of Spain")] == ["Spain", "French"]
    assert value_index.find("Employees who know french") == [], "a word of this schema, not a value"
    assert value_index.find("有多少位雇员？") == []


def test_a_text_is_in_a_column_only_in_its_own_spelling() -> None:
    value_index = index(country=["France", "São Tomé", "haiti"])
    assert value_index.contains("t", "country", "Haiti") is False
    assert value_index.spelled("t", "country", "Haiti") == "haiti"
    assert value_index.spelled("t", "country", "ＳＡＯ  tome") == "São Tomé"
    assert value_index.spelled("t", "country", "Spain") is None


def test_a_text_too_long_for_the_index_is_undecided() -> None:
    assert index(a=["x" * 100]).contains("t", "a", "x" * 100) is None


def test_a_word_is_its_initial_in_a_column_of_letters() -> None:
    value_index = ValueIndex([], "main")
    value_index.add("players", "hand", ["L", "R", "U", ""], complete=True)
    value_index.add("players", "code", ["L", "RX"], complete=True)
    value_index.add("players", "half", ["L", "R"])
    assert value_index.spelled("players", "hand", "left") == "L"
    assert value_index.spelled("players", "hand", "both") is None
    assert value_index.spelled("players", "code", "left") is None, "not all of them are letters"
    assert value_index.spelled("players", "half", "left") is None, "nobody knows the others"


def test_yes_is_spelled_as_the_column_says_it() -> None:
    value_index = ValueIndex()
    value_index.add("staff", "retired", ["T", "F"], complete=True)
    value_index.add("staff", "answer", ["yes", "no", "perhaps"], complete=True)
    value_index.add("staff", "grade", ["Y", "X"], complete=True)
    assert value_index.spelled("staff", "retired", "Yes") == "T"
    assert value_index.spelled("staff", "retired", "0") == "F"
    assert value_index.spelled("staff", "answer", "1") is None, "it says more than yes and no"
    assert value_index.spelled("staff", "grade", "True") is None


def test_a_place_is_found_however_it_is_spelled_there() -> None:
    value_index = index(a=["Paris"], b=["PARIS", "London"])
    assert value_index.columns_with("paris") == [("t", "a"), ("t", "b")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("French", ["France"]),  # the glossary
        ("法国", ["France"]),
        ("Untied States", ["United States"]),  # a slip
        ("United Nations", ["United States"]),  # a word of it
        ("zzz", []),
    ],
)
def test_the_nearest_value_comes_first(value: str, expected: list[str]) -> None:
    value_index = index(country=["France", "United States", "Germany", "Brazil"])
    assert value_index.nearest("t", "country", value, most=1) == expected


def test_a_chinese_column_is_near_to_an_english_word() -> None:
    assert index(city=["北京", "上海", "广州"]).nearest("t", "city", "Shanghai") == ["上海"]


@pytest.mark.parametrize(
    "question",
    [
        "the name and the total of all orders",  # words of every question, names of this schema
        "more than 10 in 2024",
        "who got an A",
        "show the unit prices",
        "客户的名称和数量",
    ],
)
def test_words_that_are_no_values_are_not_hits(question: str) -> None:
    value_index = index(
        a=["name", "total", "orders", "10", "2024", "A", "unit prices", "名称", "数量", "all"]
    )
    assert value_index.find(question) == []


@pytest.mark.parametrize("question", ['who got "A"?', "who got 'A'?", "谁得了“A”？", "谁得了「A」"])
def test_what_is_quoted_is_a_value(question: str) -> None:
    assert [hit.value for hit in index(grade=["A", "B"]).find(question)] == ["A"]


def test_quoted_text_is_taken_whole() -> None:
    value_index = index(a=["York", "Chef's knife"])
    assert value_index.find('the city "New York"') == []
    assert [hit.value for hit in value_index.find("price of 'Chef's knife'")] == ["Chef's knife"]


def test_the_very_spelling_is_preferred() -> None:
    value_index = index(a=["Haiti", "haiti"])
    assert [hit.value for hit in value_index.find("people in haiti")] == ["haiti"]
    assert [hit.value for hit in value_index.find("people in HAITI")] == ["Haiti", "haiti"]


def test_chinese_values_are_found_without_spaces_longest_first() -> None:
    value_index = index(a=["上海", "上海浦东", "手机X1", "海的"])
    assert [hit.said for hit in value_index.find("上海浦东的客户买了多少手机X1？")] == ["上海浦东", "手机X1"]
    assert [hit.said for hit in value_index.find("上海的客户")] == ["上海"]


def test_a_full_index_does_not_claim_to_know_a_whole_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("text2sql.schema.value_index.MOST_VALUES", 2)
    value_index = index(a=["x1", "x2", "x3"])
    assert len(value_index) == 2
    assert value_index.contains("t", "a", "x1") is True
    assert value_index.contains("t", "a", "x3") is None


def test_the_domain_of_a_result_contains_its_texts() -> None:
    query = ValueQuery("t", "a", "SELECT 1", most=2)
    assert query.domain(["x", None, 3]) == Domain("t", "a", ("x",), False)


@given(st.text(max_size=80))
def test_any_text_can_be_a_question(text: str) -> None:
    value_index = index(a=["Paris", "上海", "it's"])
    for hit in value_index.find(text):
        assert hit.said in text


def test_a_question_full_of_quotes_or_letters_costs_no_more_than_its_length() -> None:
    value_index = index(a=["Paris", "上海"])
    for text in ("'a" * 5_000, "a" * 10_000, "“" * 10_000, "上" * 5_000):
        start = time.process_time()
        value_index.find(text)
        assert time.process_time() - start < 1.0


def test_a_text_is_found_by_its_words_where_one_value_has_them() -> None:
    value_index = ValueIndex()
    value_index.add("buildings", "status", ["on-hold", "under construction", "active"], complete=True)
    value_index.add("pets", "kind", ["dog", "dog-s", "cat"], complete=True)
    assert value_index.spelled("buildings", "status", "On Hold") == "on-hold"
    assert value_index.spelled("pets", "kind", "Cats") == "cat"
    assert value_index.spelled("buildings", "status", "hold") is None


def test_a_hundred_thousand_values_are_searched_in_a_millisecond() -> None:
    chance = random.Random(1)
    value_index = ValueIndex()
    for column in range(20):
        latin = ["".join(chance.choices(string.ascii_lowercase + " ", k=12)) for _ in range(4_000)]
        chinese = ["".join(chr(0x4E00 + chance.randrange(3_000)) for _ in range(3)) for _ in range(1_000)]
        value_index.add("t", str(column), [*latin, *chinese], complete=True)
    value_index.add("cities", "name", ["New York", "上海"], complete=True)
    for question, phrase in (
        ("Which of our customers in New York ordered more than twenty products from one supplier "
         "during the last two years?", "New York"),
        ("上海的客户在去年第四季度从供应商那里购买了多少种不同类别的商品以及总金额是多少", "上海"),
    ):  # fmt: skip
        seconds = []
        for _ in range(10):
            start = time.process_time()
            hits = value_index.find(question)
            seconds.append(time.process_time() - start)
        assert phrase in [hit.said for hit in hits]
        assert min(seconds) < 0.002


def test_a_plural_matches_a_singular_value() -> None:
    values = ValueIndex()
    values.add("companies", "kind", ["Subsidiary"])
    hits = values.find("Which subsidiaries have not paid?")
    assert [(hit.said, hit.value) for hit in hits] == [("subsidiaries", "Subsidiary")]
