"""Who sits at the other end of a chat: a person at a terminal, or the lines of a pipe."""

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

from text2sql.cli.asking import says_yes
from text2sql.config import Settings
from text2sql.errors import Text2SQLError
from text2sql.memory.places import data_root

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

PROMPT = "text2sql> "
_MOST = 30  # completions on offer


class Person(Protocol):
    def line(self) -> str:
        """The next line; EOFError when there is none, KeyboardInterrupt for Ctrl-C at an empty prompt."""

    def agrees(self, question: str) -> bool:
        """Whether the person says yes. Nobody at a pipe does."""


class Pipe:
    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)

    def line(self) -> str:
        try:
            return next(self._lines).rstrip("\r\n")
        except StopIteration:
            raise EOFError from None

    def agrees(self, question: str) -> bool:  # noqa: ARG002
        return False


class Terminal:
    def __init__(
        self, names: "Names", history: History, given: "Input | None" = None, shown: "Output | None" = None
    ) -> None:
        self._session: PromptSession[str] = PromptSession(
            history=history,
            completer=names,
            complete_in_thread=True,  # the first completion may wait for the catalogue
            complete_while_typing=Condition(lambda: get_app().current_buffer.text.startswith("/")),
            key_bindings=_keys(),
            input=given,
            output=shown,
        )

    def line(self) -> str:
        return self._session.prompt(PROMPT)

    def agrees(self, question: str) -> bool:
        # A session of its own: a yes is no question to be found in the history.
        asking: PromptSession[str] = PromptSession(input=self._session.input, output=self._session.output)
        try:
            return says_yes(asking.prompt(f"{question} [y/N] "))
        except (EOFError, KeyboardInterrupt):
            return False


class Names(Completer):
    """Slash commands and what follows them, else the names of tables and columns."""

    def __init__(self, commands: Sequence[str], names: Callable[[], Sequence[str]]) -> None:
        self._commands = commands
        self._ask = names
        self._names: Sequence[str] | None = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002
        text = document.text_before_cursor
        if text.startswith("/") and " " not in text:
            return [Completion(one, -len(text)) for one in self._commands if one.startswith(text)]
        start = text.rsplit(maxsplit=1)[-1] if text and not text[-1].isspace() else ""
        if not start:
            return []
        found = [one for one in self._known() if one.casefold().startswith(start.casefold())]
        return [Completion(one, -len(start)) for one in found[:_MOST]]

    def _known(self) -> Sequence[str]:
        """Read once; a database that cannot be reached has no names, and the question will say why."""
        if self._names is None:
            with suppress(Text2SQLError):
                self._names = self._ask()
        return self._names or ()


def history_of(settings: Settings) -> History:
    """Questions tell about the data: the file is its owner's alone. Where it cannot be kept, it is not."""
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
        """As in a shell: what was begun is thrown away; with nothing there, the loop is told."""
        if event.app.current_buffer.text:
            event.app.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    return keys


def somebody(settings: Settings, names: Names) -> Person:
    if sys.stdin.isatty() and sys.stdout.isatty():
        return Terminal(names, history_of(settings))
    return Pipe(sys.stdin)
