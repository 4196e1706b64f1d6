"""What today's repairs make of queries, without a model: won and lost by each of them.

    python benchmarks/replay.py QUESTIONS --databases DIR [--show]
    python benchmarks/replay.py QUESTIONS --databases DIR --run RUN.jsonl [--show]

Without a run the queries are the references themselves: a repair that changes what one of them finds raises a
false alarm. QUESTIONS may also be a folder of our own (`benchmarks/tuning/of_spider`), a file a database, in
`--tongue` en or zh. With a run (`text2sql eval … --out RUN.jsonl`) they are what was run then, so with the
repairs of that day: only what came since is seen.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from accuracy_lab import Place, judged
from text2sql.evaluation.questions import Question, read_questions

LIMIT = " LIMIT 100000"  # the judge's own


def asked(path: Path, tongue: str) -> list[Question]:
    if not path.is_dir():
        return sorted(read_questions(path), key=lambda one: one.db_id)
    return [
        Question(f"{file.stem}-{number}", file.stem, pair[tongue], pair["sql"])
        for file in sorted(path.glob("*.json"))
        for number, pair in enumerate(json.loads(file.read_text(encoding="utf-8")))
        if pair.get(tongue)
    ]


def queries(questions: list[Question], run: Path | None) -> Iterator[tuple[Question, str]]:
    if run is None:
        yield from ((one, one.gold_sql) for one in questions)
        return
    by_id = {one.id: one for one in questions}
    for line in map(json.loads, run.read_text(encoding="utf-8").splitlines()):
        if line["sql"]:
            yield by_id[line["id"]], line["sql"].removesuffix(LIMIT)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path)
    parser.add_argument("--databases", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=None)
    parser.add_argument("--tongue", choices=("en", "zh"), default="en")
    parser.add_argument(
        "--show", action="store_true", help="print queries that changed; of references those that were lost"
    )
    given = parser.parse_args()
    counted: Counter[tuple[str, str]] = Counter()
    pairs = queries(asked(given.questions, given.tongue), given.run)
    for name, held in groupby(pairs, key=lambda one: one[0].db_id):
        place = Place(given.databases / name / f"{name}.sqlite")
        for question, before in held:
            after = place.repaired(before, question.question)
            if not after.fixes:
                continue
            was, is_now = (judged(question, place, sql)[0] == "right" for sql in (before, after.sql))
            what = "either way" if was == is_now else "won" if is_now else "lost"
            for fix in after.fixes:
                counted[fix, what] += 1
            if given.show and (given.run or what == "lost"):
                print(f"{what}: {question.question}\n  {before}\n  {after.sql}  {', '.join(after.fixes)}")
    for (fix, what), count in sorted(counted.items()):
        print(f"{fix:20} {what:12} {count}")


if __name__ == "__main__":
    main()
