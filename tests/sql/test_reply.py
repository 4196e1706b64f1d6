"""Extraction of the statement from a model's reply."""

import json

import pytest

from text2sql.sql import ModelReply, parse_reply, read_reply

SQL = "SELECT name FROM customers WHERE city = 'Berlin'"


@pytest.mark.parametrize(
    "reply",
    [
        SQL,
        f"  {SQL} ;  ".replace(" ;", ";"),
        f"```sql\n{SQL}\n```",
        f"```SQL\n{SQL};\n```\nThis lists the names.",
        f"```\n{SQL}\n```",
        f"Sure! Here is the query:\n\n```sqlite\n{SQL}\n```\nHope it helps; let me know.",
        f"Here is the query: {SQL};\n\nIt returns the names.",
        f"The query is:\n{SQL}\n\nIt returns the names.",
        f"以下是查询：{SQL}",
        f'{{"sql": "{SQL}", "confidence": 0.9}}',
        f'{{"SQL": "{SQL}",}}',
        f'```json\n{{"thought": "easy", "query": "{SQL}"}}\n```',
        f'Result: {{"sql": "{SQL}"}} -- done',
        f"```yaml\nsql: |\n  {SQL}\n```",
        f"sql: |\n  {SQL}\nreason: because",
        f"sql: {SQL}\nreason: because",
        f'sql: "{SQL}"',
        f"```sql\n{SQL}",
        f"\ufeff{SQL}",
        f"```python\nprint('SELECT')\n```\n```sql\n{SQL}\n```",
    ],
)
@pytest.mark.fault("L14", "L25")
def test_one_statement_is_found_in_all_its_wrappings(reply: str) -> None:
    assert read_reply(reply).rstrip("; \n") == SQL


def test_a_statement_over_several_lines_is_kept_whole() -> None:
    sql = "WITH t AS (\n  SELECT 1 AS a\n)\nSELECT a\nFROM t"
    assert read_reply(f"```sql\n{sql}\n```") == sql
    assert read_reply(f"sql: |\n  {sql.replace(chr(10), chr(10) + '  ')}\n").replace("\n  ", "\n") == sql


def test_a_newline_in_json_is_a_newline_in_sql() -> None:
    assert read_reply('{"sql": "SELECT 1\\nFROM t"}') == "SELECT 1\nFROM t"
    assert read_reply('{"sql": "SELECT 1\nFROM t"}') == "SELECT 1\nFROM t"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        "I cannot answer that.",
        "这个问题与数据库无关。",
        "{}",
        '{"answer": 1}',
        "```\n```",
        "{" * 5000,
    ],
)
def test_no_statement_is_an_empty_text(reply: str) -> None:
    assert read_reply(reply) == ""


@pytest.mark.fault("L25")
def test_a_second_statement_is_not_hidden_from_the_guard() -> None:
    assert read_reply("SELECT 1; DROP TABLE t") == "SELECT 1; DROP TABLE t"
    assert read_reply("```sql\nSELECT 1;\nSELECT 2\n```") == "SELECT 1;\nSELECT 2"


@pytest.mark.parametrize(
    ("reply", "problem", "words"),
    [
        ("-- missing: 没有天气数据", "missing_database_info", "没有天气数据"),
        ("--missing：没有退款。", "missing_database_info", "没有退款。"),
        (
            "```sql\n-- missing: there are no refunds\n```",
            "missing_database_info",
            "there are no refunds",
        ),
        ("/* ambiguous: which year? */", "ambiguous_question", "which year?"),
        ("**Ambiguous:** which year?", "ambiguous_question", "which year?"),
        ("-- Ambiguous: Which year? Select one.", "ambiguous_question", "Which year? Select one."),
        ("-- missing: No weather. With sales only.\nSELECT 1", "missing_database_info", None),
        (
            '{"sql": "", "problem": "missing_database_info", "explanation": "No sales. Select another."}',
            "missing_database_info",
            "No sales. Select another.",
        ),
        ('{"sql": "", "problem": "none", "explanation": "I cannot."}', "", "I cannot."),
        ("I would rather explain it.", "", "I would rather explain it."),
    ],
)
def test_a_model_can_decline_in_a_line_or_in_its_fields(reply: str, problem: str, words: str | None) -> None:
    parsed = parse_reply(reply)
    assert (parsed.sql, parsed.problem) == ("", problem)
    assert words in (None, "", parsed.explanation)


@pytest.mark.parametrize("reply", [SQL, f"{SQL}\n-- missing: nothing", f"The missing: {SQL}"])
def test_a_comment_after_a_statement_is_no_refusal(reply: str) -> None:
    assert parse_reply(reply).sql.startswith(SQL)
    assert parse_reply(reply).problem == ""


def test_a_statement_with_a_problem_keeps_both() -> None:
    fields = {"sql": SQL, "problem": "ambiguous_question", "explanation": "I took the last year."}
    assert parse_reply(json.dumps(fields)) == ModelReply(SQL, "ambiguous_question", "I took the last year.")
