"""Measure when a second query helps: one from the model without its adapter, with the engine's own DDL.

    python benchmarks/tune.py held_out.json --held-out
    python benchmarks/second_query.py held_out.json [--adapter FILE] [--out replies.jsonl] [--most 200]

Every question is asked twice: as the application asks first, and as it asks in doubt. Replies are recorded,
so a stopped run can be resumed, and judging again calls no model. As in the application, a query is in doubt
if its result is empty or its confidence is below a bound (`agents/confidence.py`), and the query with the
better evidence wins. The columns of the table are a bonus for the second query. The application's retry after
a failed query is not part of this.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any

from compare_prompts import SET, SHIPPED, BenchmarkDatabase, verdict_of
from text2sql.agents.confidence import confidence_of, evidence, mismatch_signals, signals_of
from text2sql.agents.empty_result import rows_in
from text2sql.agents.prompt_builder import question_text
from text2sql.config import Settings
from text2sql.evaluation.questions import Question, read_questions
from text2sql.llm import AsyncChatModel, open_model
from text2sql.schema import ValueSharing, ddl, hints, render
from text2sql.sql import check, mask_literals, read_reply
from text2sql.types import CheckedSql, Message, ModelRequest

BOUNDS = (
    0.0,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    1.01,
)  # of the confidence: a query below is in doubt; 0 is never, 1.01 always
BONUSES = (-1.0, -0.75, -0.5, 0.0, 0.5)  # bonus of the second query, in nats


@dataclass(frozen=True)
class ScoredQuery:
    """A query with the evidence that the application has for it."""

    right: bool
    evidence: float  # -99 if the query does not run
    confidence: float  # 0 for an empty result, which is always in doubt
    as_written: bool = False  # right without any fix


def schema_info(question: Question, database: BenchmarkDatabase) -> dict[str, Any]:
    hits = database.values.find(question.question)
    values = [{"said": h.said, "value": h.value, "table": h.table, "column": h.column} for h in hits]
    return {"values": values, "hints": hints(question.question, database.schema_context), "tables": []}


def request(question: Question, database: BenchmarkDatabase, *, plain: bool) -> ModelRequest:
    """The request that the application sends first, or in doubt (`plain`)."""
    template = Template((SHIPPED / "generate_sql.md").read_text(encoding="utf-8"))
    schema = ddl(database.catalog) if plain else render(database.catalog, samples=True)
    info: Any = schema_info(question, database)
    content = (
        question.question
        if plain
        else question_text(
            question.question, info, ValueSharing("samples", database.schema_context, mask_literals)
        )
    )
    return ModelRequest(
        (Message("system", template.substitute(dialect="SQLite", schema=schema)), Message("user", content)),
        max_tokens=256,
        stop=(";",),
        logprobs=True,
        seconds=900,
        plain=plain,
    )


class Replies:
    """Recorded replies in a file, by question and `plain`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies: dict[tuple[str, bool], dict[str, Any]] = {}
        if path.exists():
            for reply in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                self._replies[reply["id"], reply["plain"]] = reply

    async def to(
        self, question: Question, database: BenchmarkDatabase, model: AsyncChatModel, *, plain: bool
    ) -> dict[str, Any]:
        if (question.id, plain) not in self._replies:
            model_request = request(question, database, plain=plain)
            await model.warm(model_request.messages[:1], plain=plain)
            candidate = (await model.ask(model_request)).candidates[0]
            sure = [token.logprob for token in candidate.tokens]
            scores = {
                "text": candidate.text,
                "logprob": sum(sure) / max(1, len(sure)),
                "least": min(sure, default=0.0),
            }
            record = {"id": question.id, "plain": plain, **scores}
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._replies[question.id, plain] = record
        return self._replies[question.id, plain]


