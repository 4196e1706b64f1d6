"""What is concluded from values: formats, kinds, units, joins; and which queries are asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.schema.profile import (
    candidates,
    included_in_sample,
    inclusion_query,
    observed,
    sample_query,
    statistics_queries,
    table_profile,
    table_sample,
    with_statistics,
)
from text2sql.schema.profile.formats import integer_format, text_format
from text2sql.types import Catalog, Column, ColumnProfile, InferredJoin, Row, Table


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (["2025-03-04", "2025-12-31"], "date:%Y-%m-%d"),
        (["2025-03-04 10:00:00", "2025-03-05 23:59:59"], "datetime:%Y-%m-%d %H:%M:%S"),
        (["2025-03-04T10:00:00Z"], "datetime:%Y-%m-%dT%H:%M:%S%z"),
        (["03/04/2025", "03/25/2025"], "date:%m/%d/%Y"),
        (["03/04/2025", "25/04/2025"], "date:%d/%m/%Y"),
        (["04.03.2025", "N/A", "05.03.2025"] * 20, "date:%d.%m.%Y"),
        (["01/02/2025", "01/03/2025", "01/04/2025", "02/01/2025"], "date:%m/%d/%Y"),  # in order as months
        (["20250304", "20251231"], "date:%Y%m%d"),
        (["Mar 4, 2025"], "date:%b %d, %Y"),
        (["2025年3月4日"], "date:%Y年%m月%d日"),
        (["2018年7月", "2015年12月"], "date:%Y年%m月"),
        (["20:15", "09:00"], "time:%H:%M"),
        (["$1,548.00", "$39.90"], "number:$1,234.56"),
        (["1.548,00", "39,90"], "number:1.234,56"),
        (["1,548", "2,000,000"], "number:1,234.56"),
        (["12,5", "3,25"], "number:1234,56"),
        (["(1,200.50)", "3.00"], "number:1,234.56"),
        (["1 234,50", "99,00"], "number:1 234,56"),
        (["12.5%", "3%"], "percent:12.3%"),
        (["¥1,548.00", "¥2.00"], "number:¥1,234.56"),
        (["red", "blue"], ""),
        (["01234", "98765"], ""),  # with a leading zero it is no number
        (["13/13/2025"], ""),
        (["", "-"], ""),
    ],
)
def test_the_format_of_texts_is_decided_by_all_values(values: list[str], name: str) -> None:
    found = text_format("column", values)
    assert (found.name if found else "") == name


def test_identifiers_and_codes_are_no_numbers() -> None:
    assert text_format("phone", ["5551234", "5559876"]) is None
    assert text_format("customer_id", ["1001", "1002"]) is None


@given(
    st.decimals(-(10**9), 10**9, places=2), st.sampled_from([(",", "."), (".", ","), ("", "."), (" ", ",")])
)
def test_a_number_is_read_as_it_was_written(value: object, style: tuple[str, str]) -> None:
    grouping, decimal = style
    written = f"{value:,.2f}".replace(",", "_").replace(".", decimal).replace("_", grouping)
    found = text_format("paid", [written, f"1{grouping}234{grouping}567{decimal}89"])
    assert found is not None
    assert found.read(written) == float(str(value))


@pytest.mark.parametrize(
    ("column", "smallest", "largest", "name"),
    [
        ("created_at", 1_600_000_000, 1_700_000_000, "epoch:s"),
        ("event_time", 1_600_000_000_000, 1_700_000_000_000, "epoch:ms"),
        ("order_date", 20_200_101, 20_251_231, "date:%Y%m%d"),
        ("release_year", 1950, 2024, "year"),
        ("成立时间", 1998, 2021, "year"),
        ("amount", 1_600_000_000, 1_700_000_000, ""),
        ("delivery_time", 5, 90, ""),
    ],
)
def test_the_format_of_integers_follows_from_name_and_range(
    column: str, smallest: int, largest: int, name: str
) -> None:
    assert integer_format(column, smallest, largest) == name


def profile_of(table: Table, rows: list[Row]) -> dict[str, ColumnProfile]:
    catalog = Catalog("sqlite", "main", (table,), "f")
    query = sample_query(table, catalog)
    assert query is not None
    profile = table_profile(table, catalog, observed(table_sample(query, rows, truncated=False)))
    return {column.name: column for column in profile.columns}


def test_a_small_table_is_described_by_its_sample_alone() -> None:
    table = Table(
        "songs",
        (
            Column("id", "INTEGER"),
            Column("name", "TEXT"),
            Column("length", "INTEGER"),
            Column("price", "TEXT"),
            Column("genre", "TEXT"),
            Column("is_live", "INTEGER"),
            Column("artist_name", "TEXT"),
            Column("cover", "BLOB"),
        ),
        primary_key=("id",),
    )
    rows: list[Row] = [
        (number, f"song {number}", 180_000 + number, f"${number}.50", genre, number % 2, "Ann")
        for number, genre in enumerate(["rock ", "rock ", "jazz", None] * 3)
    ]
    found = profile_of(table, rows)
    assert found["id"] == ColumnProfile(
        "id", "identifier", 12, 0.0, 0, 11, tuple((n, 1) for n in range(12)), is_unique=True
    )
    assert (found["length"].kind, found["length"].unit) == ("duration", "ms")
    price = found["price"]
    assert (price.kind, price.unit, price.smallest, price.largest) == ("amount", "USD", 0.5, 11.5)
    genre = found["genre"]
    assert (genre.kind, genre.values, genre.nulls) == ("category", (("rock ", 6), ("jazz", 3)), 0.25)
    assert genre.is_padded
    assert found["is_live"].kind == "boolean"
    assert (found["artist_name"].is_personal, found["artist_name"].values) == (True, ())
    assert found["cover"] == ColumnProfile("cover")


def test_a_scan_replaces_the_facts_of_the_sample() -> None:
    table = Table("sales", (Column("amount", "REAL"),))
    catalog = Catalog("mysql", "shop", (table,), "f")
    sample = sample_query(table, catalog)
    assert sample is not None
    assert sample.sql == "SELECT `amount` FROM `sales` LIMIT 1001"
    seen = observed(table_sample(sample, [(float(n),) for n in range(1001)], truncated=False))
    assert (seen.is_whole, seen.scanned) == (False, 1000)
    query = next(statistics_queries(table, catalog, 5_000))
    assert query.sql == (
        "SELECT COUNT(*) AS c0, COUNT(`amount`) AS c1, COUNT(DISTINCT `amount`) AS c2, MIN(`amount`) AS c3,"
        " MAX(`amount`) AS c4 FROM (SELECT `amount` FROM `sales` LIMIT 5000) t"
    )
    scanned = with_statistics(seen, query, (5_000, 4_000, 7, -1, 99))
    column = table_profile(table, catalog, scanned).columns[0]
    assert (column.nulls, column.distinct, column.smallest, column.largest) == (0.2, 7, -1, 99)


def joins_of(customers: list[int], orders: list[int]) -> list[InferredJoin | None]:
    tables = (
        Table("customers", (Column("id", "INTEGER"),)),
        Table(
            "orders", (Column("id", "INTEGER"), Column("customer_id", "INTEGER"), Column("note_id", "TEXT"))
        ),
    )
    catalog = Catalog("sqlite", "main", tables, "f")
    data: dict[str, list[Row]] = {
        "customers": [(number,) for number in customers],
        "orders": [(number, customer, number) for number, customer in enumerate(orders)],
    }
    samples = {}
    for table in tables:
        query = sample_query(table, catalog)
        assert query is not None
        samples[table.name] = observed(table_sample(query, data[table.name], truncated=False))
    return [included_in_sample(join, samples) for join in candidates(catalog, samples)]


def test_a_join_is_inferred_if_nearly_all_values_are_in_a_unique_key() -> None:
    assert joins_of(list(range(100)), [*range(99), 200]) == [
        InferredJoin("orders", "customer_id", "customers", "id", 0.99)
    ]
    assert joins_of(list(range(100)), list(range(50, 150))) == [None]
    assert joins_of([1, 1, 2], [1, 2]) == []


def test_values_are_looked_up_in_a_key_that_is_too_large_to_read() -> None:
    key = Table("customers", (Column("id", "TEXT"),))
    orders = Table("orders", (Column("customer_id", "TEXT"),))
    catalog = Catalog("postgres", "public", (key, orders), "f")
    join = candidates(
        catalog,
        {
            table.name: observed(table_sample(query, [("O'Hara",), ("b",)], truncated=False))
            for table in (key, orders)
            if (query := sample_query(table, catalog)) is not None
        },
    )[0]
    query = inclusion_query(join, ["O'Hara", "b", "line\nbreak"], catalog)
    assert query is not None
    assert query.sql == (
        'SELECT COUNT(*) AS c0, COUNT(DISTINCT "id") AS c1 FROM "customers"'
        " WHERE \"id\" IN ('O''Hara', 'b')"
    )
