"""The confirmation node: a write waits for a person. It shows the statement and how many rows a rolled-back
rehearsal touched, and interrupts the run until the user confirms or declines, even after a restart.
"""

from dataclasses import asdict, replace

from langgraph.types import interrupt

from text2sql.agents.answer_builder import build_answer
from text2sql.agents.node_context import NodeContext, Update, final_update
from text2sql.agents.state import PendingWrite, SQLMessageState
from text2sql.sql import check_write, in_worker
from text2sql.types import CheckedWrite


async def confirmation(state: SQLMessageState, ctx: NodeContext) -> Update:
    """Everything before `interrupt` runs again on resume; a rehearsal changes nothing."""
    write = state["pending_write"]
    if write is None:
        raise RuntimeError("there is nothing to confirm")
    statement = await checked_write(write, ctx)
    rows = await ctx.resources.database.rehearse(statement)
    ctx.check("rehearsal", True, str(rows))
    facts = {"sql": write["sql"], "table": write["table"], "kind": write["kind"], "rows": rows}
    text = ctx.say("answer.confirm", rows=rows, table=write["table"])
    waiting: SQLMessageState = {**state, "status": "confirm"}
    answer = replace(build_answer(waiting, ctx, text, "confirmation"), sql=write["sql"], row_count=rows)
    reply = interrupt({**facts, "answer": asdict(answer)})
    update: Update = {"statements": state.get("statements", 0) + 1}
    if reply is not True:
        return {**update, **final_update("refused", "declined", ctx.say("reason.declined.told"))}
    return {**update, "pending_write": {**write, "rows": rows, "confirmed": True}}


async def checked_write(write: PendingWrite, ctx: NodeContext) -> CheckedWrite:
    """Check a write again, because a checkpoint is only data; the result must be the statement that was
    shown.
    """
    schema_context = await ctx.resources.catalog_cache.schema_context(values=False)
    catalog = schema_context.catalog
    statement = await in_worker(
        check_write, write["sql"], catalog.dialect, catalog, schema_context.policy, nonce=write["nonce"]
    )
    if not isinstance(statement, CheckedWrite) or statement.shown != write["sql"]:
        raise RuntimeError("the pending statement is not the one that was checked")
    return statement