def scored(reply: dict[str, Any], question: Question, database: BenchmarkDatabase) -> ScoredQuery:
    written = read_reply(reply["text"])
    fixed = database.fixed(written, question.question)
    checked, result = check(fixed.sql, "sqlite", rows=1000), database.run(fixed.sql)
    if not isinstance(checked, CheckedSql) or isinstance(result, str):
        return ScoredQuery(False, -99.0, 0.0)
    candidate: Any = {"sql": fixed.sql, "logprob": reply["logprob"], "least": reply["least"]}
    state: Any = {
        "question": question.question,
        "schema_info": schema_info(question, database),
        "candidates": [candidate],
        "attempts": 1,
        "connection_id": "sqlite:",
    }
    level, misfits = asyncio.run(
        mismatch_signals(question.question, fixed.sql, fixed.sql, database.schema_context)
    )
    passed: Any = {
        "sql": fixed.sql,
        "tables": list(checked.tables),
        "repairs": list(fixed.fixes),
        "candidate": 0,
        "against": misfits,
        "hardness": level,
    }
    rows = rows_in(result)
    return ScoredQuery(
        verdict_of(question, database, fixed.sql)[0] == "right",
        evidence(state, passed, rows),
        confidence_of(signals_of(state, passed, rows)) if rows else 0.0,
        verdict_of(question, database, written)[0] == "right",
    )


def print_table(pairs: Sequence[tuple[ScoredQuery, ScoredQuery]]) -> None:
    first, second = ([pair[at] for pair in pairs] for at in (0, 1))
    either_right = sum(query.right or other.right for query, other in pairs)
    won, lost = (
        sum(query.right is right and query.as_written is not right for query in first)
        for right in (True, False)
    )
    print(f"{len(pairs)} questions: first {_right(first)}, second {_right(second)}, either {either_right}")
    print(f"first, as written: {sum(query.as_written for query in first)}; fixes won {won}, lost {lost}")
    print(
        "in doubt below  calls   right, if the bonus is           "
        + "".join(f"{bonus:6}" for bonus in BONUSES)
    )
    for bound in BOUNDS:
        doubted = [query.confidence < bound for query in first]
        chosen = [
            [
                other if doubt and other.evidence + bonus > query.evidence else query
                for (query, other), doubt in zip(pairs, doubted, strict=True)
            ]
            for bonus in BONUSES
        ]
        calls = 1 + sum(doubted) / max(1, len(pairs))
        print(f"{bound:13}   {calls:.2f}    {'':33}" + "".join(f"{_right(queries):6}" for queries in chosen))


def _right(queries: Sequence[ScoredQuery]) -> int:
    return sum(query.right for query in queries)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path)
    parser.add_argument("--set", type=Path, default=SET)
    parser.add_argument("--adapter", default="", help="replaces the application's adapter")
    parser.add_argument(
        "--out", type=Path, default=Path(tempfile.gettempdir()) / "text2sql-second-query.jsonl"
    )
    parser.add_argument("--most", type=int, default=None, help="number of questions")
    arguments = parser.parse_args()
    settings = Settings(model_timeout=900, first_token_timeout=600, model_adapter=arguments.adapter)
    questions = sorted(read_questions(arguments.questions), key=lambda question: question.db_id)[
        : arguments.most
    ]
    replies = Replies(arguments.out)
    pairs: list[tuple[ScoredQuery, ScoredQuery]] = []
    async with open_model("local", settings) as model:
        for _, group in groupby(questions, key=lambda question: question.db_id):
            batch = list(group)
            database = BenchmarkDatabase(batch[0].database(arguments.set / "databases"))
            verdicts = []
            for plain in (False, True):
                answers = [await replies.to(question, database, model, plain=plain) for question in batch]
                verdicts.append(
                    [scored(*question, database) for question in zip(answers, batch, strict=True)]
                )
            pairs += zip(*verdicts, strict=True)
            database.connection.close()
    print_table(pairs)


if __name__ == "__main__":
    asyncio.run(main())
