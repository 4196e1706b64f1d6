"""What is found in a catalog alone: entities, dimensions, joins, measures."""

from functools import cache

import pytest

from semantics.catalogs import CHINESE_SHOP, SHOP, catalog
from text2sql.semantics import discover
from text2sql.types import (
    ColumnProfile,
    DatabaseProfile,
    Dimension,
    Entity,
    Measure,
    Relation,
    SemanticModel,
    TableProfile,
)


@cache
def shop() -> SemanticModel:
    return discover(catalog(SHOP))


@cache
def chinese_shop() -> SemanticModel:
    return discover(catalog(CHINESE_SHOP))


def entity(model: SemanticModel, table: str) -> Entity:
    found = model.entity(table)
    assert found is not None
    return found


def measure(model: SemanticModel, name: str) -> Measure:
    found = model.measure(name)
    assert found is not None, [other.name for other in model.measures]
    return found


def dimension(model: SemanticModel, name: str) -> Dimension:
    found = model.dimension(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("table", "labels"),
    [
        ("customers", ("first_name", "last_name")),
        ("products", ("product_name",)),
        ("tags", ("tag",)),
        ("orders", ("order_number",)),
        ("order_items", ()),
    ],
)
def test_the_shortest_set_of_columns_that_names_a_row_is_its_label(
    table: str, labels: tuple[str, ...]
) -> None:
    assert entity(shop(), table).labels == labels


def test_a_chinese_name_is_the_label_and_an_abbreviation_is_not() -> None:
    assert entity(chinese_shop(), "客户信息表").labels == ("客户姓名",)
    assert entity(chinese_shop(), "商品").labels == ("商品名称",)


def test_the_main_time_is_that_of_the_event_and_lines_have_the_time_of_their_order() -> None:
    times = {found.table: found.time for found in shop().entities}
    assert times["orders"] == times["order_items"] == "orders.order_date"
    assert times["customers"] == "customers.created_at"
    assert times["employees"] == "employees.hire_date"
    assert times["products"] == times["product_tags"] == ""
    assert entity(chinese_shop(), "订单明细").time == "订单.下单日期"


def test_the_creation_of_a_row_is_its_main_time_before_what_happens_to_it_later() -> None:
    ddl = """CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, picked_at TIMESTAMP, created_at TIMESTAMP,
        delivered_at TIMESTAMP);"""
    assert [found.time for found in discover(catalog(ddl)).entities] == ["parcels.created_at"]


def test_a_bridge_has_nothing_but_references() -> None:
    assert [found.table for found in shop().entities if found.is_bridge] == ["product_tags"]


def test_a_view_that_repeats_tables_is_left_out_and_another_is_last() -> None:
    assert entity(shop(), "sales_by_city").is_view
    assert shop().entity("order_list") is None
    assert shop().measures[-1].table == "sales_by_city"


def test_joins_have_the_role_that_the_column_names_beyond_the_table() -> None:
    roles = {(relation.table, relation.columns[0]): relation.role for relation in shop().relations}
    assert roles["orders", "customer_id"] == ""
    assert roles["orders", "referrer_customer_id"] == "referrer"
    assert roles["employees", "manager_id"] == "manager"


def test_joins_without_a_foreign_key_are_inferred_from_names() -> None:
    inferred = {
        (relation.table, relation.to): relation
        for relation in chinese_shop().relations
        if not relation.declared
    }
    assert set(inferred) == {("订单", "客户信息表"), ("订单明细", "订单"), ("订单明细", "商品")}
    assert inferred["订单", "客户信息表"] == Relation(
        "订单", ("客户编号",), "客户信息表", ("客户编号",), declared=False
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("orders.order_id", "key"),
        ("orders.customer_id", "key"),
        ("orders.order_date", "time"),
        ("orders.is_gift", "boolean"),
        ("orders.status", "category"),
        ("orders.freight", "number"),
        ("employees.title", "category"),
        ("products.product_name", "label"),
    ],
)
def test_every_column_is_a_dimension_with_its_kind(name: str, kind: str) -> None:
    assert dimension(shop(), name).kind == kind


def test_chinese_columns_are_dimensions_too() -> None:
    kinds = {found.column: found.kind for found in chinese_shop().dimensions if found.table == "订单"}
    assert kinds == {
        "订单编号": "key",
        "客户编号": "key",
        "下单日期": "time",
        "发货日期": "time",
        "订单金额": "number",
        "是否退货": "boolean",
        "备注": "label",
    }
    assert dimension(chinese_shop(), "客户信息表.手机号").personal


