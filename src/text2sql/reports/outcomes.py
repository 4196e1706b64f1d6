"""The questions of a report, the options of a run, and the outcome of each question, also as JSON."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.reports.lock import Entry, Lock
from text2sql.reports.parameters import all_forms, parameter_names, substituted
from text2sql.sql import ParameterSpellings
from text2sql.types import Answer, Problem, Receipt, StageError, Usage

Stage: TypeAlias = Literal["draft", "run", "repair"]
Origin: TypeAlias = Literal["lock", "model", "repair", ""]

PARALLEL = 4  # concurrent questions to a hosted model
_CJK = re.compile(r"[\u3400-\u9fff]")
_STORED_ANSWER_FIELDS = (
    "status", "question", "answer", "sql", "columns", "labels", "rows", "row_count", "truncated", "thread_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A distinct question of a report. Several placeholders may ask it."""

    question: str  # as written in the template
    resolved: str  # with the values of its parameters, as sent to the model
    values: Mapping[str, str]
    language: Language

    @property
    def forms(self) -> dict[str, ParameterSpellings]:
        return all_forms(self.values)


@dataclass(frozen=True, slots=True)
class Step:
    """Progress: a question passed a stage."""

    stage: Stage
    item: Item
    passed: bool
    done: int
    total: int


class Journal(Protocol):
    """Durable record of the outcomes of a running report."""

    async def load(self, item: Item) -> "Outcome | None":
        """The recorded outcome of a question, if it was started."""

    async def save(self, step: Step, outcome: "Outcome") -> None:
        """Record an outcome. The next stage of the question waits for it."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Options of a report run."""

    language: Language | Literal[""] = ""  # of the answers; "" uses the language of each question
    user: str = ""
    parallel: int = PARALLEL
    locked: bool = False  # call no model: questions without a lock entry fail
    ignore_lock: bool = False  # generate all queries again
    max_attempts: int = 0  # queries that a model may write for a question; 0: two, or as the settings allow
    on_step: Callable[[Step], None] = lambda _: None  # called after each stage of each question
    journal: Journal | None = None


@dataclass(slots=True)
class Outcome:
    """The state of a question, updated by each stage."""

    item: Item
    origin: Origin = ""
    sql: str = ""
    entry: Entry | None = None  # its entry in the new lock file
    answer: Answer | None = None  # with its rows, if it was answered
    problem: Problem | None = None
    status: str = ""
    errors: list[StageError] = field(default_factory=list)
    repaired: bool = False  # True if a model was asked to repair the query
    usage: Usage = field(default_factory=Usage)
    statements: int = 0
    seconds: dict[Stage, float] = field(default_factory=dict)
    model: str = ""

    def add(self, answer: Answer, known_errors: int = 0) -> None:
        """Record the answer of a stage. Its first `known_errors` errors were given to the model."""
        receipt = answer.receipt
        self.usage += receipt.usage
        self.statements += receipt.statements
        self.errors += receipt.errors[known_errors:]
        self.model = receipt.model or self.model
        self.answer = answer if answer.status == "answered" and answer.columns else None
        self.status, self.problem = answer.status, None
        if answer.status != "answered":
            self.problem = answer.error or Problem(answer.status, answer.answer)


@dataclass(frozen=True, slots=True)
class AnsweredReport:
    """The outcomes of all questions of a report, with the new lock file."""

    outcomes: tuple[Outcome, ...]
    lock: Lock
    seconds: Mapping[str, float]
    connections: int
    resumed: int = 0  # questions that an earlier process started

    def of(self, question: str) -> Outcome:
        return next(outcome for outcome in self.outcomes if outcome.item.question == question)


def distinct_questions(
    questions: Sequence[str], values: Mapping[str, str], language: Language | Literal[""] = ""
) -> list[Item]:
    """The distinct questions with the values of their parameters."""
    items = {}
    for question in dict.fromkeys(questions):
        names = parameter_names(question)
        missing = next((name for name in names if name not in values), None)
        if missing is not None:
            raise UsageError("usage.report_missing", name=missing, question=question)
        lang: Language = language or ("zh" if _CJK.search(question) else "en")
        used_values = {name: values[name] for name in names}
        items[question] = item = Item(question, substituted(question, used_values, lang), used_values, lang)
        all_forms(item.values)  # raises for names that clash, before any work is done
    return list(items.values())


def outcome_to_json(outcome: Outcome) -> str:
    """An outcome as ASCII JSON, with only those fields of the answer that reports and records use."""
    fields = {name: getattr(outcome, name) for name in ("origin", "sql", "status", "repaired")}
    fields |= {"statements": outcome.statements, "seconds": outcome.seconds, "model": outcome.model}
    fields |= {"usage": asdict(outcome.usage), "errors": [asdict(error) for error in outcome.errors]}
    fields |= {"problem": asdict(outcome.problem) if outcome.problem else None, "answer": None}
    if outcome.answer is not None:
        stored = {name: getattr(outcome.answer, name) for name in _STORED_ANSWER_FIELDS}
        fields["answer"] = {**stored, "seconds": dict(outcome.answer.receipt.seconds)}
    return json.dumps(fields)


def outcome_from_json(item: Item, text: str) -> Outcome:
    """Parse the text of `outcome_to_json`."""
    fields = json.loads(text)
    problem, answer = fields.pop("problem"), fields.pop("answer")
    errors, usage = fields.pop("errors"), fields.pop("usage")
    return Outcome(
        item,
        problem=Problem(**problem) if problem else None,
        answer=_answer(answer) if answer else None,
        errors=[StageError(**error) for error in errors],
        usage=Usage(**usage),
        **fields,
    )


def _answer(fields: dict[str, Any]) -> Answer:
    columns, rows = tuple(fields.pop("columns")), tuple(tuple(row) for row in fields.pop("rows"))
    labels = tuple(fields.pop("labels", ()))
    return Answer(
        columns=columns, labels=labels, rows=rows, receipt=Receipt(seconds=fields.pop("seconds")), **fields
    )
