"""The everyday set (`benchmarks/everyday`): its composition, its references, and a floor for a small draw."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
import pytest

from docs_text import ROOT
from everyday import files, logistics, school, subscriptions, webshop
from everyday.chance import TODAY
from everyday.databases import build, build_typed_files
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings
from text2sql.evaluation.facts import missing_facts
from text2sql.evaluation.judge import open_judge
from text2sql.evaluation.match import same_rows
from text2sql.evaluation.questions import Question, read_questions
from text2sql.evaluation.records import Record
from text2sql.evaluation.report import summarize
from text2sql.evaluation.run import EvaluatedApp, evaluate
from text2sql.evaluation.sampling import conversations
from text2sql.evaluation.subjects import AskApp, settings_for
from text2sql.llm import open_model
from text2sql.llm.embedded import process
from text2sql.types import QueryResult

QUESTIONS = ROOT / "benchmarks" / "everyday" / "questions"
FLOOR = 0.25  # of the draw are right
MOST_WRONG = 0.5  # of the draw are wrong without a visible doubt
SEED, CONTEXT = 3, 8_192
PATIENCE = 1_200.0  # seconds: a slow machine must not turn right answers into timeouts


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("everyday")
    build(folder)
    return folder


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return read_questions(QUESTIONS)


def entries() -> Iterator[dict[str, Any]]:
    for path in sorted(QUESTIONS.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for entry in content["questions"]:
            yield content["defaults"] | entry


def test_the_set_has_kinds_and_conversations_in_both_languages(questions: list[Question]) -> None:
    threads = [part for part in conversations(questions) if part[0].thread]
    assert len(questions) - sum(map(len, threads)) >= 220
    assert len(threads) >= 32
    assert {len(thread) for thread in threads} <= {3, 4, 5, 6}
    languages = Counter(question.lang for question in questions)
    assert languages.keys() == {"en", "zh"}
    assert min(languages.values()) / len(questions) > 0.45
    kinds = Counter(question.kind for question in questions)
    assert len(kinds) >= 25
    assert min(kinds.values()) >= 4
    assert {question.today for question in questions} == {f"{TODAY}"}
    splits = Counter(entry["split"] for entry in entries())
    assert min(splits.values()) / len(questions) > 0.4


def test_every_reference_runs_and_returns_something(databases: Path, questions: list[Question]) -> None:
    assert [text for text in asyncio.run(_faulty(databases, questions)) if text] == []


async def _faulty(databases: Path, questions: list[Question]) -> list[str]:
    """Questions whose references fail, return nothing without being declared `empty`, or not their facts."""
    empty = {entry["id"] for entry in entries() if entry.get("empty")}
    faulty = []
    for path, group in groupby(questions, key=lambda question: str(question.database(databases))):
        asked = [question for question in group if question.references]
        if not asked:
            continue
        judge = open_judge(path, Settings())
        for question in asked:
            results = await judge.references(question)
            if isinstance(results, str):
                faulty.append(f"{question.id}: {results}")
            elif question.id in empty:
                continue
            elif not all(map(_has_values, results)):
                faulty.append(f"{question.id}: no rows")
            elif missing := missing_facts(question.facts, _text(results[0])):
                faulty.append(f"{question.id}: {missing}")
        await judge.close()
    return faulty


def _has_values(result: QueryResult) -> bool:
    return any(value is not None for row in result.rows for value in row)


def _text(result: QueryResult) -> str:
    cells = [value for row in result.rows for value in row]
    numbers = [value for value in cells if isinstance(value, int | float)]
    return "; ".join([*map(str, cells), *(f"{number}%" for number in numbers)])


def test_the_expected_rows_about_files_are_those_of_their_query(tmp_path: Path) -> None:
    about_files = [entry for entry in entries() if "rows" in entry]
    assert len(about_files) >= 30
    with duckdb.connect(str(build_typed_files(tmp_path / "files.duckdb"))) as connection:
        for entry in about_files:
            rows = [tuple(map(_plain, row)) for row in connection.execute(entry["rows_from"]).fetchall()]
            expected = [tuple(row) for row in entry["rows"]]
            assert same_rows(expected, rows), entry["id"]


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float) or value is None:
        return value
    return value.isoformat() if hasattr(value, "isoformat") else float(value)


@pytest.mark.parametrize("module", [webshop, school, subscriptions, logistics, files])
def test_every_build_has_the_same_rows(module: Any) -> None:
    tables = module.tables()
    assert sum(map(len, tables.rows.values())) > 1_000
    assert tables == module.tables()


@pytest.mark.model
def test_the_accuracy_on_a_draw_is_at_least_the_floor(
    real: Settings, databases: Path, questions: list[Question]
) -> None:
    drawn = draw(questions)
    records = asyncio.run(_records(drawn, databases, patient(real)))
    summary = summarize(records)
    outcomes = [(record.id, record.outcome, record.failure, record.sql) for record in records]
    assert 20 <= len(records) <= 26
    assert summary.unjudged == 0
    assert summary.right.value >= FLOOR, outcomes
    assert summary.outcomes.wrong_without_doubt.value <= MOST_WRONG, outcomes


def patient(settings: Settings) -> Settings:
    """Settings of an evaluation whose results do not depend on the speed of the machine."""
    return replace(
        settings_for(settings),
        model_context=CONTEXT,
        model_timeout=PATIENCE,
        first_token_timeout=PATIENCE,
        idle_timeout=PATIENCE,
        question_time=PATIENCE,
    )


def draw(questions: list[Question]) -> list[Question]:
    """A question of each kind, in alternating languages, and a conversation; not about files."""
    chance = random.Random(SEED)
    candidates = [question for question in questions if not question.db_id.startswith("files")]
    kinds = sorted({question.kind for question in candidates if not question.thread})
    chosen = [
        chance.choice([q for q in candidates if q.kind == kind and q.lang == lang and not q.thread])
        for kind, lang in zip(kinds, ("en", "zh") * len(kinds), strict=False)
    ]
    chosen += chance.choice([part for part in conversations(candidates) if part[0].thread])
    return sorted(chosen, key=lambda question: question.db_id)


async def _records(drawn: list[Question], databases: Path, settings: Settings) -> list[Record]:
    _end_hosts(settings)  # another model process on the same cores would slow this one down tenfold
    try:
        async with open_model("local", settings) as model:
            app = EvaluatedApp(lambda source: AskApp(AsyncText2SQL(source, settings=settings, model=model)))

            def locate(question: Question) -> str:
                return str(question.database(databases))

            return (await evaluate(drawn, locate, [app], settings=settings))[0]
    finally:
        _end_hosts(settings)


def _end_hosts(settings: Settings) -> None:
    for host in process.hosts(Path(settings.cache_dir)):
        process.stop(host)
