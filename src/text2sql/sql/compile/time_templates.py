"""How each dialect writes labels and parts of a date or timestamp `x`, and how it parses texts and numbers.

`k` is the first day of a week, in days after Monday.
"""

from collections.abc import Mapping

# ISO labels; `week` is the first day of the week.
LABELS: Mapping[str, Mapping[str, str]] = {
    "duckdb": {
        "year": "STRFTIME(x, '%Y')",
        "month": "STRFTIME(x, '%Y-%m')",
        "day": "STRFTIME(x, '%Y-%m-%d')",
        "hour": "STRFTIME(x, '%Y-%m-%d %H:00')",
        "week": "STRFTIME(CAST(x AS DATE) - CAST((ISODOW(x) + 6 - k) % 7 AS INTEGER), '%Y-%m-%d')",
    },
    "postgres": {
        "year": "TO_CHAR(x, 'YYYY')",
        "month": "TO_CHAR(x, 'YYYY-MM')",
        "day": "TO_CHAR(x, 'YYYY-MM-DD')",
        "hour": "TO_CHAR(x, 'YYYY-MM-DD HH24:00')",
        "week": "TO_CHAR(CAST(x AS DATE) - CAST(EXTRACT(ISODOW FROM x) + 6 - k AS INT) % 7, 'YYYY-MM-DD')",
    },
    "mysql": {
        "year": "DATE_FORMAT(x, '%Y')",
        "month": "DATE_FORMAT(x, '%Y-%m')",
        "day": "DATE_FORMAT(x, '%Y-%m-%d')",
        "hour": "DATE_FORMAT(x, '%Y-%m-%d %H:00')",
        "week": "DATE_FORMAT(DATE_SUB(x, INTERVAL ((WEEKDAY(x) + 7 - k) % 7) DAY), '%Y-%m-%d')",
    },
    "clickhouse": {
        "year": "formatDateTime(x, '%Y')",
        "month": "formatDateTime(x, '%Y-%m')",
        "day": "formatDateTime(x, '%Y-%m-%d')",
        "hour": "formatDateTime(x, '%Y-%m-%d %H:00')",
        "week": "formatDateTime(subtractDays(x, (toDayOfWeek(x) + 6 - k) % 7), '%Y-%m-%d')",
    },
    "snowflake": {
        "year": "TO_CHAR(x, 'YYYY')",
        "month": "TO_CHAR(x, 'YYYY-MM')",
        "day": "TO_CHAR(x, 'YYYY-MM-DD')",
        "hour": "TO_CHAR(x, 'YYYY-MM-DD HH24') || ':00'",
        "week": "TO_CHAR(DATEADD(DAY, -MOD(DAYOFWEEKISO(x) + 6 - k, 7), x), 'YYYY-MM-DD')",
    },
    "bigquery": {
        "year": "FORMAT_DATE('%Y', DATE(x))",
        "month": "FORMAT_DATE('%Y-%m', DATE(x))",
        "day": "FORMAT_DATE('%Y-%m-%d', DATE(x))",
        "hour": "FORMAT_DATETIME('%Y-%m-%d %H:00', DATETIME(x))",
        "week": "FORMAT_DATE('%Y-%m-%d', DATE_SUB(DATE(x), "
        "INTERVAL MOD(EXTRACT(DAYOFWEEK FROM x) + 12 - k, 7) DAY))",
    },
    "oracle": {
        "year": "TO_CHAR(x, 'YYYY')",
        "month": "TO_CHAR(x, 'YYYY-MM')",
        "day": "TO_CHAR(x, 'YYYY-MM-DD')",
        "hour": "TO_CHAR(x, 'YYYY-MM-DD HH24') || ':00'",
        "week": "TO_CHAR(TRUNC(x - k, 'IW') + k, 'YYYY-MM-DD')",
    },
}

