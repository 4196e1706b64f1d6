"""A chat's state and its one verb: ask. Slash commands are in `chat_commands.py`, the loop in `chat.py`."""

import sys
from dataclasses import dataclass, replace
from uuid import uuid4

from rich.console import Console
from rich.text import Text

from text2sql.app import How
from text2sql.cli.asking import Terms, clean, followed
from text2sql.cli.person import Person
from text2sql.cli.progress import Progress
from text2sql.cli.telling import (
    answer_parts,
    lines_of,
    room_of,
    rows_parts,
    screen,
    show,
    sql_text,
)
from text2sql.messages import Language
from text2sql.synchronous import Text2SQL
from text2sql.types import Answer, QueryResult


@dataclass(slots=True)
class Conversation:
    db: Text2SQL
    person: Person
    terms: Terms
    lang: Language
    out: Console
    thread: str = ""
    model: str = ""  # as /model set it; empty is the one it began with
    language: str = ""  # of answers, as /lang set it; empty is the question's own
    last: Answer | None = None
    page: int = 1
    over: bool = False

    def __post_init__(self) -> None:
        self.thread = self.thread or self.terms.how.get("thread", "") or new_thread()

    @property
    def user(self) -> str:
        return self.terms.how.get("user", "")

    @property
    def how(self) -> How:
        how: How = {**self.terms.how, "thread": self.thread}
        if self.model:
            how["model"] = self.model
        if self.language:
            how["language"] = self.language
        return how

    def ask(self, question: str) -> None:
        answer = followed(self.db.stream(clean(question), **self.how), self._progress())
        if answer.status == "confirm":
            show(self.out, [sql_text(answer.sql)])
            yes = self.person.agrees(lines_of(answer.answer))
            events = self.db.stream_confirm(self.thread, yes=yes, user=self.user)
            answer = followed(events, self._progress())
        self.keep(answer)
        show(self.out, answer_parts(answer, self.lang, room_of(self.out)))

    def keep(self, answer: Answer | None) -> None:
        """What /page, /export, /sql and /receipt are about from now on."""
        self.last, self.page = answer, 1

    def show_page(self, number: int, found: QueryResult) -> None:
        self.page = number
        columns = tuple(column.name for column in found.columns)
        show(self.out, rows_parts(columns, found.rows, False, self.lang, room_of(self.out)))

    def say(self, text: str, style: str = "") -> None:
        self.out.print(Text(lines_of(text), style=style), soft_wrap=True)

    def _progress(self) -> Progress:
        return Progress(screen(sys.stderr), self.lang)


def new_thread() -> str:
    return uuid4().hex[:12]


def own_answer(sql: str, found: QueryResult) -> Answer:
    """Rows of a person's own statement, in the shape of an answer."""
    columns = tuple(column.name for column in found.columns)
    answer = Answer("answered", sql, "", sql, columns, found.rows, found.row_count)
    return replace(answer, truncated=bool(found.truncated))
