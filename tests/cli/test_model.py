"""`text2sql model`: managing the model file, here a small one instead of a gigabyte."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from llm.embedded.slices import contents, install_slices, small_release
from terminal import Ended, run
from text2sql.cli import model

SMALL = small_release()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    install_slices(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr(model, "QWEN", SMALL)
    return {"TEXT2SQL_CACHE_DIR": str(tmp_path / "cache")}


def asked(cache: Mapping[str, str], *words: str) -> Ended:
    return run("model", *words, env=cache)


def test_pulled_listed_verified_and_removed(cache: Mapping[str, str]) -> None:
    target = Path(cache["TEXT2SQL_CACHE_DIR"]) / "models" / SMALL.file
    assert "not installed yet" in asked(cache, "list").out
    pulled = asked(cache, "pull")
    assert (pulled.code, pulled.out, pulled.err) == (0, f"{target}\n", "")
    assert target.read_bytes() == contents()
    assert asked(cache, "path").out == f"{target}\n"
    listed = asked(cache, "list").out
    assert "small: verified" in listed
    assert "not running" in listed
    assert SMALL.sha256 in asked(cache, "verify").out
    removed = asked(cache, "remove")
    assert (removed.code, target.exists()) == (0, False)
    assert asked(cache, "path").code == 4


def test_as_json(cache: Mapping[str, str]) -> None:
    pulled = json.loads(asked(cache, "pull", "--json").out)
    assert pulled == {"file": pulled["file"], "size": SMALL.size, "sha256": SMALL.sha256}
    assert json.loads(asked(cache, "path", "--json").out) == pulled
    assert json.loads(asked(cache, "verify", "--json").out) == {**pulled, "verified": True}
    listed = json.loads(asked(cache, "list", "--json").out)
    assert listed == {
        "model": "small",
        "file": pulled["file"],
        "present": True,
        "size": SMALL.size,
        "verified": True,
        "prefix_cache_bytes": 0,
        "processes": [],
    }
    assert json.loads(asked(cache, "remove", "--json").out) == {"freed": SMALL.size, "ended": []}


def test_a_damaged_file_is_told_and_mended(cache: Mapping[str, str]) -> None:
    target = Path(asked(cache, "pull").out.strip())
    target.write_bytes(contents()[:-1] + b"x")
    told = asked(cache, "verify")
    assert (told.code, told.out) == (4, "")
    assert "damaged" in told.err
    assert "text2sql model pull" in told.err
    assert "已损坏" in asked(cache, "verify", "--lang", "zh").err
    assert asked(cache, "pull").code == 0
    assert asked(cache, "verify").code == 0


def test_the_caches_go_with_the_file(cache: Mapping[str, str]) -> None:
    prefix = Path(cache["TEXT2SQL_CACHE_DIR"]) / "prefix" / "key" / "one.bin"
    prefix.parent.mkdir(parents=True)
    prefix.write_bytes(b"x" * 1_000_000)
    assert "1.0 MB" in asked(cache, "list").out
    assert "1.0 MB freed" in asked(cache, "remove").out
    assert not prefix.exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("verify",), 4, "not installed yet"),
        (("path",), 4, "text2sql model pull"),
        (("pull", "--from", "http://x/y"), 2, "https://"),
        (("list", "--from", "https://x/y"), 2, "--from"),
        (("fly",), 2, "list, pull, path, verify, remove"),
        ((), 2, "missing"),
    ],
)
def test_what_cannot_be_done_is_told(
    cache: Mapping[str, str], words: tuple[str, ...], code: int, told: str
) -> None:
    ended = asked(cache, *words)
    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err


def test_help_is_in_the_readers_language(cache: Mapping[str, str]) -> None:
    assert "evaluated" not in asked(cache, "--help", "--lang", "zh").out
    assert "内置模型" in asked(cache, "--help", "--lang", "zh").out