# Numbers; `weekday` is 1 for Monday.
PARTS: Mapping[str, Mapping[str, str]] = {
    "duckdb": {
        "month": "MONTH(x)",
        "quarter": "QUARTER(x)",
        "day": "DAY(x)",
        "hour": "EXTRACT(HOUR FROM x)",
        "weekday": "ISODOW(x)",
    },
    "postgres": {
        "month": "CAST(EXTRACT(MONTH FROM x) AS INT)",
        "quarter": "CAST(EXTRACT(QUARTER FROM x) AS INT)",
        "day": "CAST(EXTRACT(DAY FROM x) AS INT)",
        "hour": "CAST(EXTRACT(HOUR FROM x) AS INT)",
        "weekday": "CAST(EXTRACT(ISODOW FROM x) AS INT)",
    },
    "mysql": {
        "month": "MONTH(x)",
        "quarter": "QUARTER(x)",
        "day": "DAY(x)",
        "hour": "HOUR(x)",
        "weekday": "WEEKDAY(x) + 1",
    },
    "clickhouse": {
        "month": "toMonth(x)",
        "quarter": "toQuarter(x)",
        "day": "toDayOfMonth(x)",
        "hour": "toHour(x)",
        "weekday": "toDayOfWeek(x)",
    },
    "snowflake": {
        "month": "MONTH(x)",
        "quarter": "QUARTER(x)",
        "day": "DAY(x)",
        "hour": "HOUR(x)",
        "weekday": "DAYOFWEEKISO(x)",
    },
    "bigquery": {
        "month": "EXTRACT(MONTH FROM x)",
        "quarter": "EXTRACT(QUARTER FROM x)",
        "day": "EXTRACT(DAY FROM x)",
        "hour": "EXTRACT(HOUR FROM x)",
        "weekday": "MOD(EXTRACT(DAYOFWEEK FROM x) + 5, 7) + 1",
    },
    "oracle": {
        "month": "EXTRACT(MONTH FROM x)",
        "quarter": "CEIL(EXTRACT(MONTH FROM x) / 3)",
        "day": "EXTRACT(DAY FROM x)",
        "hour": "EXTRACT(HOUR FROM CAST(x AS TIMESTAMP))",
        "weekday": "TRUNC(x) - TRUNC(x, 'IW') + 1",
    },
}

# The quarter of a month `m`.
QUARTER_OF: Mapping[str, str] = {
    "sqlite": "(m + 2) / 3",
    "duckdb": "(m + 2) // 3",
    "postgres": "(m + 2) / 3",
    "mysql": "(m + 2) DIV 3",
    "clickhouse": "intDiv(m + 2, 3)",
    "snowflake": "FLOOR((m + 2) / 3)",
    "bigquery": "DIV(m + 2, 3)",
    "oracle": "FLOOR((m + 2) / 3)",
}

# A text `x` in the pattern `p` as a date or timestamp; NULL, where the engine can, if it has another form.
PARSE: Mapping[str, str] = {
    "duckdb": "TRY_STRPTIME(x, p)",
    "postgres": "TO_TIMESTAMP(x, p)",
    "mysql": "STR_TO_DATE(x, p)",
    "clickhouse": "parseDateTimeInJodaSyntaxOrNull(x, p)",  # the other one refuses 1/2/2025
    "snowflake": "TRY_TO_TIMESTAMP(x, p)",
    "bigquery": "SAFE.PARSE_DATETIME(p, x)",
    "oracle": "TO_TIMESTAMP(x, p)",
}

_LETTERS = {
    "%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%b": "MON", "%B": "FMMonth",
    "%H": "HH24", "%I": "HH12", "%M": "MI", "%S": "SS", "%p": "AM",
}  # fmt: skip
_JODA = {
    "%Y": "yyyy", "%y": "yy", "%m": "M", "%d": "d", "%b": "MMM", "%B": "MMMM",
    "%H": "H", "%I": "h", "%M": "m", "%S": "s", "%p": "a",
}  # fmt: skip
# Python's codes of a pattern in the engine's own spelling.
CODES: Mapping[str, Mapping[str, str]] = {
    "postgres": _LETTERS,
    "snowflake": _LETTERS,
    "oracle": _LETTERS,
    "mysql": {"%M": "%i", "%S": "%s", "%B": "%M", "%I": "%h"},
    "clickhouse": _JODA,
}

