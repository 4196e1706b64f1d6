"""What each fix is worth: questions won and lost by it, over recorded replies of a model. Runs no model.

    TEXT2SQL_RECORDING=DIR/NAME/recording text2sql eval SET/questions.json --databases SET/databases
    python benchmarks/fix_ablation.py SET [SET …] --recordings DIR

    python benchmarks/fix_ablation.py SET … --recordings DIR --fixes=-typo     other fixes as the base
    python benchmarks/fix_ablation.py SET … --recordings DIR --against=none    compare with another choice
    python benchmarks/fix_ablation.py SET … --references --size large          references as replies

A SET is a folder with `questions.json` and `databases/`. With `--recordings`, the replies are the model's raw
queries, read from `DIR/<name of the set>/recording`. With `--references`, the reference queries are the
replies of a perfect model: every change of what one returns is a loss.

Each reply gets all chosen fixes, and for every fix that changed it, all but that one. A fix *wins* a reply
that is right (the result equals the reference's) with it and wrong without it, and *loses* one that is wrong
with it and right without it. `runs` counts replies that run only with the fix, right or wrong.

Databases are divided into two halves by a checksum of their name: choose fixes on `--half work`, and report
`--half check`.
"""

import argparse
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from compare_prompts import BenchmarkDatabase
from text2sql.agents.question_reading import read_intent
from text2sql.evaluation.match import same_result
from text2sql.evaluation.questions import Question, read_questions
from text2sql.sql import FixedSql, fix_sql, fixes_for, read_reply
from text2sql.sql.fixes.registry import FIXES
from text2sql.sql.query_features import is_ordered
from text2sql.types import QueryResult, QuestionIntent, Size

HALVES = ("work", "check")


@dataclass(frozen=True)
class Reply:
    question: Question
    sql: str
    is_first: bool = (
        True  # the first query for the question; others are asked for after a failure or in doubt
    )


@dataclass
class Counts:
    won: int = 0
    lost: int = 0
    neutral: int = 0
    runs: int = 0
    sets: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


@dataclass
class Totals:
    """Right replies of one set."""

    replies: int = 0
    raw: int = 0
    fixed: int = 0
    against: int = 0
    changed: int = 0  # replies that were right as they are and are not with the fixes


class Database:
    """Judges and fixes queries about one database. Results are cached: most fixes leave a reply unchanged."""

    def __init__(self, path: Path) -> None:
        self.benchmark = BenchmarkDatabase(path)
        self._results: dict[str, QueryResult | str] = {}
        self._intents: dict[str, QuestionIntent] = {}

    def run(self, sql: str) -> QueryResult | str:
        if sql not in self._results:
            self._results[sql] = self.benchmark.run(sql)
        return self._results[sql]

    def is_right(self, question: Question, sql: str) -> bool:
        expected, result = self.run(question.gold_sql), self.run(sql)
        if isinstance(expected, str) or isinstance(result, str):
            return False
        return same_result(expected, result, ordered=is_ordered(question.gold_sql, "sqlite"))

    def fixed(self, reply: Reply, size: Size, choice: str, without: str = "") -> FixedSql:
        """The reply with the chosen fixes, as the validator applies them."""
        if size == "small":
            return self._fixed(reply, fixes_for(size, runs=False, choice=choice), without)
        spelled = self._fixed(reply, fixes_for(size, runs=True, choice=choice), without)
        if not isinstance(self.run(spelled.sql), str):
            return spelled
        fixed = self._fixed(reply, fixes_for(size, runs=False, choice=choice), without)
        return spelled if isinstance(self.run(fixed.sql), str) else fixed

    def _fixed(self, reply: Reply, names: Sequence[str], without: str) -> FixedSql:
        benchmark, text = self.benchmark, reply.question.with_evidence
        if text not in self._intents:
            self._intents[text] = read_intent(text, benchmark.schema_context)
        chosen = [name for name in names if name != without]
        return fix_sql(
            reply.sql, "sqlite", benchmark.catalog, benchmark.values, intent=self._intents[text], fixes=chosen
        )


def half_of(db_id: str) -> str:
    return HALVES[zlib.crc32(db_id.encode()) % 2]


