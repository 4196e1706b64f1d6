"""Progress of a question: a live line on a terminal, otherwise plain lines."""

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

from text2sql.i18n import Language, cli_text, cli_texts
from text2sql.text_normalization import printable
from text2sql.types import (
    AnswerToken,
    Checked,
    Event,
    Finished,
    Queued,
    RowsFound,
    SqlToken,
    StageStarted,
    Warned,
)

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_PLAIN_FRAMES = "|/-\\"
_A_SECOND = 8  # frames per second
# A hosted model answers in JSON; only the query in it is shown.
_FORM = re.compile(r'^\s*\{\s*"sql"\s*:\s*"(?P<sql>(?:[^"\\]|\\.)*)')


@dataclass(frozen=True, slots=True)
class ProgressState:
    """The current stage and the text that the model has generated in it so far."""

    stage: str = ""
    written: str = ""
    ahead: int = 0  # calls before this one in the embedded model's queue


def next_state(state: ProgressState, event: Event) -> ProgressState:
    if isinstance(event, StageStarted):
        return ProgressState(event.stage)
    if isinstance(event, Queued):
        return replace(state, ahead=event.ahead)
    if isinstance(event, SqlToken | AnswerToken):
        return replace(state, written=state.written + event.text)
    return state


def stage_label(stage: str, lang: Language) -> str:
    key = f"stage.{stage}"
    return cli_text(key, lang) if key in cli_texts() else printable(stage)


def permanent_line(event: Event, lang: Language) -> str:
    """A permanent line for an event, or an empty string."""
    if isinstance(event, Warned):
        return f"! {printable(event.message)}"
    if isinstance(event, Checked) and not event.passed:
        detail = f": {printable(event.detail)}" if event.detail else ""
        return f"✗ {printable(event.check)}{detail}"
    if isinstance(event, Queued) and event.ahead:
        return "· " + cli_text("ask.queued", lang, ahead=event.ahead)
    if isinstance(event, RowsFound):
        return "· " + cli_text("ask.rows_found", lang, rows=len(event.rows))
    return ""


def live_line(state: ProgressState, lang: Language, frame: str, seconds: float, width: int) -> Text:
    """The live line, cut to the terminal width. It shows the end of the generated text."""
    activity = (
        cli_text("ask.queued", lang, ahead=state.ahead) if state.ahead else stage_label(state.stage, lang)
    )
    text = Text(f"{frame} {activity} {seconds:.0f} s")
    query = _query(state.written)
    left = width - cell_len(text.plain) - 3
    if query and left > 10:
        text.append("  " + _tail(query, left), style="dim")
    text.truncate(width - 1, overflow="ellipsis")
    return text


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
    """Displays the events of one question; prints nothing if `quiet`."""

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
        self._state = ProgressState()
        self._live: Live | None = None

    def show_event(self, event: Event) -> None:
        self._state = next_state(self._state, event)
        if self._quiet or isinstance(event, Finished):
            return
        text = permanent_line(event, self._lang)
        if self._live is None and isinstance(event, StageStarted):
            text = f"· {stage_label(event.stage, self._lang)}"
        on_screen = self._live is not None and isinstance(event, RowsFound | Queued)
        if text and not on_screen:
            self._console.print(Text(text), soft_wrap=True)

    def _line(self) -> Text:
        now = self._clock()
        frames = _FRAMES if self._console.encoding.startswith("utf") else _PLAIN_FRAMES
        frame = frames[int(now * _A_SECOND) % len(frames)]
        return live_line(self._state, self._lang, frame, now - self._began, self._console.width)

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
