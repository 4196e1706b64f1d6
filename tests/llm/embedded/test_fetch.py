"""Fetching the file: over https, going on where it stopped, and nothing but the right bytes."""

from pathlib import Path

import httpx
import pytest

from llm.embedded.slices import SIZE, contents, small_release
from text2sql.errors import ModelFileError, UsageError
from text2sql.llm.embedded.fetch import fetch

SMALL = small_release()
URL = "https://models.example/small.gguf"


def serving(content: bytes, ranges: list[str], until: int | None = None) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        requested_range = request.headers.get("Range", "")
        ranges.append(requested_range)
        start = int(requested_range.removeprefix("bytes=").rstrip("-") or 0)
        return httpx.Response(206 if requested_range else 200, content=content[start:until])

    return httpx.MockTransport(answer)


def test_a_download_is_verified_and_installed(tmp_path: Path) -> None:
    ranges: list[str] = []
    target = fetch(URL, tmp_path, SMALL, transport=serving(contents(), ranges))
    assert target.read_bytes() == contents()
    assert fetch(URL, tmp_path, SMALL, transport=serving(b"", ranges)) == target
    assert ranges == [""]


def test_an_interrupted_download_is_resumed(tmp_path: Path) -> None:
    ranges: list[str] = []
    with pytest.raises(ModelFileError, match="file_fetch"):
        fetch(URL, tmp_path, SMALL, transport=serving(contents(), ranges, until=SIZE // 2))
    assert not (tmp_path / SMALL.file).exists()
    assert fetch(URL, tmp_path, SMALL, transport=serving(contents(), ranges)).read_bytes() == contents()
    assert ranges == ["", f"bytes={SIZE // 2}-"]


def test_a_wrong_download_is_removed(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="file_damaged"):
        fetch(URL, tmp_path, SMALL, transport=serving(contents()[::-1], []))
    assert list(tmp_path.glob("small*")) == []


def test_a_failing_server_is_an_error(tmp_path: Path) -> None:
    refusing = httpx.MockTransport(lambda _: httpx.Response(403))
    with pytest.raises(ModelFileError, match="file_fetch") as caught:
        fetch(URL, tmp_path, SMALL, transport=refusing)
    assert caught.value.facts["host"] == "models.example"


def test_only_https_is_fetched_from(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="model_url"):
        fetch("http://models.example/small.gguf", tmp_path, SMALL)
