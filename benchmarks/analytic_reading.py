"""Measure the questions that are answered without a model: how many are compiled, and how many right.

    PYTHONPATH=benchmarks python benchmarks/analytic_reading.py work|check|all [--show]

The questions are those of the everyday set (`everyday/questions`), with their conversations. The whole app
runs, with a model that always writes the same query; a question counts as compiled if no model was asked.
`work` is the half whose failures may be read; `--show` prints its wrong answers.
"""

import argparse
import asyncio
import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from everyday.databases import build
from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.evaluation.judge import Judge, open_judge
from text2sql.evaluation.questions import Question, read_questions
from text2sql.evaluation.subjects import AskApp, settings_for
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.types import Answer, ModelProfile

QUESTIONS = Path(__file__).parent / "everyday" / "questions"
REPLIES = ["SELECT 1"] * 5_000
SMALL = ModelProfile(context=16_384, location="local", size="small", grammar=True, logprobs=True)


def splits() -> dict[str, str]:
    """Question id → `work` or `check`."""
    found: dict[str, str] = {}
    for file in sorted(QUESTIONS.glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        for entry in content["questions"]:
            found[entry["id"]] = {**content["defaults"], **entry}["split"]
    return found


async def outcomes(database: Path, questions: list[Question]) -> list[tuple[Question, Answer, str]]:
    settings = settings_for(Settings(requests_per_minute=0))
    model = AsyncChatModel([ScriptedBackend(REPLIES, profile=SMALL)], settings)
    subject = AskApp(AsyncText2SQL(str(database), settings=settings, model=model))
    judge: Judge = open_judge(str(database), settings)
    try:
        answered: list[tuple[Question, Answer, str]] = []
        for question in questions:
            answer = (await subject.ask(question.question, question.thread, question.today)).answer
            verdict = (await judge.judge(question, answer))[0] if "compiled" in answer.receipt.signals else ""
            answered.append((question, answer, verdict))
        return answered
    finally:
        await subject.close()
        await judge.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("split", choices=["work", "check", "all"])
    parser.add_argument("--show", action="store_true")
    chosen = parser.parse_args()
    split_of = splits()
    by_database: dict[str, list[Question]] = defaultdict(list)
    for question in read_questions(QUESTIONS):
        if chosen.split in ("all", split_of[question.id]):
            by_database[question.db_id].append(question)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        for name, questions in by_database.items():
            for question, answer, verdict in await outcomes(Path(folder) / name, questions):
                counts[f"{question.lang} asked"] += 1
                if not verdict:
                    continue
                certainty = answer.receipt.certainty or "not_sure"
                counts[f"{question.lang} {'right' if verdict == 'right' else 'wrong'}, {certainty}"] += 1
                if chosen.show and verdict != "right":
                    print(question.id, question.question)
                    print("   ", answer.receipt.taken_for)
                    print("   ", question.gold_sql)
    for key, count in sorted(counts.items()):
        print(f"{key:30}{count:6}")


if __name__ == "__main__":
    asyncio.run(main())
