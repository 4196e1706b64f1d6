"""No literal or comment of any dialect passes the mask, however it is written."""

import pytest

from text2sql.sql import mask_literals
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.masking import MASK

CANARY = "Zyxonfrid"
EVERYWHERE = [
    f"'{CANARY}'",
    f"'it''s {CANARY}'",
    f"'%{CANARY}%'",
    "13900138000",
    f"1 -- {CANARY}\n",
    f"1 /* {CANARY} 'x */",
    f"'-- {CANARY}'",
    f"'{CANARY}' || '{CANARY}'",
    f"'not ended, {CANARY}",
]
SPECIAL = {
    "mysql": [
        f'"{CANARY}"',
        f'"a""{CANARY}"',
        f"'it\\'s {CANARY}'",
        f"1 # {CANARY}\n",
        f"'\\\\' AND y = '{CANARY}'",
    ],
    "bigquery": [
        f'"{CANARY}"',
        f"'''it's {CANARY}'''",
        f'"""say "{CANARY}""""',
        f"'it\\'s {CANARY}'",
        f"r'{CANARY}'",
    ],
    "clickhouse": [f"'it\\'s {CANARY}'", f"$x${CANARY}'$x$"],
    "snowflake": [f"'it\\'s {CANARY}'", f"$$it's {CANARY}$$"],
    "postgres": [f"E'it\\'s {CANARY}'", f"$$it's {CANARY}$$", f"'C:\\' AND y = '{CANARY}'", f"U&'{CANARY}'"],
    "duckdb": [f"E'it\\'s {CANARY}'", f"$x$it's {CANARY}$x$", f"'C:\\' AND y = '{CANARY}'"],
    "oracle": [f"q'[it's {CANARY}]'", f"N'{CANARY}'", f"'C:\\' AND y = '{CANARY}'"],
    "sqlite": [f"'C:\\' AND y = '{CANARY}'", f"x'{CANARY.encode().hex()}'"],
}


@pytest.mark.parametrize("dialect", sorted(GRAMMARS))
def test_no_literal_of_any_kind_is_shown(dialect: str) -> None:
    for value in (*EVERYWHERE, *SPECIAL[dialect]):
        for sql in (f"SELECT a FROM t WHERE x = {value}", f"SELECT a, {value} AS b FROM t"):
            shown = mask_literals(sql, dialect, lambda _: False)
            assert MASK in shown or "x = 1" in shown or "a, 1" in shown, (sql, shown)
            for secret in (CANARY, "13900138000", CANARY.encode().hex()):
                assert secret not in shown, (sql, shown)


@pytest.mark.parametrize("dialect", sorted(GRAMMARS))
def test_what_is_public_and_the_statement_itself_stay(dialect: str) -> None:
    sql = "SELECT a,\n  b FROM t WHERE x = 'open' AND y > 12.5 AND n = 'Ann''s' LIMIT 1000"
    assert mask_literals(sql, dialect, lambda _: True) == sql
    expected = sql.replace("'open'", "'…'")
    assert mask_literals(sql, dialect, lambda text: text != "open") == expected
