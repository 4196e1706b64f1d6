"""Judge answers by execution match: run the answer's query and the reference on the same database.

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
from text2sql.evaluation.match import same_result, same_rows
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import Verdict
from text2sql.sql import check, in_worker
from text2sql.sql.query_features import differences, hardness, is_ordered
from text2sql.types import Answer, CheckedSql, Limits, QueryResult, Row, SqlRejected, Status, Value

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
        gold = await self._reference(question)
        if isinstance(gold, str):
            return "unjudged", (gold,)
        if not answer.sql or answer.status != "answered":
            return "none", (outcome,)
        return await self._compare(question, gold, answer.sql)

    async def is_right(self, question: Question, sql: str) -> bool:
        gold = await self._reference(question)
        return not isinstance(gold, str) and (await self._compare(question, gold, sql))[0] == "right"

    async def runs(self, sql: str) -> bool:
        return not isinstance(await self._rows(sql), str)

    async def close(self) -> None:
        if self._closes:
            await self._database.close()

    async def _reference(self, question: Question) -> QueryResult | str:
        if question.rows is not None:
            return QueryResult((), question.rows)
        if question.id not in self._gold:
            self._gold[question.id] = await self._rows(question.gold_sql)
        return self._gold[question.id]

    async def _compare(
        self, question: Question, gold: QueryResult, sql: str
    ) -> tuple[Verdict, tuple[str, ...]]:
        actual = await self._rows(sql)
        if isinstance(actual, str):
            return "error", (actual,)
        if question.rows is not None:
            right = await asyncio.to_thread(same_rows, question.rows, actual.rows, ordered=question.ordered)
            return ("right", ()) if right else ("wrong", _row_difference(question.rows, actual.rows))
        dialect = self._database.dialect
        ordered = await in_worker(is_ordered, question.gold_sql, dialect)
        if await asyncio.to_thread(same_result, gold, actual, ordered=ordered is True):
            return "right", ()
        guard_limit = f" LIMIT {LIMITS.rows}"  # added by our guard, so it does not count as a difference
        features = await in_worker(differences, question.gold_sql, sql.removesuffix(guard_limit), dialect)
        return "wrong", ("unreadable",) if isinstance(features, SqlRejected) else features

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
