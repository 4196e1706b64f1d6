"""Whether an answer is right: both queries are run here, under the same limits, on the same database.

The rows of an answer may be only its first page, so they are not what is compared.
"""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from text2sql.background import aside
from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database
from text2sql.errors import DatabaseError
from text2sql.evaluation.match import same_result, same_rows
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import Verdict
from text2sql.sql import check
from text2sql.sql.shape import differences, hardness, is_ordered
from text2sql.types import Answer, CheckedSql, Limits, QueryResult, Row, SqlRejected, Status, Value

Guard: TypeAlias = Callable[[str], CheckedSql | SqlRejected]  # at most `LIMITS.rows` rows

LIMITS = Limits(rows=100_000, bytes=64_000_000, seconds=30.0)  # of both sides alike
DECLINED: tuple[Status, ...] = ("no_data", "clarify")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
# Engines' words for exact numbers; those that a double does not hold come as text, digit by digit.
_EXACT = re.compile(r"(?i)num|dec|int")


class Judge:
    """Of one database, in its own dialect. What a reference returns is found out once."""

    def __init__(self, database: AsyncDatabase, guard: Guard, *, lent: bool = False) -> None:
        """`lent`: somebody else closes the database."""
        self._database = database
        self._guard = guard
        self._lent = lent
        self._gold: dict[str, QueryResult | str] = {}

    def hardness(self, question: Question) -> str:
        return hardness(question.gold_sql, self._database.dialect) if question.gold_sql else "unknown"

    async def judge(self, question: Question, answer: Answer) -> tuple[Verdict, tuple[str, ...]]:
        """The verdict, and what is wrong, the most telling first."""
        said = answer.error.kind if answer.error else answer.status
        if question.foreign:
            return ("declined", ()) if answer.status in DECLINED else ("taken", (said,))
        gold = await self._reference(question)
        if isinstance(gold, str):
            return "unjudged", (gold,)
        if not answer.sql or answer.status != "answered":
            return "none", (said,)
        return await self._compared(question, gold, answer.sql)

    async def is_right(self, question: Question, sql: str) -> bool:
        gold = await self._reference(question)
        return not isinstance(gold, str) and (await self._compared(question, gold, sql))[0] == "right"

    async def runs(self, sql: str) -> bool:
        return not isinstance(await self._rows(sql), str)

    async def close(self) -> None:
        if not self._lent:
            await self._database.close()

    async def _reference(self, question: Question) -> QueryResult | str:
        if question.rows is not None:
            return QueryResult((), question.rows)
        if question.id not in self._gold:
            self._gold[question.id] = await self._rows(question.gold_sql)
        return self._gold[question.id]

    async def _compared(
        self, question: Question, gold: QueryResult, sql: str
    ) -> tuple[Verdict, tuple[str, ...]]:
        got = await self._rows(sql)
        if isinstance(got, str):
            return "error", (got,)
        return await asyncio.to_thread(_verdict, question, gold, got, sql, self._database.dialect)

    async def _rows(self, sql: str) -> QueryResult | str:
        """What it returns, or the kind of error."""
        checked = await aside(sql, lambda: self._guard(sql))
        if not isinstance(checked, CheckedSql):
            return f"guard:{checked.rule}"
        try:
            return _numbered(await self._database.run(checked, LIMITS))
        except DatabaseError as error:
            if error.mend == "again":  # the connection, not the query: no verdict can be given
                raise
            return error.kind


def judge_at(source: str, settings: Settings) -> Judge:
    """Of the database at this path or URL, where everything may be seen."""
    database = AsyncDatabase(open_database(source, settings))
    return Judge(database, partial(check, dialect=database.dialect, rows=LIMITS.rows))


def _verdict(
    question: Question, gold: QueryResult, got: QueryResult, sql: str, dialect: str
) -> tuple[Verdict, tuple[str, ...]]:
    if question.rows is not None:
        right = same_rows(question.rows, got.rows, ordered=question.ordered)
        return ("right", ()) if right else ("wrong", _unlike(question.rows, got.rows))
    if same_result(gold, got, ordered=is_ordered(question.gold_sql, dialect)):
        return "right", ()
    own = f" LIMIT {LIMITS.rows}"  # of our guard: nobody has written it, so it is no difference
    return "wrong", differences(question.gold_sql, sql.removesuffix(own), dialect)


def _numbered(result: QueryResult) -> QueryResult:
    """Long decimals and integers as numbers again: two sums may differ in digits, and not in value."""
    exact = [at for at, column in enumerate(result.columns) if _EXACT.search(column.type)]
    if not any(isinstance(row[at], str) for row in result.rows for at in exact):
        return result
    rows = tuple(tuple(_number(v) if at in exact else v for at, v in enumerate(row)) for row in result.rows)
    return QueryResult(result.columns, rows, result.truncated, result.cut_cells, result.seconds)


def _number(value: Value) -> Value:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return value
    return float(value) if "." in value else int(value)


def _unlike(wanted: tuple[Row, ...], got: tuple[Row, ...]) -> tuple[str, ...]:
    """In what rows differ, where there is no reference query to compare."""
    if wanted and got and len(wanted[0]) != len(got[0]):
        return ("column_count",)
    return ("row_count",) if len(wanted) != len(got) else ("rows",)
