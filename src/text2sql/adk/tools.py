"""The three tools of the SQL task agent, over one `AsyncText2SQL`.

A tool never raises: errors are in its reply and in `last_error`. A model reads a tool's docstring, so these
are written for it.
"""

import asyncio
import logging
import os
import warnings
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from text2sql.adk.turn import EMPTY, SQL, Turn
from text2sql.agents.query_description import describe_query
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings
from text2sql.errors import DatabaseError, Text2SQLError
from text2sql.i18n import explain, say
from text2sql.loop_thread import LoopThread
from text2sql.schema import ValueSharing, share_values
from text2sql.schema.sharing import shown_table
from text2sql.schema.table_labels import find, label, nearest
from text2sql.serialization import CELL, NAME, fill, fill_rows, short
from text2sql.sql import mask_literals
from text2sql.types import Answer, Catalog, CheckedSql, Column, Policy, RunOptions, Table

log = logging.getLogger(__name__)

# ADK turns the arguments into a Pydantic model, whose base class has a deprecated `schema` method.
warnings.filterwarnings("ignore", 'Field name "schema" in "generate_sqlParams"', UserWarning)

_FATAL_KINDS = frozenset(error.kind for error in DatabaseError.__subclasses__() if error.retry == "never")
_TABLE_TOKENS = 1_000  # for table names in an instruction