@pytest.mark.parametrize(
    ("name", "aggregate", "kind", "unit"),
    [
        ("order_items.quantity", "sum", "quantity", ""),
        ("order_items.unit_price", "average", "amount", ""),
        ("order_items.discount", "average", "rate", ""),
        ("orders.freight", "sum", "amount", ""),
        ("products.price", "average", "amount", ""),
        ("products.unit_cost", "average", "amount", ""),
        ("products.weight_kg", "average", "number", "kg"),
        ("products.duration_ms", "average", "duration", "ms"),
        ("products.units_in_stock", "sum", "quantity", ""),
        ("employees.salary_usd", "average", "amount", "USD"),
    ],
)
def test_a_column_has_the_aggregate_and_the_unit_of_its_kind(
    name: str, aggregate: str, kind: str, unit: str
) -> None:
    found = measure(shop(), name)
    assert (found.aggregate, found.kind, found.unit) == (aggregate, kind, unit)


def test_revenue_and_profit_follow_from_quantity_price_discount_and_cost() -> None:
    revenue, profit = measure(shop(), "revenue"), measure(shop(), "profit")
    assert revenue.expression == "quantity * unit_price * (1 - discount)"
    assert profit.expression == "quantity * (unit_price * (1 - discount) - products.unit_cost)"
    assert (revenue.table, revenue.time) == ("order_items", "orders.order_date")
    assert {"turnover", "销售额", "营业额"} <= set(revenue.synonyms)
    assert {"毛利", "利润"} <= set(profit.synonyms)
    assert {"销量", "units sold"} <= set(measure(shop(), "order_items.quantity").synonyms)


def test_stock_is_not_sold() -> None:
    assert {found.table for found in shop().measures if "revenue" in (found.name, *found.synonyms)} == {
        "order_items",
        "sales_by_city",
    }


def test_the_total_of_an_order_is_preferred_to_the_sum_of_its_lines() -> None:
    amounts = [found for found in chinese_shop().measures if "销售额" in found.synonyms]
    assert [(found.name, found.expression) for found in amounts] == [
        ("订单.订单金额", '"订单金额"'),
        ("sales amount", '"数量" * "单价(元)"'),
    ]
    assert amounts[1].unit == "CNY"
    assert measure(chinese_shop(), "profit").expression == '"数量" * ("单价(元)" - "商品"."成本价")'


def test_an_exported_file_is_about_sales_if_its_dates_are() -> None:
    model = discover(
        catalog('CREATE TABLE export_2025 ("Order No" TEXT, "Order Date" DATE, "Net Amount (EUR)" REAL)')
    )
    (amount,) = model.measures
    assert (amount.expression, amount.unit, amount.time) == (
        '"Net Amount (EUR)"',
        "EUR",
        "export_2025.Order Date",
    )
    assert "revenue" in amount.synonyms


@pytest.mark.parametrize(
    ("smallest", "largest", "name", "factor"),
    [
        (0.0, 0.25, "discount", " * (1 - discount)"),
        (0, 30, "discount_percent", " * (1 - discount_percent / 100.0)"),
        (0.7, 1, "折扣", ' * "折扣"'),
        (0, 5_000, "discount", ""),
    ],
)
def test_a_discount_is_read_as_its_range_says(
    smallest: float, largest: float, name: str, factor: str
) -> None:
    items = catalog(f"CREATE TABLE sales (sold_on DATE, quantity INT, price REAL, {name} REAL NOT NULL)")
    columns = (
        ColumnProfile("sold_on", "date"),
        ColumnProfile("quantity", "quantity"),
        ColumnProfile("price", "amount"),
        ColumnProfile(name, "rate", 9, 0.0, smallest, largest),
    )
    profile = DatabaseProfile(tables=(TableProfile("sales", 9, 9, columns),))
    assert measure(discover(items, profile), "revenue").expression == f"quantity * price{factor}"


def test_prefixes_that_all_columns_share_are_no_part_of_their_names() -> None:
    model = discover(
        catalog("CREATE TABLE customer (c_custkey INT, c_name TEXT, c_acctbal REAL, c_phone TEXT)")
    )
    assert entity(model, "customer").labels == ("c_name",)
    assert dimension(model, "customer.c_name").synonyms == ("c name", "name")


def test_synonyms_are_readable_names_comments_and_the_glossary() -> None:
    model = discover(catalog(SHOP), synonyms=lambda name: ["货品"] if name == "product" else [])
    assert entity(model, "products").synonyms == ("product", "货品")
    assert dimension(model, "products.product_name").synonyms == ("product name",)
