"""User messages: complete in both languages, with the same placeholders."""

import string

import pytest

from text2sql import errors
from text2sql.errors import DatabaseError, QueryTimeout, Text2SQLError, UsageError
from text2sql.i18n import explain, language, sentences


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_are_complete_and_have_the_same_placeholders() -> None:
    for key, (en, zh) in sentences().items():
        assert en, key
        assert zh, key
        assert placeholders(en) == placeholders(zh), key
        assert any("\u4e00" <= letter <= "\u9fff" for letter in zh), key


def test_every_usage_message_has_a_hint() -> None:
    errors_of_users = [
        key for key in sentences() if key.startswith(("usage.", "missing_")) and not key.endswith(".hint")
    ]
    without = [key for key in errors_of_users if f"{key}.hint" not in sentences()]
    assert without == []


def test_every_kind_of_database_error_has_a_message_and_a_hint() -> None:
    kinds = [
        error_class
        for error_class in vars(errors).values()
        if isinstance(error_class, type)
        and issubclass(error_class, DatabaseError)
        and error_class is not DatabaseError
    ]
    assert len(kinds) == 15
    for kind in kinds:
        assert f"database.{kind.kind}" in sentences()
        assert f"database.{kind.kind}.hint" in sentences()


def test_an_error_is_explained_in_two_lines() -> None:
    assert explain(QueryTimeout("x", seconds=1.5), "en").splitlines()[0] == (
        "The query ran longer than 1.5 s and was stopped."
    )
    assert explain(QueryTimeout("x", seconds=1.5), "zh").splitlines()[0] == "查询超过 1.5 秒，已被停止。"
    error: Text2SQLError = UsageError("usage.db_directory", path="a/b")
    assert (
        explain(error, "en")
        == "a/b is a directory without data files.\n" + sentences()["usage.db_directory.hint"][0]
    )


@pytest.mark.parametrize(
    ("wanted", "environment", "expected"),
    [
        ("", {}, "en"),
        ("zh", {"LANG": "en_US.UTF-8"}, "zh"),
        ("", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("", {"TEXT2SQL_LANG": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ("", {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_language_follows_the_request_then_the_environment(
    wanted: str, environment: dict[str, str], expected: str
) -> None:
    assert language(wanted, environment) == expected
