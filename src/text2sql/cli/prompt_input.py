"""Input of a chat: an interactive prompt, or lines from a pipe."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from text2sql.cli.question_options import is_yes
from text2sql.config import Settings
from text2sql.errors import Text2SQLError
from text2sql.memory.location import data_root

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

PROMPT = "text2sql> "
_MOST = 30  # maximum number of completions


class PromptInput(Protocol):
    """A source of input lines."""

    def read_line(self) -> str:
        """The next line; EOFError when there is none, KeyboardInterrupt for Ctrl-C at an empty prompt."""

    def confirm(self, question: str) -> bool:
        """Ask for confirmation. A pipe never confirms."""


class PipeInput:
    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)

    def read_line(self) -> str:
        try:
            return next(self._lines).rstrip("\r\n")
        except StopIteration:
            raise EOFError from None

    def confirm(self, question: str) -> bool:  # noqa: ARG002
        return False


class Terminal:
    def __init__(
        self, names: "Names", history: History, source: "Input | None" = None, target: "Output | None" = None
    ) -> None:
        self._session: PromptSession[str] = PromptSession(
            history=history,
            completer=names,
            complete_in_thread=True,  # the first completion may wait for the catalog
            complete_while_typing=Condition(lambda: get_app().current_buffer.text.startswith("/")),
            key_bindings=_keys(),
            input=source,
            output=target,
        )

    def read_line(self) -> str:
        return self._session.prompt(PROMPT)

    def confirm(self, question: str) -> bool:
        # A separate session keeps the answer out of the question history.
        session: PromptSession[str] = PromptSession(input=self._session.input, output=self._session.output)
        try:
            return is_yes(session.prompt(f"{question} [y/N] "))
        except (EOFError, KeyboardInterrupt):
            return False


class Names(Completer):
    """Completes slash commands and the names of tables and columns."""

    def __init__(self, commands: Sequence[str], names: Callable[[], Sequence[str]]) -> None:
        self._commands = commands
        self._load = names
        self._names: Sequence[str] | None = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002
        text = document.text_before_cursor
        if text.startswith("/") and " " not in text:
            return [Completion(command, -len(text)) for command in self._commands if command.startswith(text)]
        start = text.rsplit(maxsplit=1)[-1] if text and not text[-1].isspace() else ""
        if not start:
            return []
        matches = [name for name in self._known() if name.casefold().startswith(start.casefold())]
        return [Completion(name, -len(start)) for name in matches[:_MOST]]

    def _known(self) -> Sequence[str]:
        """The names, read once. An unreachable database has none; the question will report the error."""
        if self._names is None:
            with suppress(Text2SQLError):
                self._names = self._load()
        return self._names or ()


def history_of(settings: Settings) -> History:
    """The question history in a private file, because questions reveal data; in memory if that fails."""
    path = data_root(settings) / "chat_history"
    try:
        _make_private(path)
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    path.chmod(0o600)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        """As in a shell: discard the input, or interrupt if it is empty."""
        if event.app.current_buffer.text:
            event.app.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    return keys


def prompt_input(settings: Settings, names: Names) -> PromptInput:
    if sys.stdin.isatty() and sys.stdout.isatty():
        return Terminal(names, history_of(settings))
    return PipeInput(sys.stdin)
