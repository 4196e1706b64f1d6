"""`text2sql check`: one statement and JSON lines, with and without a policy."""

import json
from pathlib import Path
from typing import Any

import pytest

from terminal import run, run_script

POLICY = {"tables": {"orders": ["id", "total"]}, "default_schema": {"sqlite": "main"}}


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(POLICY))
    return str(path)


def lines(*statements: object, words: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The verdicts for lines; text and bytes are sent unchanged, everything else as JSON."""
    sent = [
        statement
        if isinstance(statement, bytes)
        else statement.encode()
        if isinstance(statement, str)
        else json.dumps(statement).encode()
        for statement in statements
    ]
    ended = run("check", *words, stdin=b"\n".join(sent) + b"\n")
    assert (ended.code, ended.err) == (0, "")
    assert all(line.isprintable() for line in ended.out.split("\n"))
    return [json.loads(line) for line in ended.out.splitlines()]


def test_an_allowed_statement_is_printed_as_it_may_be_run() -> None:
    assert run("check", "select id from orders;", "--dialect", "postgres") == (
        0,
        "SELECT id FROM orders LIMIT 1000\n",
        "",
    )


def test_a_refused_statement_is_explained_on_standard_error() -> None:
    english = run("check", "DELETE FROM orders", "--dialect", "postgres")
    assert (english.code, english.out) == (3, "")
    assert english.err.startswith("Only queries are allowed, and this is not one: DELETE FROM orders")
    assert english.err.endswith("[not_a_query]\n")
    chinese = run("check", "DELETE FROM orders", "--dialect", "postgres", "--lang", "zh")
    assert (chinese.code, chinese.out) == (3, "")
    assert chinese.err.startswith("只允许查询语句")


def test_the_verdict_as_json_has_the_shape_of_a_line() -> None:
    allowed = run("check", "SELECT 1", "--dialect", "sqlite", "--json", "--rows", "7")
    assert allowed.code == 0
    assert json.loads(allowed.out) == {
        "id": None, "allowed": True, "rule": None, "reason": None, "sql": "SELECT 1 LIMIT 7",
    }  # fmt: skip
    refused = run("check", "", "--dialect", "sqlite", "--json")
    assert (refused.code, refused.err) == (3, "")
    assert json.loads(refused.out)["rule"] == "empty"


def test_the_row_limit_is_a_setting_and_an_option() -> None:
    words = ("check", "SELECT 1", "--dialect", "sqlite")
    assert run(*words, env={"TEXT2SQL_ROW_LIMIT": "5"}).out == "SELECT 1 LIMIT 5\n"
    assert run(*words, "--rows", "6", env={"TEXT2SQL_ROW_LIMIT": "5"}).out == "SELECT 1 LIMIT 6\n"


def test_a_policy_hides_tables_and_columns(policy: str) -> None:
    words = ("--dialect", "sqlite", "--policy", policy)
    assert (
        run("check", "SELECT * FROM orders", *words).out
        == 'SELECT * FROM (SELECT text2sql_base."id", text2sql_base."total" FROM orders AS text2sql_base)'
        " AS orders LIMIT 1000\n"
    )
    assert "[table]" in run("check", "SELECT * FROM customers", *words).err
    assert "[column]" in run("check", "SELECT customer_id FROM orders", *words).err


def test_roles_and_claims_say_which_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    rule = {"tables": {"orders": ["id"]}, "rows": {"orders": "region = :region AND tenant = :tenant"}}
    path.write_text(json.dumps({"tables": {}, "roles": {"clerk": rule}}), encoding="utf-8")
    words = ("check", "SELECT id FROM orders", "--dialect", "sqlite", "--policy", str(path))
    claims = ("--claim", "region=north", "--claim", "tenant=7")
    assert "[table]" in run(*words).err
    assert "[table]" in run(*words, "--role", "clerk", "--claim", "region=north").err
    assert "[table]" in run(*words, *claims).err
    sql = run(*words, "--role", "clerk", *claims).out
    assert "text2sql_base.region = 'north' AND text2sql_base.tenant = 7" in sql
    listed = run(*words, "--role", "clerk", "--claim", 'region=["a", "b"]', "--claim", 'tenant="7"').out
    assert "text2sql_base.region IN ('a', 'b') AND text2sql_base.tenant = '7'" in listed
    assert run(*words, "--claim", "region").code == 2


@pytest.mark.parametrize(
    ("content", "english", "chinese"),
    [
        (None, "cannot be read: No such file", "无法读取策略文件"),
        (b"{", "The policy cannot be used", "策略文件无法使用"),
        (b"[]", "not a JSON object", "策略文件无法使用"),
        (b'{"tables": {"orders": "id"}}', "tables.orders", "策略文件无法使用"),
        (b"\xff\xfe\x00", "cannot be read", "无法读取策略文件"),
        (b"[" * 100_000, "nested too deeply", "策略文件无法使用"),
    ],
)
def test_a_policy_that_cannot_be_used_is_bad_input(
    tmp_path: Path, content: bytes | None, english: str, chinese: str
) -> None:
    path = tmp_path / "policy.json"
    if content is not None:
        path.write_bytes(content)
    for lang, expected in (("en", english), ("zh", chinese)):
        ended = run("check", "SELECT 1", "--dialect", "sqlite", "--policy", str(path), "--lang", lang)
        assert (ended.code, ended.out) == (2, "")
        assert expected in ended.err


def test_a_directory_is_no_policy(tmp_path: Path) -> None:
    ended = run("check", "SELECT 1", "--dialect", "sqlite", "--policy", str(tmp_path))
    assert ended.code == 2
    assert "Is a directory" in ended.err


def test_an_unknown_dialect_is_bad_usage_that_lists_the_known_ones() -> None:
    ended = run("check", "SELECT 1", "--dialect", "cobol")
    assert ended.code == 2
    assert "postgres" in ended.err


def test_a_database_gives_its_dialect(shop: str) -> None:
    assert run("check", "SELECT id FROM orders", "--db", shop).code == 0
    assert run("check", "SELECT id FROM orders", env={"TEXT2SQL_DB": shop}).code == 0
    differs = run("check", "SELECT 1", "--db", shop, "--dialect", "mysql")
    assert differs.code == 2
    assert "sqlite" in differs.err


def test_each_line_has_its_verdict_in_order() -> None:
    answers = lines(
        {"id": 1, "dialect": "postgres", "sql": "SELECT 1"},
        "",
        {"id": 2, "dialect": "mysql", "sql": "SELECT sleep(5)"},
        {"id": 3, "dialect": "cobol", "sql": "SELECT 1"},
    )
    assert [(verdict["id"], verdict["allowed"], verdict["rule"]) for verdict in answers] == [
        (1, True, None), (2, False, "function"), (3, False, "dialect"),
    ]  # fmt: skip
    assert list(answers[0]) == ["id", "allowed", "rule", "reason", "sql"]
    assert answers[0]["sql"] == "SELECT 1 LIMIT 1000"
    assert answers[0]["reason"] is None
    assert answers[1]["sql"] is None
    assert answers[1]["reason"]


@pytest.mark.parametrize(
    "number", [None, 0, -1.5, "x", "文\u2028", True, [1, [2]], {"a": None}, "\ud800", "\0", 10**30]
)
def test_an_id_of_any_kind_is_echoed(number: object) -> None:
    assert lines({"id": number, "dialect": "sqlite", "sql": "SELECT 1"})[0]["id"] == number


def test_the_default_dialect_is_for_lines_without_one(policy: str) -> None:
    answers = lines(
        {"id": 1, "sql": "SELECT 1"},
        {"id": 2, "dialect": "oracle", "sql": "SELECT 1 FROM dual"},
        words=("--dialect", "sqlite", "--policy", policy),
    )
    assert [verdict["sql"] for verdict in answers] == [
        "SELECT 1 LIMIT 1000",
        "SELECT 1 FROM dual FETCH FIRST 1000 ROWS ONLY",
    ]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("{", None),
        ("nonsense", None),
        ("[1]", None),
        ("null", None),
        ('{"id": 7}', 7),
        ('{"id": 7, "sql": 1, "dialect": "sqlite"}', 7),
        ('{"id": 7, "sql": null, "dialect": "sqlite"}', 7),
        ('{"id": 7, "sql": "SELECT 1"}', 7),
        ('{"id": 7, "sql": "SELECT 1", "dialect": null}', 7),
        ('{"id": 7, "sql": "SELECT 1", "dialect": ["sqlite"]}', 7),
        ('{"id": NaN, "sql": "SELECT 1", "dialect": "sqlite"}', None),
        ('{"id": 1e999, "sql": "SELECT 1", "dialect": "sqlite"}', None),
        ('{"id": ' + "9" * 5000 + "}", None),
        ("[" * 100_000, None),
        (b"\xff\xfe\x00", None),
    ],
)
def test_a_malformed_line_is_reported_and_the_run_continues(line: str | bytes, number: object) -> None:
    broken, good = lines(line, {"id": 8, "dialect": "sqlite", "sql": "SELECT 1"})
    assert (broken["id"], broken["allowed"], broken["rule"], broken["sql"]) == (number, False, "input", None)
    assert broken["reason"]
    assert good["allowed"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT '\ud800'",
        "SELECT 'a\0b'",
        "\ufeffSELECT 1",
        "SELECT 1\u202e",
        "\udcff" * 10,
        "(" * 99_999,
        "x" * 10**6,
    ],
)
def test_text_that_no_database_should_see_is_refused_without_a_crash(sql: str) -> None:
    (answer,) = lines({"id": sql[:20], "dialect": "mysql", "sql": sql})
    assert (answer["id"], answer["allowed"]) == (sql[:20], False)
    assert answer["rule"] not in ("internal", "input")


def test_invalid_utf8_fails_only_its_line() -> None:
    (answer,) = lines(b'{"id": "\xff", "dialect": "sqlite", "sql": "SELECT \'\xff\'"}')
    assert (answer["id"], answer["rule"]) == ("\udcff", "hidden_character")


def test_a_byte_order_mark_before_the_first_line_is_skipped() -> None:
    assert lines(b'\xef\xbb\xbf{"id": 1, "dialect": "sqlite", "sql": "SELECT 1"}')[0]["allowed"]


def test_reasons_are_in_the_readers_language() -> None:
    line = {"id": 1, "dialect": "sqlite", "sql": "DROP TABLE x"}
    assert "只允许查询语句" in lines(line, words=("--lang", "zh"))[0]["reason"]


def test_no_input_is_no_error() -> None:
    assert run("check", stdin=b"") == (0, "", "")


def test_the_console_script_does_the_same(policy: str) -> None:
    sent = b'{"id": "a", "dialect": "postgres", "sql": "SELECT id FROM orders"}\n'
    ended = run_script("check", "--policy", policy, stdin=sent)
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)["sql"] == (
        'SELECT id FROM (SELECT text2sql_base."id", text2sql_base."total" FROM orders AS text2sql_base)'
        " AS orders LIMIT 1000"
    )
    refused = run_script("check", "DROP TABLE x", "--dialect", "mysql", "--lang", "zh")
    assert (refused.code, refused.out) == (3, "")
    assert "Traceback" not in refused.err
