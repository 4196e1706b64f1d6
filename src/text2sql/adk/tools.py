"""The three tools of the SQL task agent, over one `AsyncText2SQL`: they render what it decides.

A tool never raises: what goes wrong is in its reply and in `last_error`. What a model reads of a tool is its
docstring, so these are written for it.
"""

import asyncio
import logging
import os
import warnings
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from text2sql.adk.turn import SQL, Turn
from text2sql.app import AsyncText2SQL, How
from text2sql.background import Background
from text2sql.config import Settings
from text2sql.errors import DatabaseError, Text2SQLError
from text2sql.messages import explain, say
from text2sql.schema.names import find, label, nearest
from text2sql.shapes import CELL, NAME, fill, fill_rows, short
from text2sql.types import Answer, Catalogue, CheckedSql, Column, Policy, Table

log = logging.getLogger(__name__)

# ADK makes a Pydantic model of the arguments, whose base once had a method of that name.
warnings.filterwarnings("ignore", 'Field name "schema" in "generate_sqlParams"', UserWarning)

_HOPELESS = frozenset(one.kind for one in DatabaseError.__subclasses__() if one.mend == "never")
_LISTED = 1_000  # tokens of an instruction for the names of tables


class Tools(BaseToolset):  # type: ignore[misc, unused-ignore]  # Any where ADK is not installed
    """A toolset, because ADK closes these with its runner."""

    def __init__(self, opened: Callable[[], AsyncText2SQL], settings: Settings) -> None:
        super().__init__()
        self._opened, self._settings = opened, settings
        # A connection is of one event loop, and ADK's synchronous runner makes one for every message.
        self._loop = Background("text2sql-adk")
        self._held: AsyncText2SQL | None = None
        self._tools = [
            FunctionTool(one) for one in (self.inspect_table_schema, self.generate_sql, self.run_sql)
        ]

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:  # noqa: ARG002
        return [*self._tools]

    async def close(self) -> None:
        app, self._held = self._held, None
        if app is not None:
            await asyncio.to_thread(self._loop.close, app.close())

    async def inspect_table_schema(self, table_name: str, tool_context: ToolContext) -> dict[str, Any]:
        """The columns of one table, with their types and comments.

        Args:
            table_name: the table, or schema.table
        """
        turn = Turn(tool_context, self._settings)
        told = await self._told(self._inspect(table_name, turn), turn)
        return {"table": short(str(table_name), NAME), "columns": [], **told}

    async def generate_sql(
        self, question: str, tool_context: ToolContext, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Write one read-only query that answers the question, checked but not yet run. After a query has
        failed, call it again with the same question: it knows the error.

        Args:
            question: the whole question, in the words of the user
            schema: what inspect_table_schema gave, to read that table alone; leave it out for all tables
        """
        turn = Turn(tool_context, self._settings)
        told = await self._told(self._generate(question, schema, turn), turn)
        if "error" not in told:
            return told
        return {"success": False, "sql": "", "reason": told["error"]["message"], **told}

    async def run_sql(self, query: str, tool_context: ToolContext) -> dict[str, Any]:
        """Run one SELECT statement. A guard refuses everything else, and rows are limited.

        Args:
            query: the statement, as generate_sql gave it
        """
        turn = Turn(tool_context, self._settings)
        told = await self._told(self._run(query, turn), turn)
        return {"columns": [], "rows": [], "row_count": 0, **told}

    async def tables(self) -> list[str]:
        """What may be asked about, as far as an instruction has room for it."""
        catalogue = await self._loop.awaited(self._app().catalogue())
        told: dict[str, Any] = {}
        lines = [_line(table, catalogue) for table in catalogue.tables]
        shown = fill(told, "tables", lines, _LISTED)
        return [*told["tables"], *(["…"] if shown < len(lines) else [])]

    # -- what they do --------------------------------------------------------------------------------

    async def _inspect(self, name: str, turn: Turn) -> dict[str, Any]:
        turn.begin_query()
        catalogue = await self._app().catalogue()
        table = find(name, catalogue)
        if table is None:
            return _unknown(name, catalogue, turn)
        told: dict[str, Any] = {"table": short(label(table, catalogue), 2 * NAME)}
        shown = fill(told, "columns", [_column(one) for one in table.columns], self._settings.adk_tokens)
        if shown < len(table.columns):
            told["cut"] = say("tool.cut_columns", turn.lang, shown=shown, all=len(table.columns))
        turn.keep(selected_table=told["table"], table_columns=told["columns"], last_error=None)
        return told

    async def _generate(self, question: str, schema: object, turn: Turn) -> dict[str, Any]:
        if turn.over:
            return _over(turn)
        turn.begin_query()
        app, names = self._app(), _names(schema)
        catalogue = await app.catalogue()
        for name in names:
            if find(name, catalogue) is None:
                return _unknown(name, catalogue, turn)
        if names:
            app = await _narrowed(app, [found for name in names if (found := find(name, catalogue))])
        async with app.alone(**self._how(turn)) as how:
            if turn.previous is None:
                answer = await app.draft(question, **how)
            else:  # the new query is run once, to know: what fails again is not given out
                how["preset"], how["previous"] = "hybrid", turn.previous
                answer = await app.ask(question, **how)
            written = answer.sql
            if answer.result_id:
                written = (await app.result(answer.result_id, user=turn.user)).sql
        if answer.status != "answered":
            return _failed(answer, turn, again=answer.status == "failed")
        sql = await self._limited(written)
        turn.keep_draft(sql, written)
        return {"success": True, "sql": sql, "reason": short(answer.answer, CELL)}

    async def _run(self, query: str, turn: Turn) -> dict[str, Any]:
        turn.keep(sql_result=None, row_count=0)
        if turn.over:
            return _over(turn)
        app = self._app()
        async with app.alone(**self._how(turn)) as how:
            answer = await app.run_own(turn.draft_of(query), **how)
        if answer.status != "answered":
            return _failed(answer, turn, again=True, sql=query)
        told: dict[str, Any] = {"row_count": answer.row_count, "truncated": answer.truncated}
        fill_rows(told, answer, self._settings.adk_tokens, turn.lang)
        found = {name: told[name] for name in ("columns", "rows", "truncated")}
        sql = short(await self._limited(query), SQL)
        turn.succeeded(generated_sql=sql, sql_result=found, row_count=answer.row_count)
        return told

    async def _told(self, work: Coroutine[Any, Any, dict[str, Any]], turn: Turn) -> dict[str, Any]:
        try:
            return await self._loop.awaited(work)
        except Text2SQLError as error:
            kind, message = getattr(error, "kind", error.message_key), explain(error, turn.lang)
        except Exception as error:
            log.error(  # noqa: TRY400 a trace may quote rows, so it is for those who ask for it
                "a tool failed: %s", type(error).__name__, exc_info=bool(os.environ.get("TEXT2SQL_DEBUG"))
            )
            kind, message = "bug", say("tool.bug", turn.lang, what=type(error).__name__)
        return {"error": turn.failed(kind, message, again=False)}

    def _app(self) -> AsyncText2SQL:
        if self._held is None:
            self._held = self._opened()
        return self._held

    async def _limited(self, sql: str) -> str:
        """A query as the guard writes it: stars spelled out, and with its LIMIT."""
        checked = await self._app().check(sql)
        return checked.shown if isinstance(checked, CheckedSql) else sql

    def _how(self, turn: Turn) -> How:
        """Whatever the settings permit a person at a terminal: nobody here could confirm a write."""
        return {"user": turn.user, "language": turn.lang, "mode": "database_direct", "allow_writes": False}


def _failed(answer: Answer, turn: Turn, *, again: bool, sql: str = "") -> dict[str, Any]:
    last = answer.receipt.errors[-1] if answer.receipt.errors else None
    problem = answer.error
    kind = problem.kind if problem else answer.status
    message = "\n".join(filter(None, (answer.answer, problem.hint if problem else "")))
    error = turn.failed(
        kind,
        message,
        sql=sql or (last.sql if last else ""),
        detail=last.detail if last else "",
        again=again and kind not in _HOPELESS,
    )
    return {"error": error}


def _over(turn: Turn) -> dict[str, Any]:
    message = say("adk.over", turn.lang)
    return {"error": {"kind": "budget_exhausted", "message": message, "retry": False}}


def _unknown(name: str, catalogue: Catalogue, turn: Turn) -> dict[str, Any]:
    """No query has failed, so none of the tries is spent: the model may name another one."""
    message = say("adk.table", turn.lang, name=short(name, NAME), close=nearest(name, catalogue))
    turn.keep(last_error={"kind": "table", "message": message, "sql": ""})
    return {"error": {"kind": "table", "message": message, "retry": True}}


def _names(schema: object) -> list[str]:
    """The tables that a schema names: one, or several as `{"tables": […]}`. A model wrote it."""
    if not isinstance(schema, Mapping):
        return []
    listed = schema.get("tables")
    every = [schema, *(listed if isinstance(listed, list) else [])]
    named = [one.get("table") if isinstance(one, Mapping) else one for one in every]
    return [name for name in named if isinstance(name, str) and name.strip()]


async def _narrowed(app: AsyncText2SQL, tables: Iterable[Table]) -> AsyncText2SQL:
    """The same app for these tables alone, and never more of them than it shows."""
    known = await (await app.rooms()).library.knowledge(values=False)
    names = {label(table, known.catalogue) for table in tables}
    shown = {name: columns for name, columns in known.policy.tables.items() if name in names}
    rows = {name: rules for name, rules in known.policy.rows.items() if name in names}
    return app.seen_by(Policy(shown, known.policy.default_schema, rows, known.policy.exact))


def _column(column: Column) -> dict[str, Any]:
    told = {"name": short(column.name, NAME), "type": short(column.type, NAME)}
    return {**told, "comment": short(column.comment, CELL)} if column.comment else told


def _line(table: Table, catalogue: Catalogue) -> str:
    name = short(label(table, catalogue), 2 * NAME)
    return f"{name}: {short(table.comment, NAME)}" if table.comment else name
