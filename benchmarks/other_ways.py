"""What a second query is worth, and when: the model's own, without its adapter, below the engine's own DDL.

    python benchmarks/tune.py held.json --held-out
    python benchmarks/other_ways.py held.json [--adapter FILE] [--out replies.jsonl] [--most 200]

Every question is asked once as the app asks it, and once as it asks in doubt; replies are kept, so a run
that was stopped goes on, and judging again asks nothing. What is doubted is what the app doubts: what comes
to nothing, and a confidence below a bound (`agents/confidence.py`). What speaks against each decides then;
the columns of the table are what the second one is given ahead (`ways.PRINTED`). That the app goes on from
where the model was torn, on a failure, is not replayed here.
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

from accuracy_lab import SET, SHIPPED, Place, judged
from text2sql.agents.confidence import confidence_of, evidence, mismatch_signals, signals_of
from text2sql.agents.empty_result import rows_in
from text2sql.agents.prompt_builder import question_text
from text2sql.config import Settings
from text2sql.evaluation.questions import Question, read_questions
from text2sql.llm import AsyncChatModel, open_model
from text2sql.schema import ValueSharing, ddl, hints, render
from text2sql.sql import check, mask_literals, read_reply
from text2sql.types import CheckedSql, Message, ModelRequest

BOUNDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)  # below which an answer is doubted: never, …, always
AHEAD = (-1.0, -0.75, -0.5, 0.0, 0.5)  # nats for the second query: half of `PRINTED`


@dataclass(frozen=True)
class Tried:
    """A query as the app would judge it."""

    right: bool
    evidence: float  # what speaks against it; of what does not run, everything
    confidence: float  # none in what came to nothing: the app doubts it always
    as_written: bool = False  # right without any repair


def found_in(question: Question, place: Place) -> dict[str, Any]:
    hits = place.values.find(question.question)
    values = [{"said": h.said, "value": h.value, "table": h.table, "column": h.column} for h in hits]
    return {"values": values, "hints": hints(question.question, place.schema_context), "tables": []}


def request(question: Question, place: Place, *, plain: bool) -> ModelRequest:
    """As the app asks first, or in doubt."""
    template = Template((SHIPPED / "generate_sql.md").read_text(encoding="utf-8"))
    schema = ddl(place.catalog) if plain else render(place.catalog, samples=True)
    found: Any = found_in(question, place)
    told = (
        question.question
        if plain
        else question_text(
            question.question, found, ValueSharing("samples", place.schema_context, mask_literals)
        )
    )
    return ModelRequest(
        (Message("system", template.substitute(dialect="SQLite", schema=schema)), Message("user", told)),
        max_tokens=256,
        stop=(";",),
        logprobs=True,
        seconds=900,
        plain=plain,
    )


class Replies:
    """In a file, by question and way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[tuple[str, bool], dict[str, Any]] = {}
        if path.exists():
            for one in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                self._held[one["id"], one["plain"]] = one

    async def to(
        self, question: Question, place: Place, model: AsyncChatModel, *, plain: bool
    ) -> dict[str, Any]:
        if (question.id, plain) not in self._held:
            asked = request(question, place, plain=plain)
            await model.warm(asked.messages[:1], plain=plain)
            candidate = (await model.ask(asked)).candidates[0]
            sure = [token.logprob for token in candidate.tokens]
            told = {
                "text": candidate.text,
                "logprob": sum(sure) / max(1, len(sure)),
                "least": min(sure, default=0.0),
            }
            kept = {"id": question.id, "plain": plain, **told}
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(kept, ensure_ascii=False) + "\n")
            self._held[question.id, plain] = kept
        return self._held[question.id, plain]


def tried(reply: dict[str, Any], question: Question, place: Place) -> Tried:
    written = read_reply(reply["text"])
    mended = place.repaired(written, question.question)
    checked, result = check(mended.sql, "sqlite", rows=1000), place.run(mended.sql)
    if not isinstance(checked, CheckedSql) or isinstance(result, str):
        return Tried(False, -99.0, 0.0)
    found: Any = {"sql": mended.sql, "logprob": reply["logprob"], "least": reply["least"]}
    state: Any = {
        "question": question.question,
        "schema_info": found_in(question, place),
        "candidates": [found],
        "attempts": 1,
        "connection_id": "sqlite:",
    }
    level, misfits = asyncio.run(
        mismatch_signals(question.question, mended.sql, mended.sql, place.schema_context)
    )
    passed: Any = {
        "sql": mended.sql,
        "tables": list(checked.tables),
        "repairs": list(mended.fixes),
        "candidate": 0,
        "against": misfits,
        "hardness": level,
    }
    rows = rows_in(result)
    return Tried(
        judged(question, place, mended.sql)[0] == "right",
        evidence(state, passed, rows),
        confidence_of(signals_of(state, passed, rows)) if rows else 0.0,
        judged(question, place, written)[0] == "right",
    )


def tell(every: Sequence[tuple[Tried, Tried]]) -> None:
    first, second = ([one[at] for one in every] for at in (0, 1))
    among = sum(one.right or other.right for one, other in every)
    mended, spoilt = (
        sum(one.right is right and one.as_written is not right for one in first) for right in (True, False)
    )
    print(f"{len(every)} questions: first {_right(first)}, second {_right(second)}, one or the other {among}")
    print(f"first, as written: {sum(one.as_written for one in first)}; mended {mended}, spoilt {spoilt}")
    print("doubted below   calls   right, if the second is ahead by " + "".join(f"{one:6}" for one in AHEAD))
    for bound in BOUNDS:
        doubted = [one.confidence < bound for one in first]
        chosen = [
            [
                other if doubt and other.evidence + ahead > one.evidence else one
                for (one, other), doubt in zip(every, doubted, strict=True)
            ]
            for ahead in AHEAD
        ]
        calls = 1 + sum(doubted) / max(1, len(every))
        print(f"{bound:13}   {calls:.2f}    {'':33}" + "".join(f"{_right(one):6}" for one in chosen))


def _right(them: Sequence[Tried]) -> int:
    return sum(one.right for one in them)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path)
    parser.add_argument("--set", type=Path, default=SET)
    parser.add_argument("--adapter", default="", help="another one than the app's")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "text2sql-ways.jsonl")
    parser.add_argument("--most", type=int, default=None, help="only so many questions")
    given = parser.parse_args()
    settings = Settings(model_timeout=900, first_token_timeout=600, model_adapter=given.adapter)
    questions = sorted(read_questions(given.questions), key=lambda one: one.db_id)[: given.most]
    replies = Replies(given.out)
    every: list[tuple[Tried, Tried]] = []
    async with open_model("local", settings) as model:
        for _, group in groupby(questions, key=lambda one: one.db_id):
            asked = list(group)
            place = Place(asked[0].database(given.set / "databases"))
            ways = []
            for plain in (False, True):
                answers = [await replies.to(one, place, model, plain=plain) for one in asked]
                ways.append([tried(*one, place) for one in zip(answers, asked, strict=True)])
            every += zip(*ways, strict=True)
            place.database.close()
    tell(every)


if __name__ == "__main__":
    asyncio.run(main())
