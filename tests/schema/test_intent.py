"""The intent of questions about the demo database: grouping, ordering, listed columns, negation."""

import pytest

from text2sql.schema import SchemaContext, ValueIndex, build, said
from text2sql.types import Catalog, Column, Table


@pytest.mark.parametrize(
    ("question", "different", "both", "denies"),
    [
        ("How many different cities do customers live in?", True, False, False),
        ("Which customers ordered both tea and coffee?", False, True, False),
        ("Which products have never been returned?", False, False, True),
        ("Customers who didn't order in 2024", False, False, True),
        ("Orders of no more than 100", False, False, False),
        ("Which customers are both young?", False, False, False),
        ("有多少个不同的城市？", True, False, False),
        ("既买过茶又买过咖啡的客户有哪些？", False, True, False),
        ("没有下过订单的客户有哪些？", False, False, True),
        ("不超过100元的订单有多少？", False, False, False),
        ("不到100元的订单有多少？", False, False, False),
        ("List the cities of customers, each city once", True, False, False),
        ("列出客户的城市，每个城市只列一次", True, False, False),
        ("客户住在哪些城市？不要重复。", True, False, False),
        ("Cities of customers, no repetitions", True, False, False),
        ("Cities of customers without duplicates", True, False, False),
        ("Cities of customers. Don't repeat any.", True, False, False),
        ("有没有住在上海的客户？", False, False, False),
    ],
)
def test_simple_flags_of_the_intent_are_detected(
    known: SchemaContext, question: str, different: bool, both: bool, denies: bool
) -> None:
    intent = said(question, known)
    assert (intent.different, intent.both, intent.negation is not None) == (different, both, denies)


def test_a_value_is_sure_where_one_column_has_it(known: SchemaContext) -> None:
    question = "How many gold members are there in Shanghai?"
    hits = known.values.find(question)
    sure = {(hit.table, hit.column) for hit in said(question, known, hits).values}
    twice = [hit for hit in hits if hit.said == "Shanghai"]
    assert ("customers", "level") in sure
    assert (len({(hit.table, hit.column) for hit in twice}) == 1) == any(
        hit in twice for hit in said(question, known, hits).values
    )


def test_the_column_after_each_is_detected(known: SchemaContext) -> None:
    assert said("How many customers does each level have?", known).each == (("customers", "level"),)
    assert ("customers", "level") in said("每个等级有多少客户？", known).each
    assert ("stores", "country") not in said("How many orders does each city have?", known).each
    assert said("How many customers are there?", known).each == ()
    assert said("Count the number of different levels", known).each == ()
    assert said("The average age of customers, each level counted once", known).each == ()
    assert said("客户平均每个等级有多少人？", known).each == ()


def test_the_sought_column_is_detected_unless_everything_is_requested(known: SchemaContext) -> None:
    assert said("Which level has Ann?", known).sought == (("customers", "level"),)
    assert ("customers", "level") in said("哪个等级的客户最多？", known).sought
    assert said("What are all details of the level?", known).sought == ()
    assert said("List the level of all customers", known).sought == (("customers", "level"),)
    assert ("customers", "level") in said("所有客户的等级是什么？", known).sought
    assert said("Show the customers", known).sought == ()


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        ("Show the name, level and gender of each customer", ["name", "level", "gender"]),
        ("Give the customers' names; what is their level and gender?", ["level", "gender"]),
        ("List the level, as well as the gender, of Ann", ["level", "gender"]),
        ("What are the nickname and level of the customers?", ["", "level"]),
        ("列出客户的姓名、等级和性别", ["name", "level", "gender"]),
        ("客户的等级和性别分别是什么？", ["level", "gender"]),
        ("List the customers sorted by level and gender", []),
        ("Customers with more than 5 orders and a level", []),
        ("Show the level of the customers", []),
    ],
)
def test_the_listed_columns_are_detected(known: SchemaContext, question: str, listed: list[str]) -> None:
    intent = [{name for table, name in one if table == "customers"} for one in said(question, known).listed]
    assert intent == [{name} - {""} for name in listed]


def test_a_column_mentioned_only_for_ordering_is_detected(known: SchemaContext) -> None:
    assert ("customers", "level") in said(
        "List the customers in descending order of their level", known
    ).ranked
    assert ("customers", "level") in said("列出客户，按等级降序排列", known).ranked
    assert said("List the level of the customers, sorted by level", known).ranked == ()
    assert said("List the customers", known).ranked == ()
    assert said("列出客户的姓名和等级，按等级降序排列", known).ranked == ()
    assert said("按等级降序排列，显示客户的姓名和等级", known).ranked == ()
    assert said("Sorted by level, list the customers with their level", known).ranked == ()


def test_the_column_after_different_is_detected(known: SchemaContext) -> None:
    assert ("customers", "level") in said("The number of different levels", known).distinct
    assert ("customers", "level") in said("有多少个不同的等级", known).distinct
    assert said("How many levels are there?", known).distinct == ()


def test_an_entity_is_detected_as_its_id_column(known: SchemaContext) -> None:
    assert ("orders", "customer_id") in said("How many orders does every customer have?", known).each


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("List the names of the customers who ordered tea", ("customers",)),
        ("What are the product names?", ("products",)),
        ("Which suppliers deliver tea? Give their names.", ("suppliers",)),
        ("给出没有下过订单的客户的姓名", ("customers",)),
        ("住在上海的客户叫什么名字？", ("customers",)),
        ("Give the names of everyone who works at a store", ()),
        ("Which customers ordered tea?", ("customers",)),
        ("In which store does Ann work?", ("stores",)),
        ("哪些客户下过订单？", ("customers",)),
        ("Which customers ordered tea? Give their ids.", ()),
        ("哪些客户下过订单？给出编号。", ()),
        ("How many customers are there?", ()),
    ],
)
def test_the_tables_whose_names_are_requested_are_detected(
    known: SchemaContext, question: str, named: tuple[str, ...]
) -> None:
    assert said(question, known).named == named


