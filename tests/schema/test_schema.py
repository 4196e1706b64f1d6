"""Word normalization, value matching, table linking and schema rendering."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.schema import Linker, ValueIndex, render, text_columns
from text2sql.schema.render import kind
from text2sql.text_normalization import normalised, words
from text2sql.types import Catalog, Column, ForeignKey, Table, ValueHit


def shop() -> Catalog:
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
    return Catalog("sqlite", "main", (cities, people, orders), "f")


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
    assert index.contains("t", "a", "France")
    assert index.spelled("t", "a", "france") == "France"
    assert not index.contains("t", "a", "French")


def test_text_columns_are_those_whose_values_users_type() -> None:
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
    linked = Linker(Catalog("sqlite", "main", many, "f")).link("value of fleet part7", most=12)
    assert len(linked) <= 12
    assert "fleet_part7" in [table.name for table in linked]


def test_a_schema_is_rendered_as_short_ddl_with_keys_codes_and_comments() -> None:
    assert render(shop()).splitlines() == [
        "CREATE TABLE cities (id int, name text /* 'Paris', '上海' */);",
        'CREATE TABLE customers (id int primary key, "full name" text, city_id int references cities(id)); '
        "-- who buys",
        "CREATE TABLE orders (customer_id int references customers(id), total real, note text /* 备注 */);",
    ]


def test_values_are_rendered_only_if_they_are_complete() -> None:
    columns = (
        Column("sex", "CHAR(1)", samples=("F", "M")),
        Column("name", "TEXT", samples=("Ann", "Bo", "Cy")),
        Column("mark", "TEXT", comment="quality", samples=("it's",)),
        Column("about", "TEXT", samples=("more than 24 characters in all",)),
    )
    assert render(Catalog("sqlite", "main", (Table("t", columns),), "f")) == (
        "CREATE TABLE t (sex text /* 'F', 'M' */, name text, mark text /* quality; 'it''s' */, about text);"
    )


def test_keys_of_several_columns_other_schemas_and_views_are_rendered() -> None:
    line = Table(
        "line",
        (Column("order_id", "BIGINT"), Column("number", "SMALLINT")),
        schema="sales",
        primary_key=("order_id", "number"),
        foreign_keys=(ForeignKey(("order_id", "number"), "part", ("a", "b"), "stock"),),
    )
    view = Table(
        "totals", (Column("sum", "NUMERIC(12,2)"), Column("at", "timestamp with time zone")), kind="view"
    )
    assert render(Catalog("postgres", "public", (line, view), "f")).splitlines() == [
        "CREATE TABLE sales.line (order_id int, number int, "
        "foreign key (order_id, number) references stock.part(a, b));",
        "CREATE VIEW totals (sum real, at time);",
    ]


def test_samples_show_what_a_column_is_like_while_there_is_room() -> None:
    names = Column("name", "text", samples=("Ann Lee", "Bo Ek", "a name that is far too long to be shown"))
    number = Column("age", "int", samples=("41", "7", "19"))
    catalog = Catalog("sqlite", "main", (Table("people", (names, number)),), "f")
    full = render(catalog, samples=True)
    assert full == "CREATE TABLE people (name text /* 'Ann Lee', 'Bo Ek' */, age int);"
    assert render(catalog) == render(catalog, samples=True, budget=len(full) - 1)
    assert render(catalog) == "CREATE TABLE people (name text, age int);"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("VARCHAR(50)", "text"),
        ("character varying", "text"),
        ("enum('a','b')", "text"),
        ("INTEGER", "int"),
        ("bigserial", "int"),
        ("DECIMAL(10,2)", "real"),
        ("double precision", "real"),
        ("DATETIME", "time"),
        ("date", "date"),
        ("tinyint(1)", "int"),
        ("Array(String)", "json"),
        ("interval", "interval"),
        ("point", "point"),
        ("uuid", "uuid"),
        ("", ""),
    ],
)
def test_a_type_is_one_word(declared: str, expected: str) -> None:
    assert kind(declared) == expected


def test_a_rendering_says_less_step_by_step() -> None:
    full = render(shop())
    steps = dict.fromkeys(render(shop(), budget=budget) for budget in range(len(full), 0, -1))
    lean = (
        "CREATE TABLE cities (id int, name /* 'Paris', '上海' */);",
        'CREATE TABLE customers (id primary key, "full name", city_id references cities(id)); -- who buys',
        "CREATE TABLE orders (customer_id references customers, total real, note /* 备注 */);",
    )
    uncommented = "\n".join(lean).replace("; -- who buys", ";").replace(" /* 备注 */", "")
    assert list(steps)[:3] == [full, "\n".join(lean), uncommented]
    assert list(steps)[3].splitlines()[0] == "CREATE TABLE cities (id, name);"


@given(st.integers(min_value=0, max_value=600))
@pytest.mark.fault("D35")
def test_a_rendering_never_exceeds_its_budget(budget: int) -> None:
    assert len(render(shop(), budget=budget)) <= budget


@given(st.text(max_size=200))
def test_a_hostile_comment_stays_inside_its_comment(text: str) -> None:
    table = Table("t", (Column("a", "TEXT", comment=text, samples=(text,)),), comment=text)
    shown = render(Catalog("sqlite", "main", (table,), "f"))
    assert shown.count("*/") <= 1
    assert "\n" not in shown


@given(st.text(max_size=50))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