class Tools(BaseToolset):  # type: ignore[misc, unused-ignore]  # Any where ADK is not installed
    """A toolset, because ADK closes toolsets with its runner."""

    def __init__(self, open_client: Callable[[], AsyncText2SQL], settings: Settings) -> None:
        super().__init__()
        self._open_client, self._settings = open_client, settings
        # These agents need the rows: without the setting, a hosted model reads them, too.
        self._values = share_values("local", settings)
        # A connection belongs to one event loop, and ADK's synchronous runner makes a loop per message.
        self._loop = LoopThread("text2sql-adk")
        self._client: AsyncText2SQL | None = None
        self._tools = [
            FunctionTool(tool) for tool in (self.inspect_table_schema, self.generate_sql, self.run_sql)
        ]

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:  # noqa: ARG002
        return [*self._tools]

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await asyncio.to_thread(self._loop.close, client.close())

    async def inspect_table_schema(self, table_name: str, tool_context: ToolContext) -> dict[str, Any]:
        """The columns of one table, with their types and comments.

        Args:
            table_name: the table, or schema.table
        """
        turn = Turn(tool_context, self._settings)
        reply = await self._reply(self._inspect(table_name, turn), turn)
        return {"table": short(str(table_name), NAME), "columns": [], **reply}

    async def generate_sql(
        self, question: str, tool_context: ToolContext, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Write one read-only query that answers the question, checked but not yet run. After a query has
        failed, call it again with the same question: it knows the error. `certainty` is sure, probably or
        not_sure: unless it is sure, say so to the user, with `taken_for`.

        Args:
            question: the whole question, in the words of the user
            schema: what inspect_table_schema gave, to read that table alone; leave it out for all tables
        """
        turn = Turn(tool_context, self._settings)
        reply = await self._reply(self._generate(question, schema, turn), turn)
        if "error" not in reply:
            return reply
        return {"success": False, "sql": "", "reason": reply["error"]["message"], **reply}

    async def run_sql(self, query: str, tool_context: ToolContext) -> dict[str, Any]:
        """Run one SELECT statement. A guard refuses everything else, and rows are limited.

        Args:
            query: the statement, as generate_sql gave it
        """
        turn = Turn(tool_context, self._settings)
        reply = await self._reply(self._run(query, turn), turn)
        return {"columns": [], "rows": [], "row_count": 0, **reply}

    async def tables(self) -> list[str]:
        """Table names for the instruction, within its token budget."""
        catalog = await self._loop.run_async(self._opened_client().catalog())
        reply: dict[str, Any] = {}
        lines = [_table_line(table, catalog) for table in catalog.tables]
        shown = fill(reply, "tables", lines, _TABLE_TOKENS)
        return [*reply["tables"], *(["…"] if shown < len(lines) else [])]

    # -- implementation --------------------------------------------------------------------------------

    async def _inspect(self, name: str, turn: Turn) -> dict[str, Any]:
        turn.begin_query()
        catalog = await self._opened_client().catalog()
        table = find(name, catalog)
        if table is None:
            return _unknown(name, catalog, turn)
        reply: dict[str, Any] = {"table": short(label(table, catalog), 2 * NAME)}
        columns = [_column(column) for column in shown_table(table, self._values).columns]
        shown = fill(reply, "columns", columns, self._settings.adk_tokens)
        if shown < len(columns):
            reply["cut"] = say("tool.cut_columns", turn.lang, shown=shown, all=len(columns))
        turn.keep(selected_table=reply["table"], table_columns=reply["columns"], last_error=None)
        return reply

    async def _generate(self, question: str, schema: object, turn: Turn) -> dict[str, Any]:
        if turn.no_tries_left:
            return _out_of_tries(turn)
        turn.begin_query()
        client, names = self._opened_client(), _names(schema)
        catalog = await client.catalog()
        for name in names:
            if find(name, catalog) is None:
                return _unknown(name, catalog, turn)
        if names:
            client = await _limited_to(client, [table for name in names if (table := find(name, catalog))])
        async with client.threads.temporary(self._run_options(turn)) as options:
            if turn.previous is None:
                answer = await client.draft(question, options)
            else:  # run the new query once: one that fails again is not returned
                answer = await client.ask(question, options, preset="hybrid", previous=turn.previous)
            written = answer.sql
            if answer.result_id:
                written = (await client.results.get(answer.result_id, user=turn.user)).sql
        sharing, known = await self._sharing(), (question, turn.text)
        if answer.status == "failed" and turn.previous and turn.previous["kind"] == EMPTY:
            written = turn.previous["sql"]  # no other query was found: the empty result is the answer
        elif answer.status != "answered":
            return _failed(answer, turn, sharing, known, retryable=answer.status == "failed")
        sql = sharing.sql(await self._as_executed(written), known)
        turn.keep_draft(sql, written)
        reason, taken_for = answer.answer, answer.receipt.taken_for
        if not sharing.everything:
            reason = say("answer.drafted", turn.lang)
            limit = self._settings.row_limit
            taken_for = await describe_query(sql, catalog.dialect, turn.lang, limit)
        reply = {"success": True, "sql": sql, "reason": short(reason, CELL)}
        if answer.receipt.certainty:
            reply |= {"certainty": answer.receipt.certainty, "taken_for": short(taken_for, CELL)}
        return reply

    async def _run(self, query: str, turn: Turn) -> dict[str, Any]:
        turn.keep(sql_result=None, row_count=0)
        if turn.no_tries_left:
            return _out_of_tries(turn)
        client = self._opened_client()
        async with client.threads.temporary(self._run_options(turn)) as options:
            answer = await client.run_sql(turn.draft_of(query), options)
        if answer.status != "answered":
            return _failed(answer, turn, await self._sharing(), (query, turn.text), retryable=True, ran=query)
        reply: dict[str, Any] = {"row_count": answer.row_count, "truncated": answer.truncated}
        if self._values == "samples":
            fill_rows(reply, answer, self._settings.adk_tokens, turn.lang)
        else:
            shown = [short(name, NAME) for name in answer.columns]
            reply |= {"columns": shown, "rows": [], "cut": say("adk.rows_not_shared", turn.lang)}
        result = {name: reply[name] for name in ("columns", "rows", "truncated")}
        sql = short(await self._as_executed(query), SQL)
        turn.succeeded(generated_sql=sql, sql_result=result, row_count=answer.row_count)
        if answer.receipt.assumptions:  # conditions that emptied it
            ran, sharing = turn.draft_of(query), await self._sharing()
            message = sharing.error(EMPTY, answer.answer, ran, (query, turn.text))
            error = turn.emptied(message, ran, shown=query)
            return {**reply, "error": error} if error else {**reply, "empty": short(message, CELL)}
        return reply

    async def _reply(self, work: Coroutine[Any, Any, dict[str, Any]], turn: Turn) -> dict[str, Any]:
        try:
            return await self._loop.run_async(work)
        except Text2SQLError as error:
            kind, message = getattr(error, "kind", error.message_key), explain(error, turn.lang)
        except Exception as error:
            log.error(  # noqa: TRY400 a trace may quote rows, so it is for those who ask for it
                "a tool failed: %s", type(error).__name__, exc_info=bool(os.environ.get("TEXT2SQL_DEBUG"))
            )
            kind, message = "bug", say("tool.bug", turn.lang, what=type(error).__name__)
        return {"error": turn.failed(kind, message, retryable=False)}

    def _opened_client(self) -> AsyncText2SQL:
        if self._client is None:
            self._client = self._open_client()
        return self._client

    async def _as_executed(self, sql: str) -> str:
        """A query as the guard writes it: stars expanded, with its LIMIT."""
        checked = await self._opened_client().check(sql)
        return checked.shown if isinstance(checked, CheckedSql) else sql

    async def _sharing(self) -> ValueSharing:
        resources = await self._opened_client().resources()
        return ValueSharing(self._values, await resources.catalog_cache.schema_context(), mask_literals)

    def _run_options(self, turn: Turn) -> RunOptions:
        """Writes are never allowed: no user could confirm them here."""
        return RunOptions(turn.user, language=turn.lang, mode="database_direct", allow_writes=False)


def _failed(
    answer: Answer,
    turn: Turn,
    sharing: ValueSharing,
    known: Sequence[str],
    *,
    retryable: bool,
    ran: str = "",
) -> dict[str, Any]:
    """`ran` is the query that the agent gave; else the one that was generated has failed."""
    last = answer.receipt.errors[-1] if answer.receipt.errors else None
    problem = answer.error
    kind = problem.kind if problem else answer.status
    sql = last.sql if last else ""
    if ran:
        sql = ran if sharing.everything else turn.draft_of(ran)
    detail = last.detail if last else ""
    text = answer.answer
    if not sharing.everything and (last is not None or answer.status != "failed"):
        # What the database, the guard and a question back say may quote data.
        text = sharing.error(kind, text, sql, known) if answer.status == "refused" else ""
        key = "adk.error_not_shared" if answer.status == "failed" else "adk.reason_not_shared"
        text = text or say(key, turn.lang)
    error = turn.failed(
        kind,
        "\n".join(filter(None, (text, problem.hint if problem else ""))),
        sql=sql,
        shown=ran or sharing.sql(sql, known),
        detail=detail if sharing.everything else sharing.error(kind, detail, sql, known),
        retryable=retryable and kind not in _FATAL_KINDS,
    )
    return {"error": error}


def _out_of_tries(turn: Turn) -> dict[str, Any]:
    message = say("adk.over", turn.lang)
    return {"error": {"kind": "budget_exhausted", "message": message, "retry": False}}


def _unknown(name: str, catalog: Catalog, turn: Turn) -> dict[str, Any]:
    """No query has failed, so this costs no try: the model may name another table."""
    message = say("adk.table", turn.lang, name=short(name, NAME), close=nearest(name, catalog))
    turn.keep(last_error={"kind": "table", "message": message, "sql": ""})
    return {"error": {"kind": "table", "message": message, "retry": True}}


def _names(schema: object) -> list[str]:
    """The tables that a schema from the model names: one, or several as `{"tables": […]}`."""
    if not isinstance(schema, Mapping):
        return []
    tables = schema.get("tables")
    entries = [schema, *(tables if isinstance(tables, list) else [])]
    names = [entry.get("table") if isinstance(entry, Mapping) else entry for entry in entries]
    return [name for name in names if isinstance(name, str) and name.strip()]


async def _limited_to(client: AsyncText2SQL, tables: Iterable[Table]) -> AsyncText2SQL:
    """The same client for these tables only, never beyond its own policy."""
    schema_context = await (await client.resources()).catalog_cache.schema_context(values=False)
    names = {label(table, schema_context.catalog) for table in tables}
    visible = {name: columns for name, columns in schema_context.policy.tables.items() if name in names}
    rows = {name: rules for name, rules in schema_context.policy.rows.items() if name in names}
    return client.seen_by(
        Policy(visible, schema_context.policy.default_schema, rows, schema_context.policy.exact)
    )


def _column(column: Column) -> dict[str, Any]:
    reply = {"name": short(column.name, NAME), "type": short(column.type, NAME)}
    return {**reply, "comment": short(column.comment, CELL)} if column.comment else reply


def _table_line(table: Table, catalog: Catalog) -> str:
    name = short(label(table, catalog), 2 * NAME)
    return f"{name}: {short(table.comment, NAME)}" if table.comment else name
