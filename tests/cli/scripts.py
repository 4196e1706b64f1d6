"""A terminal whose model says what it was told to say, with a memory and a cache of its own."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from terminal import Ended, run
from text2sql.cli import asking
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.llm.scripted import Line
from text2sql.synchronous import Text2SQL
from text2sql.types import Capabilities

# As the embedded model: it writes a query and nothing around it, and is asked nothing else.
LIKE_EMBEDDED = Capabilities(context=32_768, grammar=True, candidates=True, logprobs=True)


class Desk:
    """`text2sql` as a person has it, but for the model."""

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
        monkeypatch.setattr(asking, "Text2SQL", self._opened)

    def says(self, *lines: Line) -> "Desk":
        self.backend = ScriptedBackend(lines, capabilities=LIKE_EMBEDDED)
        return self

    def run(self, *words: str, stdin: str = "") -> Ended:
        return run(*words, stdin=stdin.encode(), env=self.env)

    def _opened(self, source: str, **given: Any) -> Text2SQL:
        return Text2SQL(source, **{**given, "model": AsyncChatModel([self.backend], Settings())})


def lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)
