"""How often a question about its own database is turned away, and one about another database is noticed.

    python benchmarks/turned_away.py

Our own questions of `tuning/` about the databases of `spider-train-600` and about invented ones, in both
languages, and Spider's; no model is asked. A question is foreign to a database that its query does not run
on. The columns are bounds for the share that `schema/out_of_scope.py` wants a database to answer to.
"""

import json
import random
import sqlite3
import tempfile
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from accuracy_lab import SET, Place
from text2sql.schema import is_out_of_scope, out_of_scope

TUNING = Path(__file__).parent / "tuning"
BOUNDS = (0.3, 0.35, 0.4, 0.45, 0.5)
STRANGERS = 24  # questions of other databases that each one is asked


@dataclass(frozen=True)
class RunOptions:
    kind: str
    text: str
    sql: str


def subjects(folder: Path) -> dict[Path, list[RunOptions]]:
    """What is asked of each database."""
    found: dict[Path, list[RunOptions]] = defaultdict(list)
    for one in json.loads((SET / "questions.json").read_text(encoding="utf-8")):
        found[_of_the_set(one["db_id"])].append(RunOptions("Spider's", one["question"], one["gold_sql"]))
    for file in sorted(TUNING.glob("of_spider*/*.json")):
        found[_of_the_set(file.stem)] += _pairs(json.loads(file.read_text(encoding="utf-8")))
    for file in sorted(TUNING.glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        path = folder / f"{file.stem}.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            for statement in told["ddl"] + told["rows"]:
                connection.execute(statement)
            connection.commit()
        found[path] += _pairs(told["pairs"])
    return found


def _of_the_set(name: str) -> Path:
    return SET / "databases" / name / f"{name}.sqlite"


def _pairs(pairs: list[dict[str, str]]) -> list[RunOptions]:
    tongues = (("en", "English"), ("zh", "Chinese"))
    return [RunOptions(f"ours, {told}", one[tongue], one["sql"]) for one in pairs for tongue, told in tongues]


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
    away: dict[tuple[str, bool], list[list[bool]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        asked = subjects(Path(folder))
        every = [(path, one) for path, held in asked.items() for one in held]
        for path, own in asked.items():
            place = Place(path)
            drawn = chance.sample(every, STRANGERS)
            others = [one for home, one in drawn if home != path and not runs(path, one.sql)]
            for foreign, questions in ((False, own), (True, others)):
                for one in questions:
                    away[one.kind, foreign].append([])
                    for bounds in (*((bound, bound) for bound in BOUNDS), shipped):
                        out_of_scope.MIN_COVERAGE, out_of_scope.MIN_COVERAGE_CHINESE = bounds
                        away[one.kind, foreign][-1].append(is_out_of_scope(one.text, place.schema_context))
            place.database.close()
    print(f"{'turned away / noticed':32}" + "".join(f"{one:>14}" for one in (*BOUNDS, "shipped")))
    for kind in sorted({kind for kind, _ in away}):
        shares = [_percents(away[kind, foreign]) for foreign in (False, True)]
        cells = "".join(f"{f'{one:.1f} / {other:.1f}':>14}" for one, other in zip(*shares, strict=True))
        print(f"{kind:16}{len(away[kind, False]):8}{len(away[kind, True]):8}{cells}")


def _percents(judged: list[list[bool]]) -> list[float]:
    return [100 * sum(one) / len(judged) for one in zip(*judged, strict=True)]


if __name__ == "__main__":
    main()
