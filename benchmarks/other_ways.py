"""What a second query is worth, and when: as the model nearly wrote it, or from the engine's own DDL.

    python benchmarks/other_ways.py --questions benchmarks/questions/train-databases-2.zh.json --each 2
    python benchmarks/other_ways.py --judge …      judge what is there, without a model

Every question is asked once, then with the schema as its engine would print it, alone and with what was found
about its words, then from the two places where the model was most torn; replies are kept, so a run that was
stopped goes on. The table says how many questions each rule gets right, what it wins and loses against one
query, and its calls a question. What is chosen by is what the app chooses by (`agents/confidence.py`).
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import Any

from accuracy_lab import SET, SHIPPED, Place, judged, subset
from text2sql.agents.confidence import against, evidence
from text2sql.agents.context import question_text
from text2sql.agents.ways import PRINTED, ways
from text2sql.config import Settings
from text2sql.evaluation.questions import Question
from text2sql.llm import AsyncChatModel, open_model
from text2sql.schema import ddl, hints, render
from text2sql.sql import check, read_reply
from text2sql.types import CheckedSql, Message, ModelRequest

# What speaks against a query that is doubted here. The app hears its model, too (`confidence.DOUBTFUL`).
DOUBTFUL = -1.75


@dataclass(frozen=True)
class Tried:
    verdict: str
    evidence: float  # what speaks against it; of what does not run, everything
    gap: float


def found_in(question: Question, place: Place) -> dict[str, Any]:
    hits = place.values.find(question.question)
    values = [{"said": h.said, "value": h.value, "table": h.table, "column": h.column} for h in hits]
    return {"values": values, "hints": hints(question.question, place.knowledge), "tables": []}


async def asked(question: Question, place: Place, model: AsyncChatModel) -> list[tuple[str, float]]:
    """The texts, each with how much less likely it was than the first."""
    template = Template((SHIPPED / "generate_sql.md").read_text(encoding="utf-8"))
    told = question_text(question.question, found_in(question, place))  # type: ignore[arg-type]

    def request(schema: str, text: str, *, plain: bool = False) -> ModelRequest:
        system = Message("system", template.substitute(dialect="SQLite", schema=schema))
        return ModelRequest(
            (system, Message("user", text)),
            max_tokens=256,
            stop=(";",),
            logprobs=True,
            seconds=900,
            plain=plain,
        )

    plain = request(render(place.catalogue, samples=True), told)
    first = (await model.ask(plain)).candidates[0]
    texts = [(first.text, 0.0)]
    printed = [request(ddl(place.catalogue), text, plain=True) for text in (question.question, told)]
    texts += [((await model.ask(one)).text, PRINTED) for one in printed]
    for way in ways(first):
        reply = await model.ask(replace(plain, begun=way["begun"]))
        texts.append((reply.text, way["gap"]))
    return texts


def tried(text: str, gap: float, question: Question, place: Place) -> Tried:
    mended = place.repaired(read_reply(text), question.question)
    verdict = judged(question, place, mended.sql)[0]
    checked = check(mended.sql, "sqlite", rows=1000)
    result = place.run(mended.sql)
    if verdict == "error" or not isinstance(checked, CheckedSql) or isinstance(result, str):
        return Tried("error", -99.0, gap)
    state: Any = {
        "question": question.question,
        "schema_info": found_in(question, place),
        "candidates": [{"gap": gap}],
    }
    passed: Any = {
        "sql": mended.sql,
        "tables": checked.tables,
        "repairs": mended.fixes,
        "candidate": 0,
        "against": against(question.question, mended.sql, place.knowledge),
    }
    return Tried(verdict, evidence(state, passed, len(result.rows)), gap)


Rule = Callable[[Sequence[Tried]], Sequence[Tried]]  # of (first, printed, told, torn…), what is asked for


def in_doubt(others: Rule, failed: Rule) -> Rule:
    def rule(them: Sequence[Tried]) -> Sequence[Tried]:
        if them[0].verdict == "error":
            return failed(them)
        return others(them) if them[0].evidence < DOUBTFUL else ()

    return rule


RULES: dict[str, Rule] = {
    "one query": lambda _: (),
    "torn, on failure": in_doubt(lambda _: (), lambda them: them[3:]),
    "torn, on failure and in doubt": in_doubt(lambda them: them[3:], lambda them: them[3:]),
    "printed in doubt, torn on failure (shipped)": in_doubt(lambda them: them[1:2], lambda them: them[3:]),
    "the same, told what was found": in_doubt(lambda them: them[2:3], lambda them: them[3:]),
    "both of these": in_doubt(lambda them: them[1:3], lambda them: them[3:]),
    "printed, always": lambda them: them[1:2],
    "torn, always": lambda them: them[3:],
    "all, always": lambda them: them[1:],
}


def tell(every: Sequence[Sequence[Tried]]) -> None:
    among = sum(any(one.verdict == "right" for one in them) for them in every)
    print(f"{len(every)} questions, a right query among all of them: {among}")
    for name, rule in RULES.items():
        chosen = [max((them[0], *rule(them)), key=lambda one: one.evidence) for them in every]
        pairs = [
            (them[0].verdict == "right", one.verdict == "right")
            for them, one in zip(every, chosen, strict=True)
        ]
        won, lost = sum(not a and b for a, b in pairs), sum(a and not b for a, b in pairs)
        calls = 1 + sum(len(rule(them)) for them in every) / max(1, len(every))
        print(f"{name:45} right {sum(b for _, b in pairs):4}  +{won} -{lost}  calls {calls:.2f}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, default=SET)
    parser.add_argument("--questions", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "text2sql-ways.jsonl")
    parser.add_argument("--databases", type=int, default=30)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judge", action="store_true", help="ask nothing")
    given = parser.parse_args()
    kept: dict[str, Any] = {}
    if given.out.exists():
        kept = {
            one["question"]: one["texts"]
            for one in map(json.loads, given.out.read_text("utf-8").splitlines())
        }
    questions = subset(
        given.questions or given.set / "questions.json", given.databases, given.each, given.seed
    )
    every = []
    async with open_model("local", Settings(model_timeout=900, first_token_timeout=600)) as model:
        for question in questions:
            place = Place(question.database(given.set / "databases"))
            key = f"{question.db_id} {question.question}"
            if key not in kept and not given.judge:
                kept[key] = await asked(question, place, model)
                with given.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"question": key, "texts": kept[key]}, ensure_ascii=False) + "\n")
            if key in kept:
                every.append([tried(text, gap, question, place) for text, gap in kept[key]])
            place.database.close()
    tell(every)


if __name__ == "__main__":
    asyncio.run(main())
