"""Judge answers by execution match (run the answer's query and the references on the same database), by their
status and by the facts of their sentence.

The rows of the answer itself are not compared, because they may be only its first page.
"""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database
from text2sql.errors import DatabaseError
from text2sql.evaluation.facts import missing_facts
from text2sql.evaluation.lenient import same_content
from text2sql.evaluation.match import same_result, same_rows
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import Verdict
from text2sql.sql import check, in_worker
from text2sql.sql.query_features import differences, hardness, is_ordered
from text2sql.types import (
    Answer,
    CheckedSql,
    Limits,
    QueryResult,
    ResultColumn,
    Row,
    SqlRejected,
    Status,
    Value,
)

Guard: TypeAlias = Callable[[str], CheckedSql | SqlRejected]  # at most `LIMITS.rows` rows

LIMITS = Limits(rows=100_000, bytes=64_000_000, seconds=30.0)  # for both queries
DECLINED: tuple[Status, ...] = ("no_data", "clarify")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
# Type names of exact numbers, which are returned as text if a double cannot represent them.
_EXACT = re.compile(r"(?i)num|dec|int")


class Judge:
    """Judges the answers about one database. Reference results are cached."""

    def __init__(self, database: AsyncDatabase, guard: Guard, *, closes: bool = True) -> None:
        """`closes`: whether `close` closes the database."""
        self._database = database
        self._guard = guard
        self._closes = closes
        self._gold: dict[str, QueryResult | str] = {}

    async def hardness(self, question: Question) -> str:
        level = await in_worker(hardness, question.gold_sql, self._database.dialect)
        return level if isinstance(level, str) else "unknown"

    async def judge(self, question: Question, answer: Answer) -> tuple[Verdict, tuple[str, ...]]:
        """The verdict and the differences, most significant first."""
        outcome = answer.error.kind if answer.error else answer.status
        if question.foreign:
            return ("declined", ()) if answer.status in DECLINED else ("taken", (outcome,))
        if not question.statuses:
            return "unjudged", ("no_expectation",)
        golds = await self.references(question)
        if isinstance(golds, str):
            return "unjudged", (golds,)
        if answer.status not in question.statuses:
            return ("wrong" if answer.status == "answered" else "none"), (outcome,)
        if golds and answer.status == "answered":
            verdict, failure = await self._compare_with_any(question, golds, answer)
            if verdict != "right":
                return verdict, failure
        missing = missing_facts(question.facts, answer.answer)
        return ("wrong", ("facts", *missing)) if missing else ("right", ())

    async def is_right(self, question: Question, sql: str) -> bool:
        golds = await self.references(question)
        if isinstance(golds, str):
            return False
        answer = Answer("answered", question.question, "", sql=sql)
        return (await self._compare_with_any(question, golds, answer))[0] == "right"

    async def runs(self, sql: str) -> bool:
        return not isinstance(await self._rows(sql), str)

    async def close(self) -> None:
        if self._closes:
            await self._database.close()

    async def references(self, question: Question) -> tuple[QueryResult, ...] | str:
        """The expected results, or the kind of the first reference's error."""
        if question.rows is not None:
            width = len(question.rows[0]) if question.rows else 0
            return (QueryResult((ResultColumn("", ""),) * width, question.rows),)
        results = []
        for sql in question.references:
            if sql not in self._gold:
                self._gold[sql] = await self._rows(sql)
            result = self._gold[sql]
            if isinstance(result, str):
                return result
            results.append(result)
        return tuple(results)

    async def _compare_with_any(
        self, question: Question, golds: tuple[QueryResult, ...], answer: Answer
    ) -> tuple[Verdict, tuple[str, ...]]:
        """Compare with all references; of a wrong answer, the differences from the first."""
        if not answer.sql:
            return "none", (answer.status,)
        actual = await self._rows(answer.sql)
        if isinstance(actual, str):
            return "error", (actual,)
        for sql, gold in zip(question.references or ("",), golds, strict=True):
            if await self._is_same(question, sql, gold, actual, answer.answer):
                return "right", ()
        if question.rows is not None:
            return "wrong", _row_difference(question.rows, actual.rows)
        return "wrong", await self._differences(question.references[0], answer.sql)

    async def _is_same(
        self, question: Question, sql: str, gold: QueryResult, actual: QueryResult, sentence: str
    ) -> bool:
        if question.match == "lenient":
            return await asyncio.to_thread(same_content, gold, actual, sentence, ordered=question.ordered)
        if question.rows is not None:
            return await asyncio.to_thread(same_rows, gold.rows, actual.rows, ordered=question.ordered)
        ordered = await in_worker(is_ordered, sql, self._database.dialect)
        return await asyncio.to_thread(same_result, gold, actual, ordered=ordered is True)

    async def _differences(self, gold_sql: str, sql: str) -> tuple[str, ...]:
        guard_limit = f" LIMIT {LIMITS.rows}"  # added by our guard, so it does not count as a difference
        features = await in_worker(
            differences, gold_sql, sql.removesuffix(guard_limit), self._database.dialect
        )
        return ("unreadable",) if isinstance(features, SqlRejected) else features

    async def _rows(self, sql: str) -> QueryResult | str:
        """The result of a query, or the kind of its error."""
        checked = await in_worker(self._guard, sql)
        if not isinstance(checked, CheckedSql):
            return f"guard:{checked.rule}"
        try:
            return _with_numbers(await self._database.run(checked, LIMITS))
        except DatabaseError as error:
            if error.retry == "again":  # a connection problem: no verdict about the query is possible
                raise
            return error.kind


def open_judge(source: str, settings: Settings) -> Judge:
    """A judge for the database at this path or URL, with access to everything."""
    database = AsyncDatabase(open_database(source, settings))
    return Judge(database, partial(check, dialect=database.dialect, rows=LIMITS.rows))


def _with_numbers(result: QueryResult) -> QueryResult:
    """Convert exact numbers from text to numbers, so that they are compared by value and not by digits."""
    exact = [at for at, column in enumerate(result.columns) if _EXACT.search(column.type)]
    if not any(isinstance(row[at], str) for row in result.rows for at in exact):
        return result
    rows = tuple(tuple(_number(v) if at in exact else v for at, v in enumerate(row)) for row in result.rows)
    return QueryResult(result.columns, rows, result.truncated, result.cut_cells, result.seconds)


def _number(value: Value) -> Value:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return value
    return float(value) if "." in value else int(value)


def _row_difference(expected: tuple[Row, ...], returned: tuple[Row, ...]) -> tuple[str, ...]:
    """How the rows differ, for questions without a reference query."""
    if expected and returned and len(expected[0]) != len(returned[0]):
        return ("column_count",)
    return ("row_count",) if len(expected) != len(returned) else ("rows",)
