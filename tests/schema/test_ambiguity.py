"""Ambiguous questions: two join paths, or two tables that match one word."""

from dataclasses import replace

from text2sql.schema import SchemaContext, build, paths, rivals
from text2sql.types import Catalog, Choice, Column, ForeignKey, Table


def test_two_join_paths_of_equal_length_are_both_found(known: SchemaContext) -> None:
    assert [[step.to for step in path] for path in paths(known.catalog, "orders", "cities")] == [
        ["customers", "cities"],
        ["stores", "cities"],
    ]


def test_a_longer_join_path_is_not_ambiguous(known: SchemaContext) -> None:
    (only,) = paths(known.catalog, "orders", "customers")
    assert [(step.table, step.columns, step.to, step.referred) for step in only] == [
        ("orders", ("customer_id",), "customers", ("id",))
    ]


def test_two_foreign_keys_to_one_table_are_two_join_paths() -> None:
    airports = Table("airports", (Column("code", "TEXT"),))
    flights = Table(
        "flights",
        (Column("source", "TEXT"), Column("target", "TEXT")),
        foreign_keys=(
            ForeignKey(("source",), "airports", ("code",)),
            ForeignKey(("target",), "airports", ("code",)),
        ),
    )
    catalog = Catalog("sqlite", "main", (airports, flights), "f")
    assert [path[0].columns for path in paths(catalog, "flights", "airports")] == [
        ("source",),
        ("target",),
    ]
    assert [path[0].referred for path in paths(catalog, "airports", "flights")] == [
        ("source",),
        ("target",),
    ]


def test_unconnected_tables_have_no_join_path(known: SchemaContext) -> None:
    lonely = Catalog("sqlite", "main", (Table("a", ()), Table("b", ())), "f")
    assert paths(lonely, "a", "b") == []
    assert paths(known.catalog, "orders", "nowhere") == []


def company() -> SchemaContext:
    tables = (
        Table("orders", (Column("id", "int"), Column("supplier", "text")), "buying"),
        Table("orders", (Column("id", "int"), Column("customer", "text")), "selling"),
    )
    return build(Catalog("postgres", "public", tables, "f"))


def test_a_word_that_two_tables_answer_to_is_asked_back() -> None:
    (found,) = rivals("How many orders in 2024?", company())
    assert found.said == "orders"
    assert found.choices == (
        Choice("buying.orders", "How many buying.orders in 2024?"),
        Choice("selling.orders", "How many selling.orders in 2024?"),
    )


def test_another_word_of_the_question_resolves_the_ambiguity() -> None:
    assert rivals("How many orders has each customer?", company()) == []


def test_a_synonym_can_be_ambiguous_too() -> None:
    (found,) = rivals("订单有多少？", company())
    assert found.tables == ("buying.orders", "selling.orders")


def test_tables_that_refer_to_each_other_are_not_ambiguous() -> None:
    pets = Table("Pets", (Column("id", "int"), Column("kind", "text")))
    owned = Table(
        "Pet_of",
        (Column("pet", "int"), Column("owner", "int")),
        foreign_keys=(ForeignKey(("pet",), "Pets", ("id",)),),
    )
    alone = build(Catalog("sqlite", "main", (pets, replace(owned, foreign_keys=())), "f"))
    assert rivals("没有宠物的人有多少？", alone) != []
    assert rivals("没有宠物的人有多少？", build(Catalog("sqlite", "main", (pets, owned), "f"))) == []


def test_the_demo_database_has_no_ambiguous_tables(known: SchemaContext) -> None:
    for question in ("How many orders?", "客户的平均年龄", "items per order", "names of employees"):
        assert rivals(question, known) == []


def test_two_tables_with_the_same_columns_are_ambiguous_for_their_common_word() -> None:
    columns = (Column("id", "int"), Column("amount", "real"))
    tables = tuple(Table(name, columns) for name in ("store_orders", "web_orders", "order_notes"))
    (found,) = rivals("How many orders are there?", build(Catalog("sqlite", "main", tables, "f")))
    assert found.tables == ("store_orders", "web_orders")
