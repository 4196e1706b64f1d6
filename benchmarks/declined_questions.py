"""Measure the out-of-scope check: how many answerable and how many foreign questions are declined.

    python benchmarks/declined_questions.py [--sets DIR]

The questions are those of `tuning/`, in both languages, and those of all sets beside the repository; no model
is called. A question is foreign to a database if its query does not run there; foreign ones come from the
same set, or from all sets if it has a single database. Each declined answerable question is printed.
"""

import argparse
import json
import random
import sqlite3
import tempfile
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from compare_prompts import SET, BenchmarkDatabase
from text2sql.schema import is_out_of_scope, uncovered_words

TUNING = Path(__file__).parent / "tuning"
FOREIGN = 24  # foreign questions per database


@dataclass(frozen=True)
class Question:
    kind: str  # the set, with the language where it has both
    database: Path
    text: str
    sql: str


def all_questions(sets: Path, folder: Path) -> list[Question]:
    questions: list[Question] = []
    for file in sorted(sets.glob("*/questions.json")):
        entries = [entry for entry in json.loads(file.read_text("utf-8")) if entry.get("db_id")]
        for entry in entries:
            path = file.parent / "databases" / entry["db_id"] / f"{entry['db_id']}.sqlite"
            questions.append(Question(file.parent.name, path, entry["question"], entry["gold_sql"]))
    for file in sorted(TUNING.glob("of_spider*/*.json")):
        path = sets / SET.name / "databases" / file.stem / f"{file.stem}.sqlite"
        questions += _in_both_languages(json.loads(file.read_text("utf-8")), path)
    for file in sorted(TUNING.glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        path = folder / f"{file.stem}.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            for statement in content["ddl"] + content["rows"]:
                connection.execute(statement)
            connection.commit()
        questions += _in_both_languages(content["pairs"], path)
    return questions


def _in_both_languages(pairs: list[dict[str, str]], path: Path) -> list[Question]:
    languages = (("en", "English"), ("zh", "Chinese"))
    return [
        Question(f"tuning, {name}", path, pair[key], pair["sql"]) for pair in pairs for key, name in languages
    ]


def runs(path: Path, sql: str) -> bool:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            connection.execute(f"EXPLAIN {sql}")
        except sqlite3.Error:
            return False
    return True


def foreign_to(path: Path, kind: str, questions: list[Question], chance: random.Random) -> list[Question]:
    own_set = [question for question in questions if question.kind == kind]
    if len({question.database for question in own_set}) == 1:
        own_set = [question for question in questions if "tuning" not in question.kind]
    sample = chance.sample(own_set, min(FOREIGN, len(own_set)))
    return [question for question in sample if question.database != path and not runs(path, question.sql)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=Path, default=SET.parent)
    sets, chance = parser.parse_args().sets, random.Random(3)
    declined: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        questions = all_questions(sets, Path(folder))
        by_database: dict[Path, dict[str, list[Question]]] = defaultdict(lambda: defaultdict(list))
        for question in questions:
            by_database[question.database][question.kind].append(question)
        for path, by_kind in by_database.items():
            database = BenchmarkDatabase(path)
            for kind, own in by_kind.items():
                for question in own:
                    declined[kind, False].append(is_out_of_scope(question.text, database.schema_context))
                    if declined[kind, False][-1]:
                        words = ", ".join(uncovered_words(question.text, database.schema_context))
                        print(f"{kind} · {path.stem} · {question.text} ({words})")
                for question in foreign_to(path, kind, questions, chance):
                    declined[kind, True].append(is_out_of_scope(question.text, database.schema_context))
            database.connection.close()
    print(f"\n{'set':20}{'answerable':>12}{'declined':>10}{'foreign':>10}{'declined':>10}")
    for kind in sorted({kind for kind, _ in declined}):
        own_share, foreign_share = (_percent(declined[kind, is_foreign]) for is_foreign in (False, True))
        counts = len(declined[kind, False]), len(declined[kind, True])
        print(f"{kind:20}{counts[0]:12}{own_share:9.1f}%{counts[1]:10}{foreign_share:9.1f}%")


def _percent(outcomes: list[bool]) -> float:
    return 100 * sum(outcomes) / len(outcomes) if outcomes else 0.0


if __name__ == "__main__":
    main()
