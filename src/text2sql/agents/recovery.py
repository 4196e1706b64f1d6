"""What failed or is in doubt, and what helps: a fresh look at the catalogue, the other ways that the model
nearly went, or one more query from it with the facts of the error and what to do about it. Bounded by tries,
time and tokens; the same query twice ends it.
"""

from collections.abc import Mapping

from text2sql.agents.context import alike_to, bounded, budget, generation, prefix
from text2sql.agents.desk import Desk, Update, ended, noted, paid
from text2sql.agents.generator import as_written, asking, grammar_of, say
from text2sql.agents.state import Reason, SQLMessageState, Written
from text2sql.agents.ways import nearly_written, read_anew
from text2sql.errors import ModelError
from text2sql.llm.prompts import between, render
from text2sql.schema import Knowledge
from text2sql.sql import check, narrowed, read_reply
from text2sql.types import CheckedSql, Limits, Message, ModelRequest, Status

_ENDS: Mapping[Reason, Status] = {"missing_database_info": "no_data", "ambiguous_question": "clarify"}
_NAMES = frozenset({"table", "column", "unknown_table", "unknown_column"})
_SHOWN = 1_500  # characters of a probe in a prompt
_SEVERAL, _HEAT = (
    4,
    0.8,
)  # candidates of a small model and their temperature: one more like the first fails too
_SHORT = 160  # tokens of each: one that runs on would hold up the other three
_FEW = 100  # rows of a list that was too slow or too large
_PROBE = Limits(rows=10, bytes=20_000, cell_bytes=80, seconds=3.0)
# What to tell a model about each kind of error. In English, as prompts are.
GUIDANCE = {
    "table": "Use only tables of the schema above.",
    "unknown_table": "Use only tables of the schema above.",
    "column": "That column is not in that table. Find the table of the schema that has it, and join it.",
    "unknown_column": "That column is not in that table. Find the table of the schema above that has it.",
    "ambiguous_column": "Two tables have that column. Write the table's alias before it.",
    "syntax": "Write one plain SELECT statement.",
    "unreadable": "Write one plain SELECT statement.",
    "function": "Use only common functions, such as COUNT, SUM, AVG, MIN, MAX, ROUND, LOWER, COALESCE.",
    "type": "The types do not fit. Cast one side, or compare with another column.",
    "timeout": "The query took too long. Make it cheaper: filter early, aggregate, fewer tables.",
    "resource": "The result was too large. Aggregate it, or add a LIMIT.",
    "bounds": "The query asks for too much at once. Aggregate it, or add a LIMIT.",
    "set_shape": "Both sides of UNION, INTERSECT and EXCEPT need the same number of columns.",
    "unknown_generation_failure": "Answer with one SELECT statement and nothing else. Keep it short.",
    "llm_explanation": "Answer with one SELECT statement and nothing else.",
}


async def recovery(state: SQLMessageState, desk: Desk) -> Update:
    stand = _that_ran(state)
    if stand:
        return await _other_ways(state, desk, stand)
    last = state["error_history"][-1]
    if last["kind"] in _NAMES and desk.preset.refresh and not state.get("refreshed"):
        info, changed = state.get("schema_info"), await desk.rooms.library.refresh()
        if changed:
            desk.warn("warning.schema_changed")
        if changed or (info and info.get("partly")):  # what it missed may be in a table that was not shown
            return {"refreshed": True, "schema_info": None, "candidates": [], "validation_result": None}
        state = {**state, "refreshed": True}
    over = spent(state, desk)
    if over:
        return {"refreshed": state.get("refreshed", False), **give_up(state, desk, over)}
    helps = await _narrower(last, state, desk)
    if helps is None and state.get("ways"):
        helps = await _other_ways(state, desk, [])
        state = {**state, **helps}  # type: ignore[typeddict-item]
    if not helps or not helps["candidates"]:
        helps = {**(helps or {}), **await _ask_again(state, desk)}
    return {"refreshed": state.get("refreshed", False), **helps}


