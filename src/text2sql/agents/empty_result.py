"""Explains an empty result. If a text of the query is not in its column at all, ask the user and offer
similar values. Otherwise say which condition removed all rows.
"""

from text2sql.agents.node_context import NodeContext, Update
from text2sql.agents.state import Option, SQLMessageState
from text2sql.database import AsyncDatabase
from text2sql.errors import DatabaseError
from text2sql.schema import SchemaContext
from text2sql.sql import condition_probes, in_worker, literals
from text2sql.types import CheckedSql, Limits, QueryResult, SqlRejected

_CHOICES = 5
_PROBE = Limits(rows=1, seconds=3.0)


def is_empty(result: QueryResult) -> bool:
    """No rows, or one row without information: a count of 0, a sum of NULL."""
    if not result.rows:
        return True
    return len(result.rows) == 1 and all(value is None or value == 0 for value in result.rows[0])


def rows_in(result: QueryResult) -> int:
    """How many rows carry information."""
    return 0 if is_empty(result) else result.row_count


async def explain_empty_result(
    query: CheckedSql, state: SQLMessageState, ctx: NodeContext, schema_context: SchemaContext
) -> Update:
    clarification = await _missing_value(query, state, ctx, schema_context)
    if clarification is not None:
        return clarification
    excluding, probes = await emptying_conditions(query, schema_context, ctx.resources.database)
    assumptions = [ctx.say("answer.emptied", condition=condition) for condition in excluding]
    return {
        "assumptions": [*state.get("assumptions", []), *assumptions],
        "statements": state.get("statements", 0) + probes,
    }


async def emptying_conditions(
    query: CheckedSql, schema_context: SchemaContext, database: AsyncDatabase
) -> tuple[list[str], int]:
    """Up to two conditions that left a query without rows, and how many statements it took to find them."""
    conditions = await in_worker(
        condition_probes, query.shown, query.dialect, schema_context.catalog, schema_context.policy
    )
    excluding: list[str] = []
    statements = 0
    for condition, probe in () if isinstance(conditions, SqlRejected) else conditions:
        statements += 1
        try:
            result = await database.run(probe, _PROBE)
        except DatabaseError:
            break  # an explanation is optional: keep the answer
        if result.rows:
            excluding.append(condition)
    return excluding[:2], statements


async def _missing_value(
    query: CheckedSql, state: SQLMessageState, ctx: NodeContext, schema_context: SchemaContext
) -> Update | None:
    found_literals = await in_worker(literals, query.shown, query.dialect, schema_context.catalog)
    for literal in () if isinstance(found_literals, SqlRejected) else found_literals:
        if (
            literal.negated
            or schema_context.values.contains(literal.table, literal.column, literal.value) is not False
        ):
            continue
        similar = schema_context.values.nearest(literal.table, literal.column, literal.value, _CHOICES)
        facts = {"value": literal.value, "column": f"{literal.table}.{literal.column}"}
        if not similar or not ctx.preset.ask_back:
            message = ctx.say("reason.value_not_found.told", **facts)
            return {"assumptions": [*state.get("assumptions", []), message]}
        message = ctx.say("reason.value_not_found.asked", **facts)
        choices = [
            Option(label=value, question=_replace_value(state["question"], literal.value, value))
            for value in similar
        ]
        return {
            "status": "clarify",
            "user_prompt": message,
            "choices": choices,
            "sql_generation_failure_reason": "value_not_found",
        }
    return None


def _replace_value(question: str, value: str, replacement: str) -> str:
    start = question.casefold().find(value.casefold())
    if start < 0:
        return f"{question} ({replacement})"
    return question[:start] + replacement + question[start + len(value) :]
