"""Random analytic queries: what the compiled SQL returns equals a slow evaluation of the form in Python."""

from collections.abc import Sequence
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from sql.compile import star
from sql.compile.conftest import StarDatabase
from sql.compile.test_cases import TODAY, equal, rows_of
from text2sql.sql import compile_query
from text2sql.types import (
    Aggregation,
    AnalyticQuery,
    Bucket,
    Grouping,
    MeasureUse,
    Ranking,
    RelatedFilter,
    TimeFilter,
    Value,
    ValueFilter,
)

Order = dict[str, Value]


def table(name: str) -> dict[Value, dict[str, Value]]:
    found = next(each for each in star.TABLES if each.name == name)
    names = [column for column, _ in found.columns]
    return {row[0]: dict(zip(names, row, strict=True)) for row in found.rows}


def orders() -> list[Order]:
    """Orders with what they refer to, by the names of dimensions."""
    customers, employees, regions = table("customers"), table("employees"), table("regions")
    rows = []
    for order in table("orders").values():
        customer = customers.get(order["customer_id"], {})
        region = regions.get(customer.get("region_id"), {})
        row = {f"orders.{name}": value for name, value in order.items()}
        row |= {f"customers.{name}": customer.get(name) for name in ("city", "name", "vip")}
        row |= {"regions.name": region.get("name"), "employees.name": employees[order["employee_id"]]["name"]}
        row["products"] = [
            i["product_id"] for i in table("order_items").values() if i["order_id"] == order["id"]
        ]
        rows.append(row)
    return rows


DIMENSIONS = ("customers.city", "customers.vip", "regions.name", "employees.name", "orders.status")
BUCKETS: tuple[Bucket, ...] = ("year", "quarter", "month")
AGGREGATES = {
    "sum": sum,
    "count": len,
    "average": lambda values: sum(values) / len(values),
    "min": min,
    "max": max,
}
groupings = st.one_of(
    st.sampled_from(DIMENSIONS).map(Grouping),
    st.sampled_from([Grouping("orders.ordered_at", bucket) for bucket in BUCKETS]),
)
filters = st.one_of(
    st.builds(
        ValueFilter,
        st.just("orders.status"),
        st.sampled_from(("=", "!=")),
        st.lists(st.sampled_from(("paid", "open", "cancelled")), min_size=1, max_size=2, unique=True).map(
            tuple
        ),
    ),
    st.builds(ValueFilter, st.just("customers.city"), st.sampled_from(("is_null", "not_null"))),
    st.builds(
        lambda low, high: TimeFilter("orders.ordered_at", ((min(low, high), max(low, high)),)),
        st.dates(date(2024, 10, 1), date(2025, 8, 1)),
        st.dates(date(2024, 10, 1), date(2025, 8, 1)),
    ),
    st.builds(
        lambda low, high: RelatedFilter("order_items", low, high),
        st.integers(0, 2),
        st.one_of(st.none(), st.integers(0, 3)),
    ),
    st.sampled_from((1, 2, 3)).map(lambda product: ValueFilter("order_items.product_id", "=", (product,))),
)
measures = st.builds(
    lambda function, share: MeasureUse(
        Aggregation(function, "orders" if function == "count" else "orders.total"),
        share=share and function in ("sum", "count"),
    ),
    st.sampled_from(tuple(AGGREGATES)),
    st.booleans(),
)
queries = st.builds(
    lambda uses, groups, kept, most: AnalyticQuery(
        "orders",
        tuple(uses),
        tuple(groups),
        tuple(kept),
        ranking=Ranking(most) if groups else None,
    ),
    st.lists(measures, min_size=1, max_size=2),
    st.lists(groupings, max_size=2, unique_by=lambda grouping: grouping.dimension),
    st.lists(filters, max_size=2),
    st.integers(1, 20),
)


@settings(max_examples=150, deadline=None)
@given(query=queries)
def test_compiled_queries_equal_an_evaluation_in_python(
    query: AnalyticQuery, sqlite_star: StarDatabase
) -> None:
    result = compile_query(query, star.model("sqlite"), None, TODAY, star.catalog("sqlite"))
    found = list(rows_of(sqlite_star, result.sql))
    expected = evaluated(query)
    assert len(found) == len(expected), (found, expected, result.sql)
    for row, wanted in zip(found, expected, strict=True):
        assert len(row) == len(wanted), result.sql
        assert all(map(equal, row, wanted)), (found, expected, result.sql)


def evaluated(query: AnalyticQuery) -> list[Sequence[Value]]:
    rows = [row for row in orders() if all(keeps(each, row) for each in query.filters)]
    groups: dict[tuple[Value, ...], list[Order]] = {}
    for row in rows:
        groups.setdefault(tuple(label(each, row) for each in query.groupings), []).append(row)
    if not query.groupings:
        groups = {(): rows}
    numbers = {key: [number(use, members) for use in query.measures] for key, members in groups.items()}
    totals = [sum(each[index] or 0 for each in numbers.values()) for index in range(len(query.measures))]
    result: list[tuple[tuple[Value, ...], list[Value], float | None]] = []
    for key, values in numbers.items():
        shown: list[Value] = list(key)
        for use, value, total in zip(query.measures, values, totals, strict=True):
            shown.append(value)
            if use.share:
                shown.append(None if value is None or not total else value * 100 / total)
        result.append((key, shown, values[0]))
    result.sort(key=lambda entry: (-(entry[2] or 0), [last(value) for value in entry[0]]))
    most = query.ranking.most if query.ranking else len(result)
    return [shown for _, shown, _ in result[:most]]


def last(value: Value) -> tuple[bool, Value]:
    return value is None, "" if value is None else value


def label(grouping: Grouping, row: Order) -> Value:
    value = row[grouping.dimension]
    if not grouping.bucket:
        return value
    text = str(value)
    quarter = f"{text[:4]}-Q{(int(text[5:7]) + 2) // 3}"
    return {"year": text[:4], "month": text[:7], "quarter": quarter}[grouping.bucket]


def number(use: MeasureUse, members: list[Order]) -> float | None:
    assert isinstance(use.value, Aggregation)
    totals = [row["orders.total"] for row in members]
    if not totals:
        return 0 if use.value.function == "count" else None
    return float(AGGREGATES[use.value.function](totals))  # type: ignore[operator]


def keeps(each: object, row: Order) -> bool:
    products = row["products"]
    assert isinstance(products, list)
    if isinstance(each, RelatedFilter):
        return each.at_least <= len(products) and (each.at_most is None or len(products) <= each.at_most)
    if isinstance(each, TimeFilter):
        ((start, end),) = each.ranges
        return str(start) <= str(row["orders.ordered_at"]) < str(end)
    assert isinstance(each, ValueFilter)
    if each.dimension == "order_items.product_id":
        return each.values[0] in products
    value = row[each.dimension]
    if each.operator in ("is_null", "not_null"):
        return (value is None) == (each.operator == "is_null")
    return value is not None and (value in each.values) == (each.operator == "=")
