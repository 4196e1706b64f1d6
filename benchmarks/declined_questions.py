"""Measure the out-of-scope check: how many answerable and how many foreign questions are declined.

    python benchmarks/declined_questions.py

The questions are those of `tuning/`, in both languages, and those of `spider-train-600`; no model is called.
A question is foreign to a database if its query does not run there. The columns are values of `MIN_COVERAGE`
in `schema/out_of_scope.py`.
"""

import json
import random
import sqlite3
import tempfile
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from compare_prompts import SET, BenchmarkDatabase
from text2sql.schema import is_out_of_scope, out_of_scope

TUNING = Path(__file__).parent / "tuning"
BOUNDS = (0.3, 0.35, 0.4, 0.45, 0.5)
FOREIGN = 24  # foreign questions per database


@dataclass(frozen=True)
class Question:
    kind: str
    text: str
    sql: str


def questions_by_database(folder: Path) -> dict[Path, list[Question]]:
    questions: dict[Path, list[Question]] = defaultdict(list)
    for entry in json.loads((SET / "questions.json").read_text(encoding="utf-8")):
        path = _spider_database(entry["db_id"])
        questions[path].append(Question("Spider's", entry["question"], entry["gold_sql"]))
    for file in sorted(TUNING.glob("of_spider*/*.json")):
        questions[_spider_database(file.stem)] += _in_both_languages(json.loads(file.read_text("utf-8")))
    for file in sorted(TUNING.glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        path = folder / f"{file.stem}.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            for statement in content["ddl"] + content["rows"]:
                connection.execute(statement)
            connection.commit()
        questions[path] += _in_both_languages(content["pairs"])
    return questions


def _spider_database(name: str) -> Path:
    return SET / "databases" / name / f"{name}.sqlite"


def _in_both_languages(pairs: list[dict[str, str]]) -> list[Question]:
    languages = (("en", "English"), ("zh", "Chinese"))
    return [Question(f"ours, {name}", pair[key], pair["sql"]) for pair in pairs for key, name in languages]


def runs(path: Path, sql: str) -> bool:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            connection.execute(f"EXPLAIN {sql}")
        except sqlite3.Error:
            return False
    return True


def main() -> None:
    chance = random.Random(3)
    shipped = (out_of_scope.MIN_COVERAGE, out_of_scope.MIN_COVERAGE_CHINESE)
    declined: dict[tuple[str, bool], list[list[bool]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        by_database = questions_by_database(Path(folder))
        all_questions = [(path, question) for path, own in by_database.items() for question in own]
        for path, own in by_database.items():
            database = BenchmarkDatabase(path)
            sample = chance.sample(all_questions, FOREIGN)
            foreign = [question for home, question in sample if home != path and not runs(path, question.sql)]
            for is_foreign, questions in ((False, own), (True, foreign)):
                for question in questions:
                    row: list[bool] = []
                    declined[question.kind, is_foreign].append(row)
                    for bounds in (*((bound, bound) for bound in BOUNDS), shipped):
                        out_of_scope.MIN_COVERAGE, out_of_scope.MIN_COVERAGE_CHINESE = bounds
                        row.append(is_out_of_scope(question.text, database.schema_context))
            database.connection.close()
    print(f"{'own / foreign declined, in %':32}" + "".join(f"{bound:>14}" for bound in (*BOUNDS, "shipped")))
    for kind in sorted({kind for kind, _ in declined}):
        own_shares, foreign_shares = (_percents(declined[kind, is_foreign]) for is_foreign in (False, True))
        pairs = zip(own_shares, foreign_shares, strict=True)
        cells = "".join(f"{f'{own:.1f} / {foreign:.1f}':>14}" for own, foreign in pairs)
        print(f"{kind:16}{len(declined[kind, False]):8}{len(declined[kind, True]):8}{cells}")


def _percents(rows: list[list[bool]]) -> list[float]:
    return [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]


if __name__ == "__main__":
    main()
