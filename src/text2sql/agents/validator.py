"""Says of each candidate whether it may run: repairs without a model, then the guard over the whole tree and
the columns against the cached catalogue, all without a connection. Only what passed is shown to the engine.
"""

import asyncio
from dataclasses import dataclass, field

from text2sql.agents.confidence import against
from text2sql.agents.desk import Desk, Update, detail_of, ended
from text2sql.agents.library import checked
from text2sql.agents.state import Passed, SQLMessageState, Write, trouble
from text2sql.background import aside
from text2sql.errors import DatabaseError
from text2sql.messages import refusal
from text2sql.schema import Knowledge, said
from text2sql.sql import check_write, repair
from text2sql.types import CheckedSql, CheckedWrite, Said, SqlRejected

# A rule that a model can meet when it is told; of the others no second try will come to good.
MENDABLE = frozenset(
    "bounds clause column function natural_join row_policy row_view set_shape star table table_function "
    "two_readings unreadable".split()
)


async def validator(state: SQLMessageState, desk: Desk) -> Update:
    knowledge = await desk.rooms.library.knowledge()
    trial = _Trial(state, desk, knowledge, _said(state, knowledge))
    for number, candidate in enumerate(state["candidates"]):
        await trial.judge(number, candidate["sql"])
        if trial.write is not None:
            break
    ok = bool(trial.passed or trial.write)
    checks = ["guard", "explain"] if desk.preset.explain and trial.passed else ["guard"]
    update: Update = {
        "validation_result": {"ok": ok, "passed": trial.passed, "checks": checks if ok else []},
        "pending_write": trial.write,
        "error_history": [*state.get("error_history", []), *trial.errors],
        "statements": state.get("statements", 0) + trial.statements,
        "execution_result": None,
    }
    if trial.passed and not desk.preset.execute:
        return {**update, **_drafted(trial.passed[0], desk)}
    hard = next((one for one in trial.rejected if one.rule not in MENDABLE), None)
    return update if ok or hard is None else {**update, **refused(hard, desk)}


def _said(state: SQLMessageState, knowledge: Knowledge) -> Said | None:
    """None for a follow-up: what it is about was said before."""
    if state.get("follow_up"):
        return None
    return said(state["question"], knowledge, knowledge.values.find(state["question"]))


@dataclass(slots=True)
class _Trial:
    """One question's candidates before the guard and the engine."""

    state: SQLMessageState
    desk: Desk
    knowledge: Knowledge
    said: Said | None
    passed: list[Passed] = field(default_factory=list)
    write: Write | None = None
    rejected: list[SqlRejected] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    statements: int = 0

    async def judge(self, number: int, text: str) -> None:
        known, question = self.knowledge, self.state["question"]
        dialect, catalogue = known.catalogue.dialect, known.catalogue
        mended = await aside(
            text, lambda: repair(text, dialect, catalogue, known.values, policy=known.policy, said=self.said)
        )
        query: CheckedSql | CheckedWrite | SqlRejected
        query = await aside(text, lambda: checked(mended.sql, known, self.desk.row_limit))
        if isinstance(query, SqlRejected) and self.desk.allow_writes:
            query = self._as_write(text, query)
        if isinstance(query, SqlRejected):
            self._reject(query, mended.sql)
        elif isinstance(query, CheckedSql):
            self.desk.check("guard", True, query.shown)
            if not self.desk.preset.explain or await self._explained(query):
                self.passed.append(
                    Passed(
                        text=mended.sql,
                        sql=query.shown,
                        tables=list(query.tables),
                        repairs=list(mended.fixes),
                        candidate=number,
                        against=await asyncio.to_thread(against, question, mended.sql, known),
                    )
                )

    def _as_write(self, text: str, otherwise: SqlRejected) -> SqlRejected | CheckedWrite:
        nonce = self.state["turn_id"]
        catalogue = self.knowledge.catalogue
        write = check_write(text, catalogue.dialect, catalogue, self.knowledge.policy, nonce=nonce)
        if isinstance(write, SqlRejected):
            return write if self.state.get("wants_write") else otherwise
        self.desk.check("guard", True, write.sql)
        self.write = Write(
            sql=write.sql, table=write.table, kind=write.kind, key=write.key, nonce=nonce, rows=0
        )
        return write

    def _reject(self, rejected: SqlRejected, sql: str) -> None:
        self.desk.check("guard", False, refusal(rejected, self.desk.language))
        self.rejected.append(rejected)
        self.errors.append(trouble("validator", rejected.rule, refusal(rejected, "en"), sql))

    async def _explained(self, query: CheckedSql) -> bool:
        """What the engine thinks of it, in a read-only transaction; the statement itself does not run."""
        self.statements += 1
        try:
            await self.desk.rooms.database.explain(query)
        except DatabaseError as error:
            if error.mend != "rewrite":
                raise
            self.desk.check("explain", False, error.detail)
            self.errors.append(trouble("validator", error.kind, detail_of(error), query.shown))
            return False
        self.desk.check("explain", True)
        return True


def _drafted(passed: Passed, desk: Desk) -> Update:
    """The query is what was asked for; it is told without the row limit that is ours."""
    return {"status": "answered", "generated_sql": passed["text"], "user_prompt": desk.say("answer.drafted")}


def refused(rejected: SqlRejected, desk: Desk) -> Update:
    message = refusal(rejected, desk.language)
    hint = desk.say("reason.refused.hint")
    return {
        **ended("refused", "guard", message, hint, rejected.rule),
        "sql_generation_failure_reason": "guard",
    }
