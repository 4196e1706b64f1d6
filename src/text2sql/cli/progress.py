"""What is going on, while it goes on: one live line on a terminal, short plain lines elsewhere."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.text import Text

from text2sql.cli.rendering import printable
from text2sql.cli.words import WORDS, word
from text2sql.messages import Language
from text2sql.types import AnswerToken, Checked, Event, Finished, RowsFound, SqlToken, StageStarted, Warned

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_PLAIN_FRAMES = "|/-\\"
_A_SECOND = 8  # pictures
# A hosted model fills in a form; what a person wants to see of it is the query.
_FORM = re.compile(r'^\s*\{\s*"sql"\s*:\s*"(?P<sql>(?:[^"\\]|\\.)*)')


@dataclass(frozen=True, slots=True)
class Going:
    """Where a question is: its stage, and what a model has written in it so far."""

    stage: str = ""
    written: str = ""


def after(going: Going, event: Event) -> Going:
    if isinstance(event, StageStarted):
        return Going(event.stage)
    if isinstance(event, SqlToken | AnswerToken):
        return replace(going, written=going.written + event.text)
    return going


def stage_words(stage: str, lang: Language) -> str:
    key = f"stage.{stage}"
    return word(key, lang) if key in WORDS else printable(stage)


def remark(event: Event, lang: Language) -> str:
    """What deserves a line of its own, which stays."""
    if isinstance(event, Warned):
        return f"! {printable(event.message)}"
    if isinstance(event, Checked) and not event.passed:
        detail = f": {printable(event.detail)}" if event.detail else ""
        return f"✗ {printable(event.check)}{detail}"
    if isinstance(event, RowsFound):
        return "· " + word("ask.rows_found", lang, rows=len(event.rows))
    return ""


def line(going: Going, lang: Language, frame: str, seconds: float, width: int) -> Text:
    """Of exactly one line: of what is written the end is shown, because that is what grows."""
    told = Text(f"{frame} {stage_words(going.stage, lang)} {seconds:.0f} s")
    query = _query(going.written)
    left = width - cell_len(told.plain) - 3
    if query and left > 10:
        told.append("  " + _tail(query, left), style="dim")
    told.truncate(width - 1, overflow="ellipsis")
    return told


def _query(written: str) -> str:
    form = _FORM.match(written)
    text = form["sql"].replace('\\"', '"').replace("\\n", " ") if form else written
    return printable(" ".join(text.split()))


def _tail(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    while cell_len(text) > width - 1:
        text = text[max(1, (cell_len(text) - width) // 2) :]
    return "…" + text


class Progress:
    """Takes the events of one question. `quiet` takes them and says nothing."""

    def __init__(
        self,
        console: Console,
        lang: Language,
        *,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._lang = lang
        self._quiet = quiet
        self._clock = clock
        self._began = clock()
        self._going = Going()
        self._live: Live | None = None

    def take(self, event: Event) -> None:
        self._going = after(self._going, event)
        if self._quiet or isinstance(event, Finished):
            return
        told = remark(event, self._lang)
        if self._live is None and isinstance(event, StageStarted):
            told = f"· {stage_words(event.stage, self._lang)}"
        on_screen = self._live is not None and isinstance(event, RowsFound)
        if told and not on_screen:
            self._console.print(Text(told), soft_wrap=True)

    def _line(self) -> Text:
        now = self._clock()
        frames = _FRAMES if self._console.encoding.startswith("utf") else _PLAIN_FRAMES
        frame = frames[int(now * _A_SECOND) % len(frames)]
        return line(self._going, self._lang, frame, now - self._began, self._console.width)

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._quiet:
            self._live = Live(
                get_renderable=self._line, console=self._console, transient=True, refresh_per_second=_A_SECOND
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
