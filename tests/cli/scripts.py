"""A CLI with a scripted model and its own memory and cache."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from terminal import Ended, run
from text2sql.cli import question_options
from text2sql.client.sync_client import Text2SQL
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.llm.scripted import Line
from text2sql.types import ModelProfile

# Like the embedded model: the reply is a query without any prose, and no other calls are made.
LIKE_EMBEDDED = ModelProfile(
    context=32_768, location="local", size="small", grammar=True, candidates=True, logprobs=True
)


class ScriptedCli:
    """Run `text2sql` with a scripted model."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.backend = ScriptedBackend()
        self.env: Mapping[str, str | None] = {
            "TEXT2SQL_DATA_DIR": str(folder / "data"),
            "TEXT2SQL_CACHE_DIR": str(folder / "cache"),
            "TEXT2SQL_VALUES_WAIT": "0",
            "TEXT2SQL_MEMORY": None,
            "TEXT2SQL_DEBUG": "1",
        }
        monkeypatch.setattr(question_options, "Text2SQL", self._open)

    def replies(self, *lines: Line) -> "ScriptedCli":
        self.backend = ScriptedBackend(lines, profile=LIKE_EMBEDDED)
        return self

    def run(self, *words: str, stdin: str = "") -> Ended:
        return run(*words, stdin=stdin.encode(), env=self.env)

    def _open(self, source: str, **arguments: Any) -> Text2SQL:
        return Text2SQL(source, **{**arguments, "model": AsyncChatModel([self.backend], Settings())})


def lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)