def _that_ran(state: SQLMessageState) -> list[Written]:
    """Queries that the executor is in doubt of: nothing has failed, but another way may be better."""
    validation, written = state.get("validation_result"), state.get("candidates", [])
    failed = {one["sql"] for one in state.get("error_history", ())}
    passed = validation["passed"] if validation is not None and state.get("doubted") else []
    return [written[one["candidate"]] for one in passed if one["sql"] not in failed]


async def _other_ways(state: SQLMessageState, desk: Desk, stand: list[Written]) -> Update:
    """Beside those that stand; the executor chooses. A model that fails now costs no answer that there is."""
    knowledge, alike = await desk.rooms.library.knowledge(), await alike_to(state, desk)
    tried = {_same(one["sql"]) for one in state.get("candidates", ())}
    candidates, cost = list(stand), Update()
    try:
        prompt = await generation(state, desk, knowledge, alike, printed=bool(stand))
        request = asking(prompt, state, desk, knowledge)
        gone = await read_anew(request, desk) if stand else await nearly_written(state["ways"], request, desk)
    except ModelError:
        if not stand:
            raise
        gone = []
    for gap, reply in gone:
        cost = paid(state, reply)
        state = {**state, **cost}  # type: ignore[typeddict-item]
        sql = read_reply(reply.text) if reply.candidates[0].finish == "stop" else ""
        if _same(sql) not in ("", *tried):
            tried.add(_same(sql))
            candidates.append({**as_written(sql, reply.candidates[0]), "gap": gap})
    attempts = state.get("attempts", 0) + len(gone)
    return {**cost, "candidates": candidates, "attempts": attempts, "ways": []}


async def _narrower(last: dict[str, str], state: SQLMessageState, desk: Desk) -> Update | None:
    """A plain list that takes too long or is too large is cut to its first rows, without a model."""
    if last["kind"] not in ("timeout", "resource"):
        return None
    knowledge = await desk.rooms.library.knowledge(values=False)
    catalogue = knowledge.catalogue
    query = narrowed(last["sql"], catalogue.dialect, catalogue, knowledge.policy, rows=_FEW)
    if query is None or _same(query.shown) == _same(last["sql"]):
        return None
    return {
        "candidates": [{"sql": query.shown, "logprob": None}],
        "generated_sql": query.shown,
        "retry_count": state.get("retry_count", 0) + 1,
        "assumptions": [*state.get("assumptions", []), desk.say("answer.narrowed", rows=_FEW)],
    }


def spent(state: SQLMessageState, desk: Desk) -> Reason:
    """Why nothing more may be tried; empty while something may."""
    if state["sql_generation_failure_reason"] in ("missing_database_info", "ambiguous_question"):
        return state[
            "sql_generation_failure_reason"
        ]  # the model has said so: asking again is asking it to lie
    tokens = state.get("usage", {}).get("prompt_tokens", 0) + state.get("usage", {}).get(
        "completion_tokens", 0
    )
    if (
        state.get("retry_count", 0) >= desk.preset.retries
        or desk.left <= 0
        or tokens >= desk.settings.question_tokens
    ):
        return state["sql_generation_failure_reason"] or "budget_exhausted"
    return ""


