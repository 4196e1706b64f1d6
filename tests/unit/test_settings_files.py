"""`text2sql.toml` and `.env`: which are read, what wins, what they may set, errors that name the place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from text2sql.config import CONFIG, GROUPS, Settings, environment, from_environment, read_settings, variable
from text2sql.errors import UsageError

FIELDS = [field for settings in GROUPS.values() for field in settings.values()]
GROUP_OF = {name: group for group, settings in GROUPS.items() for name in settings}
PROTECTED = [field.name for field in FIELDS if field.metadata["protected"]]
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file into an empty current folder without variables of settings."""
    for name in os.environ:
        if name.startswith("TEXT2SQL_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    monkeypatch.chdir(folder)

    def write_file(name: str, text: str) -> Path:
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return write_file


def refusal() -> UsageError:
    with pytest.raises(UsageError) as caught:
        from_environment()
    return caught.value


def toml_line(name: str) -> str:
    """A line of a file with some value of the setting."""
    default = getattr(Settings(), name)
    metadata = next(field.metadata for field in FIELDS if field.name == name)
    text = "2026-11-19" if metadata["is_date"] else metadata["choices"][0] if metadata["choices"] else "x"
    value = "true" if isinstance(default, bool) else f'"{text}"'
    return f"[{GROUP_OF[name]}]\n{name} = {value}\n"


def test_later_sources_win(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("text2sql.toml", "[database]\npool_size = 1\ntime_limit = 1\nrow_limit = 1\n")
    write(".env", "TEXT2SQL_TIME_LIMIT=2\nTEXT2SQL_ROW_LIMIT=2\n")
    monkeypatch.setenv("TEXT2SQL_ROW_LIMIT", "3")
    settings = from_environment()
    assert (settings.pool_size, settings.time_limit, settings.row_limit) == (1, 2.0, 3)
    assert settings.byte_limit == Settings().byte_limit
    monkeypatch.setenv(CONFIG, "none")
    assert from_environment() == Settings(row_limit=3)


def test_the_nearest_file_above_is_read_and_its_paths_are_relative_to_it(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("text2sql.toml", '[database]\ndb = "shop.db"\n[memory]\npairs_dir = "verified"\n')
    write(".env", "TEXT2SQL_LANG=zh\n")
    monkeypatch.chdir("sub")
    settings = from_environment()
    assert settings.db == str(file.parent / "shop.db")
    assert settings.pairs_dir == str(file.parent / "verified")
    assert settings.lang == "zh"
    (Path.cwd() / ".env").write_text("TEXT2SQL_LANG=en\n")
    assert from_environment().lang == "en"


@pytest.mark.parametrize("value", ["sqlite:///x.db", ":memory:", "/data/x.db", "postgresql://host/shop"])
def test_addresses_are_not_paths(write: Write, value: str) -> None:
    write("text2sql.toml", f'[database]\ndb = "{value}"\n')
    assert from_environment().db == value


def test_names_may_be_a_list_and_whole_numbers_may_be_seconds(write: Write) -> None:
    write("text2sql.toml", '[server]\nmodels = ["a:b", "c:d"]\n[database]\ntime_limit = 5\n')
    assert (from_environment().models, from_environment().time_limit) == ("a:b,c:d", 5.0)


@pytest.mark.parametrize(
    ("text", "key", "place", "close"),
    [
        (
            "[database]\n\npool_sise = 1",
            "config_key",
            "[database] pool_sise (FILE:3)",
            "[database] pool_size",
        ),
        ("[model]\npool_size = 1", "config_key", "[model] pool_size (FILE:2)", "[database] pool_size"),
        ("[databse]\npool_size = 1", "config_key", "databse (FILE:1)", "database"),
        ("pool_size = 1", "config_key", "pool_size (FILE)", "[database] pool_size"),
        ('[database]\npool_size = "1"', "setting", "[database] pool_size (FILE:2)", None),
        ("[database]\npool_size = true", "setting", "[database] pool_size (FILE:2)", None),
        ("[database]\npool_size = 1.5", "setting", "[database] pool_size (FILE:2)", None),
        ("[database]\npool_size = 0", "setting_positive", "[database] pool_size (FILE:2)", None),
        ("[database]\ntime_limit = nan", "setting_positive", "[database] time_limit (FILE:2)", None),
        ('[model]\nmodel_size = "big"', "setting_choice", "[model] model_size (FILE:2)", None),
        ("[question]\ngrammar = 1", "setting", "[question] grammar (FILE:2)", None),
    ],
)
def test_an_invalid_line_is_named(write: Write, text: str, key: str, place: str, close: str | None) -> None:
    file = write("text2sql.toml", text)
    error = refusal()
    assert error.message_key == f"usage.{key}"
    assert error.facts["name"] == place.replace("FILE", str(file))
    assert error.facts.get("close") == close


def test_an_invalid_or_missing_file_is_named(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write("text2sql.toml", "[database\n")
    assert (refusal().message_key, refusal().facts["path"]) == ("usage.config_syntax", file)
    file.write_bytes(b"\xff")
    assert refusal().message_key == "usage.config_file"
    monkeypatch.setenv(CONFIG, "missing.toml")
    assert refusal().message_key == "usage.config_file"


def test_keys_and_passwords_are_not_read_from_a_shared_file(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CONFIG, "text2sql.toml")
    for text in (
        '[model]\napi_key = "x"',
        '[auth]\ntoken_secret = "x"',
        '[database]\ndb = "postgresql://ann:secret@host/shop"',
        '[memory]\nmemory = "postgresql://ann:secret@host/shop"',
    ):
        write("text2sql.toml", text)
        assert refusal().message_key == "usage.config_secret"
        assert "secret@" not in str(refusal())


@pytest.mark.parametrize("name", PROTECTED)
def test_a_protected_setting_needs_a_named_file(
    name: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = toml_line(name)
    value = line.split("= ")[1].strip().strip('"')
    texts = {".env": f"{variable(name)}={value}\n", "text2sql.toml": line}
    if name == "token_secret":  # never in a shared file
        del texts["text2sql.toml"]
    for file_name, text in texts.items():
        file = write(file_name, text)
        error = refusal()
        assert (error.message_key, error.facts["path"]) == ("usage.config_protected", file)
        monkeypatch.setenv(CONFIG, str(file))
        assert getattr(from_environment(), name) != getattr(Settings(), name)
        monkeypatch.delenv(CONFIG)
        file.unlink()


def test_a_refused_value_does_not_matter_if_the_environment_sets_it(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool may have loaded the file into the environment."""
    write(".env", "TEXT2SQL_MEMORY=none\n")
    monkeypatch.setenv("TEXT2SQL_MEMORY", "none")
    assert from_environment().memory == "none"


def test_a_base_url_in_a_found_file_gets_only_the_key_of_that_file(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(".env", "TEXT2SQL_BASE_URL=http://evil.test\n")
    assert refusal().message_key == "usage.config_protected"
    write(".env", "TEXT2SQL_BASE_URL=http://own.test\nTEXT2SQL_API_KEY=own\n")
    assert (from_environment().base_url, from_environment().api_key) == ("http://own.test", "own")
    monkeypatch.setenv("TEXT2SQL_API_KEY", "mine")
    assert refusal().message_key == "usage.config_protected"


def test_other_variables_are_read_only_if_they_are_keys_and_are_not_exported(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(".env", "OPENAI_API_KEY=x\nexport VLLM_API_KEY='y'\nOPENAI_BASE_URL=http://evil.test\nPATH=/evil\n")
    variables = environment()
    assert (variables["OPENAI_API_KEY"], variables["VLLM_API_KEY"]) == ("x", "y")
    assert "OPENAI_BASE_URL" not in variables
    assert variables["PATH"] == os.environ["PATH"] != "/evil"
    assert "OPENAI_API_KEY" not in os.environ
    monkeypatch.setenv("OPENAI_API_KEY", "z")
    assert environment()["OPENAI_API_KEY"] == "z"


def test_the_origin_of_values_and_unknown_variables_are_reported(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("text2sql.toml", "[database]\npool_size = 1\n")
    env = write(".env", "TEXT2SQL_LANG=en\n")
    monkeypatch.setenv("TEXT2SQL_TIME_LIMT", "1")
    monkeypatch.setenv("TEXT2SQL_ROW_LIMIT", "5")
    settings = read_settings()
    assert settings.files == (file, env)
    assert settings.origins == {
        "pool_size": f"[database] pool_size ({file}:2)",
        "lang": f"TEXT2SQL_LANG ({env})",
        "row_limit": "TEXT2SQL_ROW_LIMIT",
    }
    assert settings.unknown == {"TEXT2SQL_TIME_LIMT": "TEXT2SQL_TIME_LIMIT"}


def test_every_setting_belongs_to_one_group() -> None:
    assert [field.name for field in FIELDS] == list(Settings.__dataclass_fields__)
    assert all(GROUPS.values())


@pytest.mark.parametrize("name", [name for name in GROUP_OF if name not in ("api_key", "token_secret")])
def test_every_setting_can_be_in_a_named_file(
    name: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = getattr(Settings(), name)
    number = isinstance(default, int | float) and not isinstance(default, bool)
    write("text2sql.toml", f"[{GROUP_OF[name]}]\n{name} = 7\n" if number else toml_line(name))
    monkeypatch.setenv(CONFIG, "text2sql.toml")
    assert type(getattr(from_environment(), name)) is type(default)
    assert list(read_settings().origins) == [name]
