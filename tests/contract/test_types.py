"""A zoo of types per engine: what a literal comes back as. Every value must survive JSON."""

from typing import Any

import pytest

from contract.engine_databases import EngineDatabase, as_json
from text2sql.database import Database

ZOO: dict[str, list[tuple[str, Any]]] = {
    "sqlite": [
        ("NULL", None),
        ("42", 42),
        ("9007199254740992", 9007199254740992),
        ("9223372036854775807", "9223372036854775807"),
        ("1.5", 1.5),
        ("9e999", "Infinity"),
        ("-9e999", "-Infinity"),
        ("'文本'", "文本"),
        ("CAST(x'ff41' AS TEXT)", "\ufffdA"),
        ("CAST(x'4100' AS TEXT)", "A\ufffd"),
        ("x'00ff'", "0x00ff"),
        ("date('2024-02-29')", "2024-02-29"),
        ("json('[1,2]')", "[1,2]"),
    ],
    "duckdb": [
        ("NULL", None),
        ("true", True),
        ("42", 42),
        ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"),
        ("18446744073709551615::UBIGINT", "18446744073709551615"),
        ("12.50::DECIMAL(10,2)", 12.5),
        ("12345678901234567890.123::DECIMAL(38,3)", "12345678901234567890.123"),
        ("0.1::FLOAT", 0.1),
        ("'nan'::DOUBLE", "NaN"),
        ("'-inf'::DOUBLE", "-Infinity"),
        ("'文本'", "文本"),
        ("'\\xAA\\x01'::BLOB", "0xaa01"),
        ("'10101'::BIT", "10101"),
        ("'550e8400-e29b-41d4-a716-446655440000'::UUID", "550e8400-e29b-41d4-a716-446655440000"),
        ("'a'::ENUM('a', 'b')", "a"),
        ("DATE '2024-02-29'", "2024-02-29"),
        ("DATE 'infinity'", "infinity"),
        ("DATE '9999-12-31'", "9999-12-31"),
        ("TIMESTAMP '-infinity'", "-infinity"),
        ("TIMESTAMP '2024-01-01 12:00:00.5'", "2024-01-01T12:00:00.500000"),
        ("TIMESTAMPTZ '2024-01-01 12:00:00+05'", "2024-01-01T07:00:00+00:00"),
        ("TIMESTAMP_NS '2024-01-01 00:00:00.123456789'", "2024-01-01T00:00:00.123456789"),
        ("TIME '24:00:00'", "24:00:00"),
        ("'12:00:00+05:30'::TIMETZ", "12:00:00+05:30"),
        ("INTERVAL '1 year 2 months 3 days 04:05:06.7'", "P1Y2M3DT4H5M6.7S"),
        ("INTERVAL '-90 minutes'", "PT-1H-30M"),
        ("[1, NULL, 2]", [1, None, 2]),
        ("{'a': 1, 'b': [DATE '2024-01-01']}", {"a": 1, "b": ["2024-01-01"]}),
        ("MAP {'k': INTERVAL 1 DAY}", {"k": "P1D"}),
        ("MAP {1: 'x'}", {"1": "x"}),
        ("union_value(n := 3)", 3),
        ("array_value(1, 2)", [1, 2]),
        ("""'{"a": [1, 0.1, 1e400]}'::JSON""", {"a": [1, 0.1, "1" + "0" * 400]}),
        ("chr(0) || 'x'", "\ufffdx"),
    ],
    "postgres": [
        ("NULL", None),
        ("true", True),
        ("42", 42),
        ("9223372036854775807", "9223372036854775807"),
        ("12.50::numeric", 12.5),
        ("12345678901234567890.123::numeric", "12345678901234567890.123"),
        ("'NaN'::numeric", "NaN"),
        ("'-Infinity'::float8", "-Infinity"),
        ("0.1::real", 0.1),
        ("'文本'", "文本"),
        ("'\\xaa01'::bytea", "0xaa01"),
        ("'550e8400-e29b-41d4-a716-446655440000'::uuid", "550e8400-e29b-41d4-a716-446655440000"),
        ("DATE '2024-02-29'", "2024-02-29"),
        ("DATE 'infinity'", "infinity"),
        ("TIMESTAMP '2024-01-01 12:00:00'", "2024-01-01T12:00:00"),
        ("TIMESTAMPTZ '2024-01-01 12:00:00+05'", "2024-01-01T07:00:00+00:00"),
        ("TIME '24:00:00'", "24:00:00"),
        ("INTERVAL '1 year 2 months 3 days 04:05:06.7'", "P1Y2M3DT4H5M6.7S"),
        ("ARRAY[1, NULL, 2]", [1, None, 2]),
        ("ARRAY[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("""'{"a": [1, 0.1]}'::jsonb""", {"a": [1, 0.1]}),
        ("int4range(1, 5)", "[1,5)"),
        ("'10.0.0.1'::inet", "10.0.0.1"),
        ("B'101'", "101"),
    ],
    "mysql": [
        ("NULL", None),
        ("42", 42),
        ("18446744073709551615", "18446744073709551615"),
        ("CAST(12.50 AS DECIMAL(10,2))", 12.5),
        ("CAST('12345678901234567890.123' AS DECIMAL(30,3))", "12345678901234567890.123"),
        ("1.5e0", 1.5),
        ("'文本'", "文本"),
        ("CAST(x'aa01' AS BINARY)", "0xaa01"),
        ("CAST('2024-02-29' AS DATE)", "2024-02-29"),
        ("CAST('2024-01-01 12:00:00' AS DATETIME)", "2024-01-01T12:00:00"),
    ],
    "clickhouse": [
        ("NULL", None),
        ("true", True),
        ("42", 42),
        ("toInt64(-42)", -42),
        ("toUInt64(18446744073709551615)", "18446744073709551615"),
        ("toInt128('170141183460469231731687303715884105727')", "170141183460469231731687303715884105727"),
        ("toDecimal64(12.50, 2)", 12.5),
        ("toDecimal128('12345678901234567890.123', 3)", "12345678901234567890.123"),
        ("toFloat32(0.1)", 0.1),
        ("1e300", 1e300),
        ("nan", "NaN"),
        ("-inf", "-Infinity"),
        ("'文本'", "文本"),
        ("unhex('ff41')", "\ufffdA"),
        ("toFixedString('ab', 4)", "ab"),
        ("toLowCardinality('x')", "x"),
        ("CAST('a' AS Enum8('a' = 1))", "a"),
        ("toUUID('550e8400-e29b-41d4-a716-446655440000')", "550e8400-e29b-41d4-a716-446655440000"),
        ("toIPv4('10.0.0.1')", "10.0.0.1"),
        ("toDate('2024-02-29')", "2024-02-29"),
        ("toDateTime('2024-01-01 12:00:00')", "2024-01-01T12:00:00"),
        ("toDateTime('2024-01-01 12:00:00', 'Asia/Shanghai')", "2024-01-01T04:00:00+00:00"),
        ("toDateTime64('2024-01-01 00:00:00.123456789', 9)", "2024-01-01T00:00:00.123456789"),
        ("[1, NULL, 2]", [1, None, 2]),
        ("[[toDecimal64(1.5, 1)], []]", [[1.5], []]),
        ("[nan, 0.5]", ["NaN", 0.5]),
        ("map('k', 0.5)", {"k": 0.5}),
        ("(1, 'a')", [1, "a"]),
        ("CAST((1, 'b') AS Tuple(a Int8, b String))", {"a": 1, "b": "b"}),
        ("'{\\x22a\\x22: [1, 0.5]}'::JSON", {"a": [1, 0.5]}),
    ],
    "oracle": [
        ("NULL", None),
        ("42", 42),
        ("12345678901234567890", "12345678901234567890"),
        ("12.50", 12.5),
        ("12345678901234567890.123", "12345678901234567890.123"),
        ("1.5d", 1.5),
        ("BINARY_DOUBLE_NAN", "NaN"),
        ("'文本'", "文本"),
        ("TO_CLOB('文本')", "文本"),
        ("HEXTORAW('aa01')", "0xaa01"),
        ("DATE '2024-02-29'", "2024-02-29T00:00:00"),
        ("TIMESTAMP '2024-01-01 12:00:00.5'", "2024-01-01T12:00:00.500000"),
        ("INTERVAL '3 04:05:06' DAY TO SECOND", "P3DT4H5M6S"),
        ("INTERVAL '1-2' YEAR TO MONTH", "P1Y2M"),
    ],
    "bigquery": [
        ("NULL", None),
        ("TRUE", True),
        ("42", 42),
        ("9223372036854775807", "9223372036854775807"),
        ("NUMERIC '12.50'", 12.5),
        ("NUMERIC '12345678901234567890.123'", "12345678901234567890.123"),
        ("1.5e0", 1.5),
        ("CAST('NaN' AS FLOAT64)", "NaN"),
        ("CAST('-inf' AS FLOAT64)", "-Infinity"),
        ("'文本'", "文本"),
        ("FROM_HEX('aa01')", "0xaa01"),
        ("DATE '2024-02-29'", "2024-02-29"),
        ("TIME '12:34:56'", "12:34:56"),
        ("DATETIME '2024-01-01 12:00:00.5'", "2024-01-01T12:00:00.500000"),
        ("TIMESTAMP '2024-01-01 12:00:00+05:00'", "2024-01-01T07:00:00+00:00"),
        ("[1, 2]", [1, 2]),
        ("STRUCT(1 AS a, 'x' AS b)", {"a": 1, "b": "x"}),
        ("PARSE_JSON('[1, 0.1]')", [1, 0.1]),
    ],
    "snowflake": [
        ("NULL", None),
        ("TRUE", True),
        ("42", 42),
        ("9223372036854775807", "9223372036854775807"),
        ("12.50::NUMBER(10,2)", 12.5),
        ("'12345678901234567890.123'::NUMBER(38,3)", "12345678901234567890.123"),
        ("1.5::FLOAT", 1.5),
        ("'NaN'::FLOAT", "NaN"),
        ("'-inf'::FLOAT", "-Infinity"),
        ("'文本'", "文本"),
        ("TO_BINARY('aa01', 'HEX')", "0xaa01"),
        ("'2024-02-29'::DATE", "2024-02-29"),
        ("'12:34:56'::TIME", "12:34:56"),
        ("'2024-01-01 12:00:00.5'::TIMESTAMP_NTZ", "2024-01-01T12:00:00.500000"),
        ("'2024-01-01 12:00:00 +05:00'::TIMESTAMP_TZ", "2024-01-01T07:00:00+00:00"),
        ("PARSE_JSON('[1, null, 2]')", [1, None, 2]),
        ("PARSE_JSON('{\"a\": [1, 0.1, null]}')", {"a": [1, 0.1, None]}),
        ("OBJECT_CONSTRUCT('a', 1)", {"a": 1}),
    ],
}


@pytest.mark.fault("D20", "D21")
def test_every_value_of_the_zoo_comes_back_in_its_form(db: Database, engine_db: EngineDatabase) -> None:
    wrong = {}
    for sql, expected in ZOO[engine_db.dialect]:
        value = db.run(engine_db.checked(f"SELECT {sql} AS v")).rows[0][0]
        as_json([value])
        if value != expected or type(value) is not type(expected):
            wrong[sql] = value
    assert wrong == {}


@pytest.mark.needs("arrays")
def test_a_column_of_lists_keeps_its_nulls(db: Database, engine_db: EngineDatabase) -> None:
    lists = {"postgres": "ARRAY[1, 2]"}.get(engine_db.dialect, "[1, 2]")
    if engine_db.dialect in ("clickhouse", "bigquery"):
        pytest.skip(f"{engine_db.facts.product}: a list cannot be NULL")
    sql = f"SELECT {lists} AS v UNION ALL SELECT NULL"
    assert sorted(db.run(engine_db.checked(sql)).rows, key=str) == [(None,), ([1, 2],)]


def test_a_column_of_mixed_cells_is_converted_one_by_one(db: Database, engine_db: EngineDatabase) -> None:
    rows = db.run(engine_db.checked("SELECT amount, note FROM orders ORDER BY id")).rows
    assert rows == ((12.5, "first"), (0.1, None), (99.99, "x"))
