"""Extraction of the statement from a model's reply."""

import pytest

from text2sql.sql import read_reply

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
