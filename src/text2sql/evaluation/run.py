"""Asks every question of a set, judges the answer by what its query returns, and keeps a line for each.

A run that was stopped goes on where it ended: the lines that are there are not asked again.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, TypeAlias

from text2sql.database import Database, open_database
from text2sql.errors import DatabaseError, Text2SQLError, UsageError
from text2sql.evaluation.match import same_result
from text2sql.evaluation.questions import Question
from text2sql.sql import check
from text2sql.sql.shape import differences, hardness, is_ordered
from text2sql.types import Answer, CheckedSql, Limits, Problem, QueryResult, Receipt

# `none`: no query to be judged; `error`: it does not run; `unjudged`: the reference itself does not run.
Verdict: TypeAlias = Literal["right", "wrong", "error", "none", "unjudged"]
Ask: TypeAlias = Callable[[str, str], Awaitable[Answer]]  # question, path of the database

LIMITS = Limits(rows=100_000, bytes=64_000_000, seconds=30.0)  # of both sides alike
_DIALECT = "sqlite"


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the file."""

    id: str
    db_id: str
    question: str
    sql: str
    status: str
    verdict: Verdict
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    hardness: str = "unknown"  # of the reference
    failure: tuple[str, ...] = ()  # in what it differs from the reference, or what the engine said


async def evaluate(
    questions: Sequence[Question],
    databases: Path,
    ask: Ask,
    out: Path | None = None,
    told: Callable[[Record], None] | None = None,
) -> list[Record]:
    """The records of all questions, in their order. `told` hears of each new one."""
    done = read_records(out) if out is not None and out.exists() else {}
    records = []
    for question in questions:
        record = done.get(question.id)
        if record is None or record.question != question.question:
            record = await _one(question, databases, ask)
            if out is not None:
                _append(out, record)
            if told is not None:
                told(record)
        records.append(record)
    return records


def read_records(path: Path) -> dict[str, Record]:
    """By id. A last line that a killed run left unfinished is asked again."""
    names = {one.name for one in fields(Record)}
    found = {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("usage.records", path=str(path), detail=str(error)) from error
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            held = json.loads(line)
            held = {name: held[name] for name in names & held.keys()}
            record = Record(**held | {"failure": tuple(held.get("failure", ()))})
        except (ValueError, TypeError, AttributeError) as error:
            if at == len(lines):
                break
            raise UsageError("usage.records", path=str(path), detail=f"line {at}: {error}") from error
        found[record.id] = record
    return found


def _append(path: Path, record: Record) -> None:
    with path.open("ab") as out:
        whole = path.read_bytes().rfind(b"\n") + 1
        if out.tell() > whole:  # what a killed run left unfinished
            out.truncate(whole)
        out.write(json.dumps(asdict(record), ensure_ascii=False).encode() + b"\n")


async def _one(question: Question, databases: Path, ask: Ask) -> Record:
    path = question.database(databases)
    if not path.is_file():
        raise UsageError("usage.db_file_missing", path=str(path))
    asked = f"{question.question}\n({question.evidence})" if question.evidence else question.question
    began = time.monotonic()
    try:
        answer = await ask(asked, str(path))
    except Text2SQLError as error:  # one question without an answer is a result, not the end of a run
        answer = Answer("failed", asked, "", receipt=Receipt(), error=Problem(error.message_key, str(error)))
    seconds = time.monotonic() - began
    verdict, failure = await asyncio.to_thread(judge, question, path, answer)
    usage = answer.receipt.usage
    return Record(
        question.id,
        question.db_id,
        question.question,
        answer.sql,
        answer.status,
        verdict,
        round(seconds, 3),
        usage.calls,
        usage.prompt_tokens,
        usage.completion_tokens,
        hardness(question.gold_sql, _DIALECT),
        failure,
    )


def judge(question: Question, path: Path, answer: Answer) -> tuple[Verdict, tuple[str, ...]]:
    """Both queries are run here, under the same limits: the rows of an answer may be only its first page."""
    with open_database(str(path)) as database:
        gold = _rows(database, question.gold_sql)
        if isinstance(gold, str):
            return "unjudged", (gold,)
        if not answer.sql or answer.status != "answered":
            return "none", (answer.error.kind if answer.error else answer.status,)
        got = _rows(database, answer.sql)
    if isinstance(got, str):
        return "error", (got,)
    if same_result(gold, got, ordered=is_ordered(question.gold_sql, _DIALECT)):
        return "right", ()
    return "wrong", differences(question.gold_sql, answer.sql, _DIALECT)


def _rows(database: Database, sql: str) -> QueryResult | str:
    """What it returns, or the kind of error."""
    checked = check(sql, _DIALECT, rows=LIMITS.rows)
    if not isinstance(checked, CheckedSql):
        return f"guard:{checked.rule}"
    try:
        return database.run(checked, LIMITS)
    except DatabaseError as error:
        return error.kind