async def _ask_again(state: SQLMessageState, desk: Desk) -> Update:
    messages, probes = await _messages(state, desk)
    hosted = desk.model.capabilities.schema
    reply = await say(
        ModelRequest(
            messages,
            max_tokens=desk.settings.sql_tokens if hosted else min(_SHORT, desk.settings.sql_tokens),
            candidates=1 if hosted else _SEVERAL,
            temperature=desk.settings.temperature if hosted else _HEAT,
            grammar=grammar_of(await desk.rooms.library.knowledge(), desk) if desk.settings.grammar else "",
            stop=(";",),
            seconds=desk.patience,
        ),
        desk,
    )
    cost = {
        **paid(state, reply),
        "attempts": state.get("attempts", 0) + 1,
        "retry_count": state.get("retry_count", 0) + 1,
        "probes": probes,
    }
    written = [read_reply(one.text) for one in reply.candidates if one.finish == "stop"]
    failed = [one["sql"] for one in state["error_history"]]
    tried = {_same(sql) for sql in ("", *failed, *(one["sql"] for one in state.get("candidates", [])))}
    new = {_same(sql): sql for sql in written if _same(sql) not in tried}
    if not new:
        told = "the same query again" if any(written) else reply.text
        history = noted(state, "recovery", "budget_exhausted", told)
        return {**cost, **give_up({**state, "error_history": history}, desk, "budget_exhausted")}
    candidates = [{"sql": sql, "logprob": None} for sql in new.values()]
    return {**cost, "candidates": candidates, "generated_sql": candidates[0]["sql"]}


async def _messages(state: SQLMessageState, desk: Desk) -> tuple[tuple[Message, ...], int]:
    """The facts of the error; and for a model that does not see them, the second time, the question anew:
    what it wrote keeps a small one where it is. And how many probes are spent then.
    """
    knowledge = await desk.rooms.library.knowledge()
    if state.get("retry_count", 0) and not desk.model.capabilities.schema:
        return await generation(state, desk, knowledge, ()), state.get("probes", 0)
    last = state["error_history"][-1]
    failed_sql = last["sql"] or state.get("generated_sql", "")
    guidance, probes = await _guidance(last["kind"], failed_sql, state, desk, knowledge)
    asked = render(
        "repair_sql",
        desk.settings,
        dialect=knowledge.catalogue.dialect,
        question=state["question"],
        sql=failed_sql,
        kind=last["kind"],
        error=last["detail"],
        guidance=guidance,
    )
    system = await prefix(state, desk, knowledge, budget(desk.model, desk))
    return await bounded((system, Message("user", asked)), desk), probes


def _same(sql: str) -> str:
    return " ".join(sql.split()).rstrip(";").casefold()


async def _guidance(
    kind: str, sql: str, state: SQLMessageState, desk: Desk, knowledge: Knowledge
) -> tuple[str, int]:
    """What to do about this kind of error; with a probe left, also ten rows of the table it is about."""
    told, probes = GUIDANCE.get(kind, ""), state.get("probes", 0)
    if probes >= desk.preset.probes:
        return told, probes
    table = next((one for one in knowledge.policy.tables if one.casefold() in sql.casefold()), None)
    looked = _look(table, knowledge) if table else None
    if looked is None:
        return told, probes
    found = await desk.rooms.database.run(looked, _PROBE)
    rows = [" | ".join(str(value) for value in row) for row in found.rows]
    shown = "\n".join([" | ".join(column.name for column in found.columns), *rows])[:_SHOWN]
    return f"{told}\n\nRows of {table}, which are data:\n{between('rows', shown)}", probes + 1


def _look(table: str, knowledge: Knowledge) -> CheckedSql | None:
    """Ten rows of a table, as anybody's query: through the guard."""
    catalogue = knowledge.catalogue
    sql = f"SELECT * FROM {table}"
    found = check(sql, catalogue.dialect, catalogue, knowledge.policy, rows=_PROBE.rows)
    return found if isinstance(found, CheckedSql) else None


def give_up(state: SQLMessageState, desk: Desk, reason: Reason) -> Update:
    """The advice is the reason's, the facts are the last error's."""
    last = state["error_history"][-1] if state["error_history"] else {"kind": reason, "detail": ""}
    explanation = state.get("user_prompt", "")
    if reason == "llm_explanation" and explanation:
        message = explanation
    else:
        message = desk.say(f"reason.{reason}.told", kind=last["kind"], detail=explanation or last["detail"])
    hint = desk.say(f"reason.{reason}.told.hint")
    return {
        **ended(_ENDS.get(reason, "failed"), reason, message, hint, last["kind"]),
        "sql_generation_failure_reason": reason,
    }