@pytest.mark.parametrize(
    ("question", "denied"),
    [
        ("Which customers live in Shanghai but not in Berlin?", {"Berlin"}),
        ("住在Berlin、不住在Shanghai的客户", {"Shanghai"}),
        ("Which customers live in Berlin?", set()),
        ("Orders from Shanghai of no more than 100", set()),
    ],
)
def test_the_negated_value_is_detected(known: SchemaContext, question: str, denied: set[str]) -> None:
    negation = said(question, known, known.values.find(question)).negation
    assert {hit.value for hit in (negation.values if negation else ())} == denied


def test_a_negation_inside_a_name_does_not_count() -> None:
    room = Table("room", (Column("name", "text"),))
    known = build(Catalog("sqlite", "", (room,), ""))
    known.values.add("room", "name", ["Frugal not apropos", "无锡厅", "No"])
    for question, denies in (
        ("Who booked Frugal not apropos?", False),
        ("Who did not book Frugal not apropos?", True),
        ("谁订过无锡厅？", False),
        ("Rooms with no guests", True),
    ):
        intent = said(question, known, known.values.find(question))
        assert (intent.negation is not None) == denies, question


def test_the_tables_that_a_question_mentions_are_detected(known: SchemaContext) -> None:
    assert {"orders", "customers"} <= said("How many orders does every customer have?", known).things
    assert {"orders", "customers"} <= said("每个客户有多少订单？", known).things
    assert "orders" not in said("How many customers live in Berlin?", known).things


@pytest.mark.parametrize(
    ("question", "measure"),
    [
        ("Which stores have an average salary above 5000?", "avg"),
        ("总金额超过1000的客户", ""),
        ("消费总额超过1000的客户", "sum"),
        ("The average of the total of each order", ""),
        ("Which orders are above 100?", ""),
    ],
)
def test_an_average_or_a_total_is_detected_if_only_one_is_mentioned(
    known: SchemaContext, question: str, measure: str
) -> None:
    assert said(question, known).measure == measure


@pytest.mark.parametrize(
    ("question", "had"),
    [
        ("Customers who wrote a review but never placed an order", ("customers", "reviews")),
        ("写过评价但没有下过订单的客户", ("reviews",)),
        ("Customers who placed an order but live in Berlin", ()),
        ("Customers without an order", ()),
    ],
)
def test_the_tables_before_a_but_are_detected(
    known: SchemaContext, question: str, had: tuple[str, ...]
) -> None:
    negation = said(question, known).negation
    assert (negation.had if negation else ()) == had


def test_a_plural_finds_the_value_that_it_is_of() -> None:
    values = ValueIndex()
    values.add("companies", "kind", ["Subsidiary"])
    hits = values.find("Which subsidiaries have not paid?")
    assert [(hit.said, hit.value) for hit in hits] == [("subsidiaries", "Subsidiary")]


@pytest.mark.parametrize(
    ("question", "fails"),
    [
        ("Which customers did not order tea?", True),
        ("Customers who don't order tea", True),
        ("Customers whose level is not gold", False),
        ("没下过订单的客户", True),
        ("不买茶的客户", True),
        ("等级不是金卡的客户", False),
        ("不超过100元的订单", False),
    ],
)
def test_negation_of_all_is_distinguished_from_negation_of_one(
    known: SchemaContext, question: str, fails: bool
) -> None:
    negation = said(question, known).negation
    assert (negation is not None and negation.fails) == fails


def test_a_word_that_is_a_whole_column_name_is_detected() -> None:
    columns = tuple(Column(name, "text") for name in ("name", "IsRetired", "full_time", "is_covered"))
    known = build(Catalog("sqlite", "", (Table("staff", columns),), ""))
    retired, full_time = ("staff", "IsRetired"), ("staff", "full_time")
    assert said("How many retired people work full time?", known).words == (retired, full_time)
    assert said("有多少退休人员？", known).words == (retired,)
    assert said("覆盖的有多少？", known).words == (("staff", "is_covered"),)
    assert said("Who works here all the time?", known).words == ()


def test_details_are_columns_with_detail_in_their_name() -> None:
    ship = Table("ship", tuple(Column(name, "text") for name in ("name", "other_ship_details")))
    known = build(Catalog("sqlite", "", (ship, Table("port", (Column("name", "text"),))), ""))
    assert ("ship", "other_ship_details") in said("What are the details of the ship Corrib?", known).sought
    assert ("ship", "other_ship_details") in said("Corrib 的详细信息是什么？", known).sought
    assert said("What is known of the ship Corrib?", known).sought == ()


def test_a_column_mentioned_only_as_an_average_or_a_total_is_detected() -> None:
    flat = Table("flat", tuple(Column(name, "int") for name in ("rent", "rooms", "floor_area")))
    known = build(Catalog("sqlite", "", (flat,), ""))
    intent = said("The total number of rooms on streets whose average floor area is over 50", known)
    assert (intent.averaged, intent.totalled) == ((("flat", "floor_area"),), (("flat", "rooms"),))
    assert said("The average rent of flats with a rent over 500", known).averaged == ()
    assert said("平均租金超过500的街道", known).averaged == (("flat", "rent"),)
    assert said("租金超过500的平均租金", known).averaged == ()
