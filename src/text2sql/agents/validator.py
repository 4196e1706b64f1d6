"""The validator node: decides which candidates may run. Fixes without a model, then the guard over the whole
parse tree and the columns against the cached catalog, without a connection. Only what passed is sent to
EXPLAIN.
"""

import asyncio
from dataclasses import dataclass, field

from text2sql.agents.confidence import mismatch_signals, question_signals
from text2sql.agents.node_context import NodeContext, Update, error_detail, final_update
from text2sql.agents.query_check import check_query
from text2sql.agents.question_reading import read_intent
from text2sql.agents.state import GeneratedQuery, PendingWrite, SQLMessageState, ValidatedQuery, error_entry
from text2sql.errors import DatabaseError
from text2sql.i18n import refusal
from text2sql.schema import SchemaContext
from text2sql.sql import FixedSql, check_write, fix_sql, fixes_for, in_worker
from text2sql.types import CheckedSql, CheckedWrite, QuestionIntent, SqlRejected

# Rules that a model can follow once it is told; for the others a retry is useless.
REPAIRABLE = frozenset(
    "bounds clause column function natural_join row_policy row_view set_shape star table table_function "
    "two_readings unreadable".split()
)


async def validator(state: SQLMessageState, ctx: NodeContext) -> Update:
    schema_context = await ctx.resources.catalog_cache.schema_context()
    validation = _CandidateValidator(state, ctx, schema_context, _question_intent(state, schema_context))
    for number, candidate in enumerate(state["candidates"]):
        await validation.validate(number, candidate)
        if validation.write is not None:
            break
    ok = bool(validation.passed or validation.write)
    checks = ["guard", "explain"] if ctx.preset.explain and validation.passed else ["guard"]
    update: Update = {
        "validation_result": {"ok": ok, "passed": validation.passed, "checks": checks if ok else []},
        "pending_write": validation.write,
        "error_history": [*state.get("error_history", []), *validation.errors],
        "statements": state.get("statements", 0) + validation.statements,
        "execution_result": None,
        "assumptions": _assumptions(state, ctx, validation.passed),
    }
    if validation.passed and not ctx.preset.execute:
        return {**update, **_draft_update(validation.passed[0], ctx)}
    fatal = next((rejection for rejection in validation.rejected if rejection.rule not in REPAIRABLE), None)
    return update if ok or fatal is None else {**update, **refusal_update(fatal, ctx)}


def _question_intent(state: SQLMessageState, schema_context: SchemaContext) -> QuestionIntent | None:
    """None for a follow-up, which depends on earlier questions."""
    return None if state.get("follow_up") else read_intent(state["question"], schema_context)


def _assumptions(state: SQLMessageState, ctx: NodeContext, passed: list[ValidatedQuery]) -> list[str]:
    """Mention the verification only if a verified query is used, not one that replaced it."""
    verified = ctx.say("answer.verified")
    others = [assumption for assumption in state.get("assumptions", []) if assumption != verified]
    is_verified = any(state["candidates"][query["candidate"]].get("verified") for query in passed)
    return [*others, verified] if is_verified else others


@dataclass(frozen=True, slots=True)
class _Checked:
    """A query after the guard and EXPLAIN, and the problem that one of them reported."""

    fixed: FixedSql
    problem: SqlRejected | DatabaseError | None
    query: CheckedSql | None = None  # None if the guard rejected it