# Seconds since 1970 as a timestamp in UTC. Milliseconds are divided before, except where that loses the type.
EPOCH: Mapping[str, str] = {
    "sqlite": "DATETIME(x, 'unixepoch')",
    "duckdb": "MAKE_TIMESTAMP(CAST(x AS BIGINT) * 1000000)",
    "postgres": "TO_TIMESTAMP(x) AT TIME ZONE 'UTC'",
    "mysql": "TIMESTAMPADD(SECOND, x, '1970-01-01')",
    "clickhouse": "addSeconds(toDateTime64('1970-01-01', 0, 'UTC'), CAST(x AS Nullable(Int64)))",
    "snowflake": "TO_TIMESTAMP_NTZ(CAST(x AS BIGINT))",
    "bigquery": "TIMESTAMP_SECONDS(CAST(x AS INT64))",
    "oracle": "TIMESTAMP '1970-01-01 00:00:00' + NUMTODSINTERVAL(x, 'SECOND')",
}

# The label of a day, `n` days before the label `x`; and that of an hour, one hour before.
DAYS_BEFORE: Mapping[str, str] = {
    "sqlite": "DATE(x, '-' || n || ' days')",
    "duckdb": "STRFTIME(CAST(x AS DATE) - n, '%Y-%m-%d')",
    "postgres": "TO_CHAR(CAST(x AS DATE) - n, 'YYYY-MM-DD')",
    "mysql": "DATE_FORMAT(DATE_SUB(x, INTERVAL n DAY), '%Y-%m-%d')",
    "clickhouse": "formatDateTime(subtractDays(toDate(x), n), '%Y-%m-%d')",
    "snowflake": "TO_CHAR(DATEADD(DAY, -n, CAST(x AS DATE)), 'YYYY-MM-DD')",
    "bigquery": "FORMAT_DATE('%Y-%m-%d', DATE_SUB(CAST(x AS DATE), INTERVAL n DAY))",
    "oracle": "TO_CHAR(TO_DATE(x, 'YYYY-MM-DD') - n, 'YYYY-MM-DD')",
}
HOUR_BEFORE: Mapping[str, str] = {
    "sqlite": "STRFTIME('%Y-%m-%d %H:00', x, '-1 hours')",
    "duckdb": "STRFTIME(CAST(x || ':00' AS TIMESTAMP) - INTERVAL '1' HOUR, '%Y-%m-%d %H:00')",
    "postgres": "TO_CHAR(CAST(x AS TIMESTAMP) - INTERVAL '1 hour', 'YYYY-MM-DD HH24:00')",
    "mysql": "DATE_FORMAT(DATE_SUB(x, INTERVAL 1 HOUR), '%Y-%m-%d %H:00')",
    "clickhouse": "formatDateTime(subtractHours(toDateTime(concat(x, ':00'), 'UTC'), 1), '%Y-%m-%d %H:00')",
    "snowflake": "TO_CHAR(DATEADD(HOUR, -1, CAST(x || ':00' AS TIMESTAMP)), 'YYYY-MM-DD HH24') || ':00'",
    "bigquery": "FORMAT_DATETIME('%Y-%m-%d %H:00', "
    "DATETIME_SUB(CAST(x || ':00' AS DATETIME), INTERVAL 1 HOUR))",
    "oracle": "TO_CHAR(TO_TIMESTAMP(x, 'YYYY-MM-DD HH24:MI') - INTERVAL '1' HOUR, "
    "'YYYY-MM-DD HH24') || ':00'",
}
