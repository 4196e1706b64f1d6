"""Picks what matters for a question from the cached catalogue: tables, values, names in the other language.

As long as the whole schema fits, all of it stays in the prompt: that prefix is evaluated once per database,
and choosing tables for each question would throw it away.
"""

from text2sql.agents.context import schema_fits
from text2sql.agents.desk import Desk, Update, ended
from text2sql.agents.reading import tables_to_read
from text2sql.agents.state import Option, SchemaInfo, SQLMessageState
from text2sql.schema import Rivals, hints, is_foreign, rivals, uncovered
from text2sql.schema.names import label


async def schema(state: SQLMessageState, desk: Desk) -> Update:
    knowledge = await desk.rooms.library.knowledge()
    question = state["question"]
    if not knowledge.catalogue.tables:
        return nothing_about(desk, "missing_database_info", "reason.empty_database", words="")
    stands_alone = not state.get("follow_up") and not state.get("wants_write")
    if stands_alone and is_foreign(question, knowledge):
        words = ", ".join(uncovered(question, knowledge)[:3])
        return nothing_about(desk, "missing_database_info", "reason.no_data", words=words)
    if stands_alone and desk.preset.ask_back:
        equal = rivals(question, knowledge)
        if equal:
            return which_table(equal[0], desk)
    hits = knowledge.values.find(question)
    asked, most, partly = _with_context(state), desk.preset.tables, False
    if most is not None or not await schema_fits(knowledge.catalogue, desk):
        chosen = knowledge.linker.link(asked, hits, most=most or desk.settings.linked_tables)
        tables = [label(table, knowledge.catalogue) for table in chosen]
    else:
        tables = [] if state.get("refreshed") else await tables_to_read(asked, hits, knowledge, desk)
        partly = bool(tables)
    info = SchemaInfo(
        fingerprint=knowledge.catalogue.fingerprint,
        tables=tables,
        values=[
            {"said": hit.said, "value": hit.value, "table": hit.table, "column": hit.column}
            for hit in hits[:8]
        ],
        hints=hints(question, knowledge),
        partly=partly,
    )
    return {"schema_info": info, "connection_id": desk.rooms.library.key}


def _with_context(state: SQLMessageState) -> str:
    """A follow-up names its tables in the question before."""
    turns = state.get("turns", [])
    if state.get("follow_up") and turns:
        return f"{turns[-1]['question']} {turns[-1]['sql']} {state['question']}"
    return state["question"]


def nothing_about(desk: Desk, reason: str, key: str, **facts: object) -> Update:
    """Nothing in this database is about that: said plainly, with what it is about."""
    message = desk.say(key, **facts)
    return {**ended("no_data", reason, message), "sql_generation_failure_reason": reason}


def which_table(equal: Rivals, desk: Desk) -> Update:
    """A word that two tables answer to equally well: the person knows which one is meant."""
    message = desk.say("reason.two_tables", said=equal.said)
    return {
        "status": "clarify",
        "sql_generation_failure_reason": "ambiguous_question",
        "user_prompt": message,
        "choices": [Option(label=one.label, question=one.question) for one in equal.choices],
    }