@dataclass(slots=True)
class _CandidateValidator:
    """Validates the candidates of one question."""

    state: SQLMessageState
    ctx: NodeContext
    schema_context: SchemaContext
    intent: QuestionIntent | None
    passed: list[ValidatedQuery] = field(default_factory=list)
    write: PendingWrite | None = None
    rejected: list[SqlRejected] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    statements: int = 0

    async def validate(self, number: int, candidate: GeneratedQuery) -> None:
        """A query that a person verified or code compiled is never fixed, nor one made from a fixed one."""
        text = candidate["sql"]
        if candidate.get("verified") or candidate.get("narrowed") or candidate.get("compiled"):
            await self._decide(number, text, await self._check(FixedSql(text)))
        elif self.ctx.model.profile.size == "small":
            await self._decide(number, text, await self._check(await self._fix(text, runs=False)))
        else:
            checked = await self._check(await self._fix(text, runs=True))
            if checked.problem:
                fixed = await self._fix(text, runs=False)
                rechecked = await self._check(fixed) if fixed.fixes else checked
                checked = checked if rechecked.problem else rechecked
            await self._decide(number, text, checked)

    async def _check(self, fixed: FixedSql) -> "_Checked":
        """The guard and, if the preset says so, EXPLAIN."""
        query = await check_query(fixed.sql, self.schema_context, self.ctx.row_limit)
        if isinstance(query, SqlRejected):
            return _Checked(fixed, query)
        return _Checked(fixed, await self._explain(query) if self.ctx.preset.explain else None, query)

    async def _explain(self, query: CheckedSql) -> DatabaseError | None:
        """EXPLAIN in a read-only transaction; the statement itself does not run."""
        self.statements += 1
        try:
            await self.ctx.resources.database.explain(query)
        except DatabaseError as error:
            if error.retry != "rewrite":
                raise
            return error
        return None

    async def _decide(self, number: int, text: str, checked: "_Checked") -> None:
        fixed, problem, query = checked.fixed, checked.problem, checked.query
        if query is None:
            await self._refuse(text, checked)
            return
        self.ctx.check("guard", True, query.shown)
        if isinstance(problem, DatabaseError):
            self.ctx.check("explain", False, problem.detail)
            self.errors.append(error_entry("validator", problem.kind, error_detail(problem), query.shown))
            return
        if self.ctx.preset.explain:
            self.ctx.check("explain", True)
        question, schema_context = self.state["question"], self.schema_context
        hardness, misfits = await mismatch_signals(question, fixed.sql, query.shown, schema_context)
        self.passed.append(
            ValidatedQuery(
                text=fixed.sql,
                sql=query.shown,
                tables=list(query.tables),
                repairs=list(fixed.fixes),
                candidate=number,
                against=misfits,
                extra=await asyncio.to_thread(
                    question_signals,
                    question,
                    schema_context,
                    follow_up=bool(self.state.get("follow_up")),
                ),
                hardness=hardness,
            )
        )

    async def _refuse(self, text: str, checked: "_Checked") -> None:
        """A statement that the guard rejects may be a write, if the caller allows those."""
        rejected = checked.problem
        if not isinstance(rejected, SqlRejected):
            raise TypeError(type(rejected).__name__)
        answer = await self._as_write(text, rejected) if self.ctx.allow_writes else rejected
        if isinstance(answer, SqlRejected):
            self._reject(answer, checked.fixed.sql)

    async def _fix(self, text: str, *, runs: bool) -> FixedSql:
        schema_context = self.schema_context
        catalog = schema_context.catalog
        names = fixes_for(self.ctx.model.profile.size, runs=runs, choice=self.ctx.preset.fixes)
        fixed = await in_worker(
            fix_sql,
            text,
            catalog.dialect,
            catalog,
            schema_context.values,
            policy=schema_context.policy,
            intent=self.intent,
            fixes=names,
        )
        # Too costly to fix: the guard decides about the text as it is.
        return FixedSql(text) if isinstance(fixed, SqlRejected) else fixed

    async def _as_write(self, text: str, rejection: SqlRejected) -> SqlRejected | CheckedWrite:
        nonce = self.state["turn_id"]
        catalog = self.schema_context.catalog
        write = await in_worker(
            check_write, text, catalog.dialect, catalog, self.schema_context.policy, nonce=nonce
        )
        if isinstance(write, SqlRejected):
            return write if self.state.get("wants_write") else rejection
        self.ctx.check("guard", True, write.shown)
        self.write = PendingWrite(
            sql=write.shown, table=write.table, kind=write.kind, key=write.key, nonce=nonce, rows=0
        )
        return write

    def _reject(self, rejected: SqlRejected, sql: str) -> None:
        self.ctx.check("guard", False, refusal(rejected, self.ctx.language))
        self.rejected.append(rejected)
        self.errors.append(error_entry("validator", rejected.rule, refusal(rejected, "en"), sql))


def _draft_update(passed: ValidatedQuery, ctx: NodeContext) -> Update:
    """The query is the answer; it is shown without our row limit."""
    return {"status": "answered", "generated_sql": passed["text"], "user_prompt": ctx.say("answer.drafted")}


def refusal_update(rejected: SqlRejected, ctx: NodeContext) -> Update:
    message = refusal(rejected, ctx.language)
    hint = ctx.say("reason.refused.hint")
    return {
        **final_update("refused", "guard", message, hint, rejected.rule),
        "sql_generation_failure_reason": "guard",
    }
