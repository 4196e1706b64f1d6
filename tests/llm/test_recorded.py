"""Recorded models: what was asked once is answered from the folder, and nothing else is."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from text2sql.config import Settings
from text2sql.errors import ModelFileError, UsageError
from text2sql.i18n import explain
from text2sql.llm import ScriptedBackend, open_chat
from text2sql.llm.recorded import RecordedBackend
from text2sql.types import Alternative, Candidate, Message, ModelProfile, ModelRequest, Reply, Token, Usage

REQUEST = ModelRequest((Message("system", "学生(学号)"), Message("user", "有多少学生？")), logprobs=True)
PROFILE = ModelProfile(8_192, location="local", size="small", logprobs=True, continues=True)
REPLY = Reply(
    "local",
    (Candidate("SELECT 1", "stop", (Token("SELECT", -0.1, (Alternative(7, b"\xe9\xbc", -2.0),)),)),),
    Usage(1, 20, 10, 3, 0.5),
)


def answer(backend: RecordedBackend, request: ModelRequest) -> Reply:
    async def last() -> Reply:
        *_, reply = [item async for item in backend.stream(request)]
        assert isinstance(reply, Reply)
        return reply

    return asyncio.run(last())


def test_a_recorded_reply_comes_back_whole_and_the_model_is_asked_once(tmp_path: Path) -> None:
    model = ScriptedBackend([REPLY], name="local", profile=PROFILE)
    recorder = RecordedBackend(tmp_path, model)
    assert [answer(recorder, REQUEST), answer(recorder, REQUEST)] == [REPLY, REPLY]
    assert len(model.requests) == 1
    player = RecordedBackend(tmp_path)
    assert (player.name, player.profile) == ("local", PROFILE)
    assert answer(player, replace(REQUEST, seconds=3.0)) == REPLY  # the deadline changes no reply


def test_a_prompt_that_was_not_recorded_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    answer(RecordedBackend(tmp_path, ScriptedBackend([REPLY], profile=PROFILE)), REQUEST)
    other = replace(REQUEST, forced=Alternative(8, b"\xe9"))
    with pytest.raises(ModelFileError) as caught:
        answer(RecordedBackend(tmp_path), other)
    assert str(tmp_path) in explain(caught.value, "en")
    assert str(tmp_path) in explain(caught.value, "zh")


def test_token_counts_are_recorded_too(tmp_path: Path) -> None:
    counted = asyncio.run(RecordedBackend(tmp_path, ScriptedBackend()).count_tokens("鼷鼠 and more"))
    assert asyncio.run(RecordedBackend(tmp_path).count_tokens("鼷鼠 and more")) == counted


def test_a_failed_call_is_not_recorded(tmp_path: Path) -> None:
    recorder = RecordedBackend(tmp_path, ScriptedBackend([ModelFileError("local", "broken"), REPLY]))
    with pytest.raises(ModelFileError):
        answer(recorder, REQUEST)
    assert answer(recorder, REQUEST) == REPLY


@pytest.mark.parametrize("content", [None, "{", "[]", '{"name": "local"}'])
def test_a_folder_without_a_recording_is_a_usage_error(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "model.json").write_text(content)
    with pytest.raises(UsageError) as caught:
        open_chat(f"recorded:{tmp_path}", Settings())
    assert str(tmp_path) in explain(caught.value, "en")


def test_a_damaged_reply_is_a_usage_error(tmp_path: Path) -> None:
    answer(RecordedBackend(tmp_path, ScriptedBackend([REPLY], profile=PROFILE)), REQUEST)
    (file,) = (tmp_path / "reply").iterdir()
    file.write_text("{}")
    with pytest.raises(UsageError):
        answer(RecordedBackend(tmp_path), REQUEST)
