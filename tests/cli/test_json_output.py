"""JSON on standard output: readable in every language, and no character that steers a terminal."""

import json

import pytest

from text2sql.cli.json_output import json_text


def test_chinese_is_written_as_chinese() -> None:
    assert json_text({"城市": "北京", "n": 1}) == '{"城市": "北京", "n": 1}'


@pytest.mark.parametrize(
    "text", ["\x1b[31m", "\x9b31m", "a\u202eb", "\u2028", "\ud800", "\U000e0041", "\ufeff"]
)
def test_characters_that_steer_a_terminal_are_escaped(text: str) -> None:
    written = json_text([text, "中"])
    assert written.isprintable()
    assert json.loads(written) == [text, "中"]
