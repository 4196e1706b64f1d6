"""The state of a chat. Slash commands are in `chat_commands.py`, the input loop in `chat.py`."""

import sys
from dataclasses import dataclass, replace
from uuid import uuid4

from rich.console import Console
from rich.text import Text

from text2sql.cli.answer_view import (
    answer_parts,
    available_space,
    lines_of,
    rows_parts,
    screen,
    show,
    sql_text,
)
from text2sql.cli.progress import Progress
from text2sql.cli.prompt_input import PromptInput
from text2sql.cli.question_options import QuestionOptions, clean, follow_events
from text2sql.client.sync_client import Text2SQL
from text2sql.i18n import Language, cli_text
from text2sql.types import Answer, QueryResult, RunOptions


@dataclass(slots=True)
class Conversation:
    """A chat with one database: its thread, its options and the last answer."""

    db: Text2SQL
    prompt: PromptInput
    options: QuestionOptions
    lang: Language
    out: Console
    thread: str = ""
    model: str = ""  # set by /model; empty for the initial model
    language: str = ""  # of answers, set by /lang; empty for the language of each question
    last: Answer | None = None
    page: int = 1
    ended: bool = False

    def __post_init__(self) -> None:
        self.thread = self.thread or self.options.run_options.thread or new_thread()

    @property
    def user(self) -> str:
        return self.options.run_options.user

    @property
    def run_options(self) -> RunOptions:
        initial = self.options.run_options
        return replace(
            initial,
            thread=self.thread,
            model=self.model or initial.model,
            language=self.language or initial.language,
        )

    def ask(self, question: str) -> None:
        answer = follow_events(self.db.stream(clean(question), self.run_options), self._progress())
        if answer.status == "confirm":
            show(self.out, [sql_text(answer.sql)])
            yes = self.prompt.confirm(lines_of(answer.answer))
            events = self.db.threads.stream_confirm(self.thread, yes=yes, user=self.user)
            answer = follow_events(events, self._progress())
        self.set_last_answer(answer)
        show(self.out, answer_parts(answer, self.lang, available_space(self.out)))
        if answer.suggestions:
            self.say(cli_text("chat.next", self.lang, questions=" · ".join(answer.suggestions)), "dim")

    def set_last_answer(self, answer: Answer | None) -> None:
        """Set the answer that /page, /export, /sql and /receipt refer to."""
        self.last, self.page = answer, 1

    def show_page(self, number: int, result: QueryResult) -> None:
        self.page = number
        columns = tuple(column.name for column in result.columns)
        show(self.out, rows_parts(columns, result.rows, False, self.lang, available_space(self.out)))

    def say(self, text: str, style: str = "") -> None:
        self.out.print(Text(lines_of(text), style=style), soft_wrap=True)

    def _progress(self) -> Progress:
        return Progress(screen(sys.stderr), self.lang)


def new_thread() -> str:
    return uuid4().hex[:12]


def answer_from_result(sql: str, result: QueryResult) -> Answer:
    """The result of a user's own SQL as an answer."""
    columns = tuple(column.name for column in result.columns)
    truncated = bool(result.truncated)
    return Answer("answered", sql, "", sql, columns, result.rows, result.row_count, truncated)
