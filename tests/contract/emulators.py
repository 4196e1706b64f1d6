"""Features of the real service that an emulator lacks. The suite skips exactly those on the emulator;
`docs/databases.md` lists the same.
"""

from collections.abc import Mapping

from text2sql.database.dialects import Gap

FAKESNOW: Mapping[Gap, str] = {
    "comments": "a comment on a column is forgotten",
    "arrays": "a list cannot be described; JSON can",
}
# For an emulator that takes seconds per query: run only every n-th query of `sql/cases/rows/`.
SLOW: Mapping[str, int] = {"bigquery": 4}
# Queries of `sql/cases/rows/` that fail on the engine, identified by a substring, with the reason.
UNANSWERED: Mapping[str, Mapping[str, str]] = {
    "clickhouse": {
        "(orders": "ClickHouse has no table in brackets",
        "(items i JOIN": "nor a join in brackets",
        "ORDER BY (SELECT COUNT(*) FROM items i WHERE": "nor an order by what leans on the row",
    },
    "snowflake": {
        "MATCH_CONDITION": "an ASOF join is not read",
        "(SELECT id FROM orders WHERE id < 4) UNION": "a bracket at the start is not read",
    },
    "bigquery": {
        "(orders)": "nor does BigQuery read a table in brackets",
        ">= ALL (": "nor does BigQuery compare with all of a query's rows",
    },
}
LOCAL_BIGQUERY: Mapping[Gap, str] = {
    "keys": "a key that refers to a table cannot be declared",
    "error_position": "an error says where it stands only where the words are wrong, not the names",
    "plan_cost": "a dry run reads no bytes",
    "own_time_limit": "a job has no time limit of its own",
    "privileges": "there are no accounts",
}
