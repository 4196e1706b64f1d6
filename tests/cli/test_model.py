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


def run_model(cache: Mapping[str, str], *words: str) -> Ended:
    return run("model", *words, env=cache)


def test_pulled_listed_verified_and_removed(cache: Mapping[str, str]) -> None:
    target = Path(cache["TEXT2SQL_CACHE_DIR"]) / "models" / SMALL.file
    assert "not installed yet" in run_model(cache, "list").out
    pulled = run_model(cache, "pull")
    assert (pulled.code, pulled.out, pulled.err) == (0, f"{target}\n", "")
    assert target.read_bytes() == contents()
    assert run_model(cache, "path").out == f"{target}\n"
    listed = run_model(cache, "list").out
    assert "small: verified" in listed
    assert "not running" in listed
    assert SMALL.sha256 in run_model(cache, "verify").out
    removed = run_model(cache, "remove")
    assert (removed.code, target.exists()) == (0, False)
    assert run_model(cache, "path").code == 4


def test_as_json(cache: Mapping[str, str]) -> None:
    pulled = json.loads(run_model(cache, "pull", "--json").out)
    assert pulled == {"file": pulled["file"], "size": SMALL.size, "sha256": SMALL.sha256}
    assert json.loads(run_model(cache, "path", "--json").out) == pulled
    assert json.loads(run_model(cache, "verify", "--json").out) == {**pulled, "verified": True}
    listed = json.loads(run_model(cache, "list", "--json").out)
    assert listed == {
        "model": "small",
        "file": pulled["file"],
        "present": True,
        "size": SMALL.size,
        "verified": True,
        "prefix_cache_bytes": 0,
        "processes": [],
    }
    assert json.loads(run_model(cache, "remove", "--json").out) == {"freed": SMALL.size, "ended": []}


def test_a_damaged_file_is_reported_and_restored(cache: Mapping[str, str]) -> None:
    target = Path(run_model(cache, "pull").out.strip())
    target.write_bytes(contents()[:-1] + b"x")
    ended = run_model(cache, "verify")
    assert (ended.code, ended.out) == (4, "")
    assert "damaged" in ended.err
    assert "text2sql model pull" in ended.err
    assert "已损坏" in run_model(cache, "verify", "--lang", "zh").err
    assert run_model(cache, "pull").code == 0
    assert run_model(cache, "verify").code == 0


def test_the_caches_go_with_the_file(cache: Mapping[str, str]) -> None:
    prefix = Path(cache["TEXT2SQL_CACHE_DIR"]) / "prefix" / "key" / "one.bin"
    prefix.parent.mkdir(parents=True)
    prefix.write_bytes(b"x" * 1_000_000)
    assert "1.0 MB" in run_model(cache, "list").out
    assert "1.0 MB freed" in run_model(cache, "remove").out
    assert not prefix.exists()


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("verify",), 4, "not installed yet"),
        (("path",), 4, "text2sql model pull"),
        (("pull", "--from", "http://x/y"), 2, "https://"),
        (("list", "--from", "https://x/y"), 2, "--from"),
        (("fly",), 2, "list, pull, path, verify, remove"),
        ((), 2, "missing"),
    ],
)
def test_an_impossible_action_is_an_error(
    cache: Mapping[str, str], words: tuple[str, ...], code: int, expected: str
) -> None:
    ended = run_model(cache, *words)
    assert (ended.code, ended.out) == (code, "")
    assert expected in ended.err


def test_help_is_in_the_readers_language(cache: Mapping[str, str]) -> None:
    assert "evaluated" not in run_model(cache, "--help", "--lang", "zh").out
    assert "内置模型" in run_model(cache, "--help", "--lang", "zh").out
