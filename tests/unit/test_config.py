"""Settings: defaults, the environment, and errors that name the variable."""

from dataclasses import fields

import pytest

from text2sql.config import Settings, from_environment, variable
from text2sql.errors import UsageError
from text2sql.types import Limits


def test_an_empty_environment_gives_the_defaults() -> None:
    assert from_environment({}) == Settings()
    assert Settings().limits == Limits()


def test_the_environment_is_read_by_type() -> None:
    settings = from_environment(
        {"TEXT2SQL_POOL_SIZE": "3", "TEXT2SQL_TIME_LIMIT": " 1.5 ", "TEXT2SQL_DB": "x.db"}
    )
    assert (settings.pool_size, settings.time_limit, settings.db) == (3, 1.5, "x.db")


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        ("TEXT2SQL_POOL_SIZE", "many", "usage.setting"),
        ("TEXT2SQL_POOL_SIZE", "1.5", "usage.setting"),
        ("TEXT2SQL_TODAY", "19/11/2026", "usage.setting"),
        ("TEXT2SQL_TODAY", "2026-02-30", "usage.setting"),
        ("TEXT2SQL_TIME_LIMIT", "0", "usage.setting_positive"),
        ("TEXT2SQL_ROW_LIMIT", "-1", "usage.setting_positive"),
    ],
)
def test_an_invalid_value_is_named(name: str, value: str, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        from_environment({name: value})
    assert caught.value.message_key == key
    assert caught.value.facts["name"] == name


def test_every_setting_has_help_and_a_variable() -> None:
    for field in fields(Settings):
        assert field.metadata["help"]
        assert variable(field.name) == f"TEXT2SQL_{field.name.upper()}"


def test_the_old_name_of_a_renamed_setting_works_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert from_environment({"TEXT2SQL_CATALOGUE_AGE": "7"}).catalog_age == 7.0
    assert "TEXT2SQL_CATALOG_AGE" in caplog.text
    assert from_environment({"TEXT2SQL_CATALOGUE_AGE": "7", "TEXT2SQL_CATALOG_AGE": "9"}).catalog_age == 9.0
