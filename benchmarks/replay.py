"""What today's repairs make of the queries of an earlier run, without a model: won and lost by each of them.

    text2sql eval QUESTIONS --databases DIR --out RUN.jsonl
    python benchmarks/replay.py RUN.jsonl QUESTIONS --databases DIR [--show]

A run keeps its queries as they were run, so with the repairs of that day: only what came since is seen.
"""

import argparse
import json
from collections import Counter
from itertools import groupby
from pathlib import Path

from accuracy_lab import Place, judged
from text2sql.evaluation.questions import read_questions

LIMIT = " LIMIT 100000"  # the judge's own


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--databases", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="print the queries that changed")
    given = parser.parse_args()
    asked = {one.id: one for one in read_questions(given.questions)}
    lines = [json.loads(line) for line in given.run.read_text(encoding="utf-8").splitlines()]
    counted: Counter[tuple[str, str]] = Counter()
    for name, held in groupby([one for one in lines if one["sql"]], key=lambda one: one["db_id"]):
        place = Place(given.databases / name / f"{name}.sqlite")
        for line in held:
            question, before = asked[line["id"]], line["sql"].removesuffix(LIMIT)
            after = place.repaired(before, question.question)
            if not after.fixes:
                continue
            was, is_now = (judged(question, place, sql)[0] == "right" for sql in (before, after.sql))
            what = "either way" if was == is_now else "won" if is_now else "lost"
            for fix in after.fixes:
                counted[fix, what] += 1
            if given.show:
                print(f"{what}: {question.question}\n  {before}\n  {after.sql}  {', '.join(after.fixes)}")
    for (fix, what), count in sorted(counted.items()):
        print(f"{fix:20} {what:12} {count}")


if __name__ == "__main__":
    main()
