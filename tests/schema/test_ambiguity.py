"""Two readings of one question: two ways to join, two tables that a word could mean."""

from dataclasses import replace

from text2sql.schema import Knowledge, build, paths, rivals
from text2sql.types import Catalogue, Choice, Column, ForeignKey, Table


def test_two_ways_of_one_length_are_both_told(known: Knowledge) -> None:
    assert [[step.to for step in path] for path in paths(known.catalogue, "orders", "cities")] == [
        ["customers", "cities"],
        ["stores", "cities"],
    ]


def test_a_longer_way_is_no_second_reading(known: Knowledge) -> None:
    (only,) = paths(known.catalogue, "orders", "customers")
    assert [(step.table, step.columns, step.to, step.referred) for step in only] == [
        ("orders", ("customer_id",), "customers", ("id",))
    ]


def test_two_keys_to_one_table_are_two_ways() -> None:
    airports = Table("airports", (Column("code", "TEXT"),))
    flights = Table(
        "flights",
        (Column("source", "TEXT"), Column("target", "TEXT")),
        foreign_keys=(
            ForeignKey(("source",), "airports", ("code",)),
            ForeignKey(("target",), "airports", ("code",)),
        ),
    )
    catalogue = Catalogue("sqlite", "main", (airports, flights), "f")
    assert [path[0].columns for path in paths(catalogue, "flights", "airports")] == [
        ("source",),
        ("target",),
    ]
    assert [path[0].referred for path in paths(catalogue, "airports", "flights")] == [
        ("source",),
        ("target",),
    ]


def test_tables_that_nothing_joins_have_no_way(known: Knowledge) -> None:
    lonely = Catalogue("sqlite", "main", (Table("a", ()), Table("b", ())), "f")
    assert paths(lonely, "a", "b") == []
    assert paths(known.catalogue, "orders", "nowhere") == []


def company() -> Knowledge:
    tables = (
        Table("orders", (Column("id", "int"), Column("supplier", "text")), "buying"),
        Table("orders", (Column("id", "int"), Column("customer", "text")), "selling"),
    )
    return build(Catalogue("postgres", "public", tables, "f"))


def test_a_word_that_two_tables_answer_to_is_asked_back() -> None:
    (found,) = rivals("How many orders in 2024?", company())
    assert found.said == "orders"
    assert found.choices == (
        Choice("buying.orders", "How many buying.orders in 2024?"),
        Choice("selling.orders", "How many selling.orders in 2024?"),
    )


def test_another_word_decides() -> None:
    assert rivals("How many orders has each customer?", company()) == []


def test_a_synonym_can_have_rivals_too() -> None:
    (found,) = rivals("订单有多少？", company())
    assert found.tables == ("buying.orders", "selling.orders")


def test_tables_of_which_one_refers_to_the_other_are_no_rivals() -> None:
    pets = Table("Pets", (Column("id", "int"), Column("kind", "text")))
    owned = Table(
        "Pet_of",
        (Column("pet", "int"), Column("owner", "int")),
        foreign_keys=(ForeignKey(("pet",), "Pets", ("id",)),),
    )
    alone = build(Catalogue("sqlite", "main", (pets, replace(owned, foreign_keys=())), "f"))
    assert rivals("没有宠物的人有多少？", alone) != []
    assert rivals("没有宠物的人有多少？", build(Catalogue("sqlite", "main", (pets, owned), "f"))) == []


def test_the_shop_has_no_rivals(known: Knowledge) -> None:
    for question in ("How many orders?", "客户的平均年龄", "items per order", "names of employees"):
        assert rivals(question, known) == []


def test_two_tables_of_one_kind_are_rivals_for_their_common_word() -> None:
    columns = (Column("id", "int"), Column("amount", "real"))
    tables = tuple(Table(name, columns) for name in ("store_orders", "web_orders", "order_notes"))
    (found,) = rivals("How many orders are there?", build(Catalogue("sqlite", "main", tables, "f")))
    assert found.tables == ("store_orders", "web_orders")
