"""Conversion of driver values to JSON: the forms, the fast path, the sizes."""

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.database.values import convert_rows, duration, parse_json, row_size, to_json_value

FORMS: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (2**53, 2**53),
    (2**53 + 1, str(2**53 + 1)),
    (-(2**60), str(-(2**60))),
    (1.5, 1.5),
    (float("nan"), "NaN"),
    (float("inf"), "Infinity"),
    (float("-inf"), "-Infinity"),
    (Decimal("1.50"), 1.5),
    (Decimal(7), 7),
    (Decimal("1E+3"), 1000),
    (Decimal("0.1"), 0.1),
    (Decimal("0.12345678901234567890"), "0.12345678901234567890"),
    (Decimal(99999999999999999999), "99999999999999999999"),
    (Decimal("NaN"), "NaN"),
    (Decimal("-Infinity"), "-Infinity"),
    (date(2024, 2, 29), "2024-02-29"),
    (datetime(2024, 2, 29, 1, 2, 3), "2024-02-29T01:02:03"),
    (datetime(2024, 2, 29, tzinfo=UTC), "2024-02-29T00:00:00+00:00"),
    (time(1, 2, tzinfo=timezone(timedelta(hours=5, minutes=30))), "01:02:00+05:30"),
    (timedelta(days=1, hours=2, microseconds=500_000), "P1DT2H0.5S"),
    (timedelta(hours=-36), "P-1DT-12H"),
    (timedelta(0), "PT0S"),
    (b"\x00\xff", "0x00ff"),
    (bytearray(b"\x01"), "0x01"),
    (memoryview(b"\x01"), "0x01"),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ("a\0b\ud800c", "a\ufffdb\ufffdc"),
    ([1, (2, {"k": Decimal("0.5")})], [1, [2, {"k": 0.5}]]),
    ({1: b"\x01", None: 1, "a": {date(2024, 1, 1): 2}}, {"1": "0x01", "null": 1, "a": {"2024-01-01": 2}}),
    (complex(1, 2), "(1+2j)"),
]


@pytest.mark.parametrize(
    ("value", "expected"),
    FORMS,
    ids=lambda value: "memoryview" if isinstance(value, memoryview) else ascii(value),
)
def test_a_value_has_one_form(value: Any, expected: Any) -> None:
    got = to_json_value(value)
    assert got == expected
    assert type(got) is type(expected)
    assert convert_rows([(value,), (None,)], 1_000).rows == [(expected,), (None,)]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((14, 3, 14_706_700_000), "P1Y2M3DT4H5M6.7S"),
        ((-14, 0, 0), "P-1Y-2M"),
        ((0, 0, -500_000), "PT-0.5S"),
        ((1, -1, 3_600_000_000), "P1M-1DT1H"),
        ((0, 0, 0), "PT0S"),
    ],
)
def test_a_duration_keeps_months_days_and_time_apart(parts: tuple[int, int, int], text: str) -> None:
    assert duration(*parts) == text


def test_json_text_is_parsed_without_losing_digits() -> None:
    assert parse_json('{"a": 0.1, "b": 0.12345678901234567890123}') == {
        "a": 0.1,
        "b": "0.12345678901234567890123",
    }
    assert parse_json("not json") == "not json"
    assert parse_json("[" * 5_000) == "[" * 5_000


def test_endless_nesting_becomes_text() -> None:
    value: Any = 1
    for _ in range(300):
        value = [value]
    json.dumps(to_json_value(value), allow_nan=False)


def test_rows_without_columns_are_returned() -> None:
    assert convert_rows([(), ()], 10).rows == [(), ()]


def test_cells_are_cut_by_bytes_and_counted() -> None:
    rows, _, cut = convert_rows([("é" * 10, b"\x01" * 10, [1] * 100, 5), ("ok", b"\x01", [1], 5)], 12)
    assert rows == [("é" * 6 + "…", "0x0101010101…", "[1, 1, 1, 1,…", 5), ("ok", "0x01", [1], 5)]
    assert cut == 3


def test_the_weight_of_a_batch_is_the_weight_of_its_rows() -> None:
    rows, size, _ = convert_rows([("abc", 1, None, True), ("éé", 2.5, [1], False)], 1_000)
    assert size == sum(map(row_size, rows))


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.binary()
    | st.text(st.characters(codec=None))
    | st.dates()
    | st.datetimes()
    | st.timedeltas()
    | st.uuids(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=5,
)


@given(st.lists(st.tuples(ANYTHING, ANYTHING), max_size=5), st.integers(10, 100))
def test_whatever_a_driver_returns_survives_json(rows: list[tuple[Any, Any]], cell_bytes: int) -> None:
    converted = convert_rows(rows, cell_bytes)
    text = json.dumps(converted.rows, allow_nan=False, ensure_ascii=False)
    text.encode()
    assert "\0" not in text
    assert len(converted.rows) == len(rows)