def recorded(folder: Path, questions: list[Question], names: set[str]) -> Iterator[Reply]:
    """The raw queries of a recording. A prompt starts with its question; its schema tells the database."""
    by_text: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for file in sorted((folder / "reply").glob("*.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        request, candidates = record["request"], record["reply"]["candidates"]
        content = request["messages"][-1]["content"]
        if request["begun"] or request["forced"] or candidates[0]["finish"] != "stop":
            continue
        sql = read_reply(candidates[0]["text"])
        for text in names:
            if content == text or content.startswith(f"{text}\n"):
                by_text[text].append((sql, not request["plain"]))
    for question in questions:
        for sql, is_first in by_text.get(question.with_evidence, ()):
            if sql:
                yield Reply(question, sql, is_first)


def replies_of(folder: Path, recordings: Path | None) -> list[Reply]:
    questions = read_questions(folder / "questions.json")
    if recordings is None:
        return [Reply(question, question.gold_sql) for question in questions]
    recording = recordings / folder.name / "recording"
    return list(recorded(recording, questions, {question.with_evidence for question in questions}))


def measure(
    folder: Path, replies: list[Reply], arguments: argparse.Namespace, counts: dict[str, Counts]
) -> Totals:
    totals = Totals()
    ordered = sorted(replies, key=lambda reply: reply.question.db_id)
    for db_id, group in groupby(ordered, key=lambda reply: reply.question.db_id):
        if arguments.half and half_of(db_id) != arguments.half:
            continue
        database = Database(folder / "databases" / db_id / f"{db_id}.sqlite")
        for reply in group:
            if not isinstance(database.run(reply.question.gold_sql), str):
                _count(folder.name, database, reply, arguments, counts, totals)
        database.benchmark.connection.close()
    return totals


def _count(
    name: str,
    database: Database,
    reply: Reply,
    arguments: argparse.Namespace,
    counts: dict[str, Counts],
    totals: Totals,
) -> None:
    question = reply.question
    fixed = database.fixed(reply, arguments.size, arguments.fixes)
    is_right, was_right = database.is_right(question, fixed.sql), database.is_right(question, reply.sql)
    if reply.is_first:
        totals.replies += 1
        totals.raw += was_right
        totals.fixed += is_right
        totals.changed += was_right and not is_right
        if arguments.against:
            other = database.fixed(reply, arguments.size, arguments.against)
            is_other_right = database.is_right(question, other.sql)
            totals.against += is_other_right
            if arguments.show and is_other_right != is_right:
                _show("won" if is_right else "lost", reply, fixed, other)
    for fix in fixed.fixes:
        without = database.fixed(reply, arguments.size, arguments.fixes, without=fix)
        is_needed = not isinstance(database.run(fixed.sql), str) and isinstance(
            database.run(without.sql), str
        )
        is_right_without = database.is_right(question, without.sql)
        verdict = "neutral" if is_right_without == is_right else "won" if is_right else "lost"
        counted = counts[fix]
        setattr(counted, verdict, getattr(counted, verdict) + 1)
        counted.runs += is_needed
        counted.sets[name][verdict] += 1
        if (
            arguments.show
            and not arguments.against
            and arguments.show in ("all", fix)
            and verdict != "neutral"
        ):
            _show(f"{verdict} by {fix}", reply, fixed, without)


def _show(what: str, reply: Reply, fixed: FixedSql, other: FixedSql) -> None:
    print(
        f"{what} [{reply.question.db_id}] {reply.question.question}\n  reply {' '.join(reply.sql.split())}\n"
        f"  fixed {fixed.sql}  {', '.join(fixed.fixes)}\n  other {other.sql}\n"
        f"  gold  {reply.question.gold_sql}"
    )


def table(counts: dict[str, Counts], sets: list[str]) -> Iterator[str]:
    """A row per fix; in the columns of the sets `+won −lost =neutral`."""
    yield "| fix | kind | won | lost | neutral | runs | " + " | ".join(sets) + " |"
    yield "|---|---|---:|---:|---:|---:|" + "---|" * len(sets)
    for fix in FIXES:
        if fix.name in counts:
            counted = counts[fix.name]
            per_set = [
                f"+{counter['won']} −{counter['lost']} ={counter['neutral']}" if counter else ""
                for counter in (counted.sets.get(name, Counter()) for name in sets)
            ]
            facts = [fix.name, fix.kind, counted.won, counted.lost, counted.neutral, counted.runs, *per_set]
            yield "| " + " | ".join(map(str, facts)) + " |"
    yield "Never applied: " + ", ".join(fix.name for fix in FIXES if fix.name not in counts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", type=Path, nargs="+")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--recordings", type=Path)
    source.add_argument("--references", action="store_true")
    parser.add_argument("--fixes", default="all", help="the fixes to judge, as in TEXT2SQL_FIXES")
    parser.add_argument(
        "--against", default="", help="another choice, to compare the number of right answers"
    )
    parser.add_argument("--size", choices=("small", "large"), default="small")
    parser.add_argument("--half", choices=HALVES, default="")
    parser.add_argument("--show", default="", help="print replies that a fix wins or loses: its name, or all")
    arguments = parser.parse_args()
    counts: dict[str, Counts] = defaultdict(Counts)
    lines = []
    for folder in arguments.sets:
        totals = measure(folder, replies_of(folder, arguments.recordings), arguments, counts)
        line = f"| {folder.name} | {totals.replies} | {totals.raw} | {totals.fixed} | {totals.changed} |"
        lines.append(f"{line} {totals.against} |" if arguments.against else line)
    print(
        "| set | replies | right raw | right with the fixes | spoiled |"
        + " against |" * bool(arguments.against)
    )
    print("|---|---:|---:|---:|---:|" + "---:|" * bool(arguments.against))
    print("\n".join(lines) + "\n")
    print("\n".join(table(counts, [folder.name for folder in arguments.sets])))


if __name__ == "__main__":
    main()
