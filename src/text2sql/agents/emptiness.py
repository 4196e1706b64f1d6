"""A result without rows is either an answer or a misunderstanding. It is one if a text of the query is not
in its column at all: then we ask back, offering what is there. Otherwise we say which condition emptied it.
"""

from text2sql.agents.desk import Desk, Update
from text2sql.agents.state import Option, SQLMessageState
from text2sql.errors import DatabaseError
from text2sql.schema import Knowledge
from text2sql.sql import literals, without_each_condition
from text2sql.types import CheckedSql, Limits, QueryResult

_CHOICES = 5
_LOOK = Limits(rows=1, seconds=3.0)


def is_empty(result: QueryResult) -> bool:
    """No rows, or one row that says nothing: a count of 0, a sum of NULL."""
    if not result.rows:
        return True
    return len(result.rows) == 1 and all(value is None or value == 0 for value in result.rows[0])


def rows_in(result: QueryResult) -> int:
    """How many rows say something."""
    return 0 if is_empty(result) else result.row_count


async def why_empty(query: CheckedSql, state: SQLMessageState, desk: Desk, knowledge: Knowledge) -> Update:
    asked_back = _not_there(query, state, desk, knowledge)
    if asked_back is not None:
        return asked_back
    told: list[str] = []
    conditions = without_each_condition(query.shown, query.dialect, knowledge.catalogue, knowledge.policy)
    statements = state.get("statements", 0)
    for condition, probe in conditions:
        statements += 1
        try:
            found = await desk.rooms.database.run(probe, _LOOK)
        except DatabaseError:
            break  # an explanation is a courtesy: it may not cost the answer
        if found.rows and len(conditions) > 1:
            told.append(condition)
    if len(conditions) == 1:
        told = [conditions[0][0]]
    assumptions = [desk.say("answer.emptied", condition=one) for one in told[:2]]
    return {"assumptions": [*state.get("assumptions", []), *assumptions], "statements": statements}


def _not_there(query: CheckedSql, state: SQLMessageState, desk: Desk, knowledge: Knowledge) -> Update | None:
    for literal in literals(query.shown, query.dialect, knowledge.catalogue):
        if (
            literal.negated
            or knowledge.values.contains(literal.table, literal.column, literal.value) is not False
        ):
            continue
        near = knowledge.values.nearest(literal.table, literal.column, literal.value, _CHOICES)
        facts = {"value": literal.value, "column": f"{literal.table}.{literal.column}"}
        if not near or not desk.preset.ask_back:
            message = desk.say("reason.value_not_found.told", **facts)
            return {"assumptions": [*state.get("assumptions", []), message]}
        message = desk.say("reason.value_not_found.asked", **facts)
        choices = [
            Option(label=one, question=_instead(state["question"], literal.value, one)) for one in near
        ]
        return {
            "status": "clarify",
            "user_prompt": message,
            "choices": choices,
            "sql_generation_failure_reason": "value_not_found",
        }
    return None


def _instead(question: str, said: str, meant: str) -> str:
    at = question.casefold().find(said.casefold())
    if at < 0:
        return f"{question} ({meant})"
    return question[:at] + meant + question[at + len(said) :]
