"""Ambiguous questions: two tables that match one word."""

from dataclasses import replace

from text2sql.schema import SchemaContext, build, find_ambiguous_tables
from text2sql.types import Catalog, Choice, Column, ForeignKey, Table


def company() -> SchemaContext:
    tables = (
        Table("orders", (Column("id", "int"), Column("supplier", "text")), "buying"),
        Table("orders", (Column("id", "int"), Column("customer", "text")), "selling"),
    )
    return build(Catalog("postgres", "public", tables, "f"))


def test_a_word_that_two_tables_answer_to_is_asked_back() -> None:
    (ambiguous,) = find_ambiguous_tables("How many orders in 2024?", company())
    assert ambiguous.phrase == "orders"
    assert ambiguous.choices == (
        Choice("buying.orders", "How many buying.orders in 2024?"),
        Choice("selling.orders", "How many selling.orders in 2024?"),
    )


def test_another_word_of_the_question_resolves_the_ambiguity() -> None:
    assert find_ambiguous_tables("How many orders has each customer?", company()) == []


def test_a_synonym_can_be_ambiguous_too() -> None:
    (ambiguous,) = find_ambiguous_tables("订单有多少？", company())
    assert ambiguous.tables == ("buying.orders", "selling.orders")


def test_tables_that_refer_to_each_other_are_not_ambiguous() -> None:
    pets = Table("Pets", (Column("id", "int"), Column("kind", "text")))
    owned = Table(
        "Pet_of",
        (Column("pet", "int"), Column("owner", "int")),
        foreign_keys=(ForeignKey(("pet",), "Pets", ("id",)),),
    )
    alone = build(Catalog("sqlite", "main", (pets, replace(owned, foreign_keys=())), "f"))
    assert find_ambiguous_tables("没有宠物的人有多少？", alone) != []
    assert (
        find_ambiguous_tables("没有宠物的人有多少？", build(Catalog("sqlite", "main", (pets, owned), "f")))
        == []
    )


def test_the_demo_database_has_no_ambiguous_tables(known: SchemaContext) -> None:
    for question in ("How many orders?", "客户的平均年龄", "items per order", "names of employees"):
        assert find_ambiguous_tables(question, known) == []


def test_two_tables_with_the_same_columns_are_ambiguous_for_their_common_word() -> None:
    columns = (Column("id", "int"), Column("amount", "real"))
    tables = tuple(Table(name, columns) for name in ("store_orders", "web_orders", "order_notes"))
    (ambiguous,) = find_ambiguous_tables(
        "How many orders are there?", build(Catalog("sqlite", "main", tables, "f"))
    )
    assert ambiguous.tables == ("store_orders", "web_orders")
