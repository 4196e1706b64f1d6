"""Words, values, links and renderings: what stands between a question and a prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.schema import Linker, ValueIndex, render, text_columns
from text2sql.schema.words import normalised, words
from text2sql.types import Catalogue, Column, ForeignKey, Table, ValueHit


def shop() -> Catalogue:
    cities = Table("cities", (Column("id", "INTEGER"), Column("name", "TEXT", samples=("Paris", "上海"))))
    people = Table(
        "customers",
        (Column("id", "INTEGER"), Column("full name", "VARCHAR(50)"), Column("city_id", "INTEGER")),
        primary_key=("id",),
        foreign_keys=(ForeignKey(("city_id",), "cities", ("id",)),),
        comment="who buys",
    )
    orders = Table(
        "orders",
        (
            Column("customer_id", "INTEGER"),
            Column("total", "DECIMAL(10,2)"),
            Column("note", "TEXT", comment="备注"),
        ),
        foreign_keys=(ForeignKey(("customer_id",), "customers", ("id",)),),
    )
    return Catalogue("sqlite", "main", (cities, people, orders), "f")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OrderItems", ("order", "item")),
        ("order_items", ("order", "item")),
        ("How many cities are there?", ("city",)),
        ("customerID2", ("customer", "id", "2")),
        ("客户表", ("客户", "户表")),
        ("ＡＢＣ", ("abc",)),
        ("boxes addresses status", ("box", "address", "status")),
    ],
)
def test_words_are_the_same_however_they_are_written(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


def test_a_value_is_found_in_its_own_spelling() -> None:
    index = ValueIndex()
    index.add("cities", "name", ["São Paulo", "Paris", "上海", "New York", None, 7])
    assert index.find("customers in new  york and SAO PAULO") == [
        ValueHit("new  york", "New York", "cities", "name"),
        ValueHit("SAO PAULO", "São Paulo", "cities", "name"),
    ]
    assert index.find("上海的客户有多少？") == [ValueHit("上海", "上海", "cities", "name")]
    assert index.find("people in Parisian cafés") == []


def test_the_longest_value_wins() -> None:
    index = ValueIndex()
    index.add("t", "a", ["York", "New York"])
    assert [hit.value for hit in index.find("New York")] == ["New York"]


def test_near_values_are_offered_for_one_that_is_not_there() -> None:
    index = ValueIndex()
    index.add("t", "a", ["United States", "United Kingdom", "France"])
    assert index.nearest("t", "a", "United Nations") == ["United States", "United Kingdom"]
    assert index.contains("t", "a", "france")
    assert not index.contains("t", "a", "French")


def test_text_columns_are_those_whose_values_people_name() -> None:
    assert [(table.name, columns) for table, columns in text_columns(shop())] == [
        ("cities", ["name"]),
        ("customers", ["full name"]),
        ("orders", ["note"]),
    ]


def test_a_question_is_linked_to_its_tables_and_to_what_joins_them() -> None:
    linker = Linker(shop())
    assert [table.name for table in linker.link("total of orders by city")] == [
        "cities",
        "customers",
        "orders",
    ]
    assert [table.name for table in linker.link("备注", most=1)] == ["orders"]


def test_the_right_dozen_comes_out_of_many_tables() -> None:
    many = tuple(
        Table(f"{topic}_{part}", (Column(f"{topic}_id", "INTEGER"), Column(f"{part}_value", "TEXT")))
        for topic in ("sales", "stock", "staff", "web", "mail", "tax", "fleet", "plant", "legal", "audit")
        for part in [f"part{i}" for i in range(20)]
    )
    linked = Linker(Catalogue("sqlite", "main", many, "f")).link("value of fleet part7", most=12)
    assert len(linked) <= 12
    assert "fleet_part7" in [table.name for table in linked]


def test_a_schema_is_rendered_with_keys_samples_and_comments() -> None:
    assert render(shop()).splitlines()[1:] == [
        'CREATE TABLE customers (id INTEGER PRIMARY KEY, "full name" VARCHAR, city_id INTEGER, '
        "FOREIGN KEY (city_id) REFERENCES cities(id)); -- who buys",
        "CREATE TABLE orders (customer_id INTEGER, total DECIMAL, note TEXT /* 备注 */, "
        "FOREIGN KEY (customer_id) REFERENCES customers(id));",
    ]


@given(st.integers(min_value=0, max_value=600))
def test_a_rendering_never_exceeds_its_budget(budget: int) -> None:
    assert len(render(shop(), budget=budget)) <= budget


@given(st.text(max_size=200))
def test_a_hostile_comment_stays_inside_its_comment(text: str) -> None:
    table = Table("t", (Column("a", "TEXT", comment=text, samples=(text,)),), comment=text)
    shown = render(Catalogue("sqlite", "main", (table,), "f"))
    assert shown.count("*/") <= 1
    assert "\n" not in shown


@given(st.text(max_size=50))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
