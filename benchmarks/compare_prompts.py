"""Compare variants of the prompt, the schema format and the decoding on the same questions.

    python benchmarks/compare_prompts.py run bare min min-hints     ask new questions, then judge
    python benchmarks/compare_prompts.py judge bare+ min+           judge recorded replies, with fixes (+)
    python benchmarks/compare_prompts.py failures min+ [bare+]      show wrong answers, or different verdicts

The questions are a seeded subset of a tuning set (`--set DIR`, with `questions.json` and `databases/`), or of
other questions about its databases (`--questions FILE`). Every reply is recorded under a digest of its
request, so a stopped run can be resumed, and judging again with other fixes costs no model call. Variants
alternate by database, so that the results of an unfinished run can be compared; only questions that all
variants have answered count. ACCURACY.md reports the results.
"""

import argparse
import asyncio
import hashlib
import json
import random
import re
import sqlite3
import string
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from text2sql.agents.question_reading import read_intent
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.errors import DatabaseError
from text2sql.evaluation.match import same_result
from text2sql.evaluation.questions import Question, read_questions
from text2sql.evaluation.report import mcnemar, share
from text2sql.llm import AsyncChatModel, open_model
from text2sql.llm.grammar import sql_grammar
from text2sql.schema import SchemaContext, ValueIndex, build, render, text_columns
from text2sql.schema.render import kind, quoted
from text2sql.sql import check, read_reply
from text2sql.sql.fixes import FixedSql, fix_sql
from text2sql.sql.query_features import is_ordered
from text2sql.types import (
    Catalog,
    CheckedSql,
    ForeignKey,
    Limits,
    Message,
    ModelRequest,
    QueryResult,
    Table,
    ValueHit,
)

SET = Path(__file__).parents[2] / "shared" / "bench" / "spider-train-600"
LIMITS = Limits(rows=100_000, seconds=10)
TRIED = Path(__file__).parent / "accuracy_prompts"
SHIPPED = Path(__file__).parent.parent / "src/text2sql/llm/prompts"


# -- Databases -----------------------------------------------------------------------------------


class BenchmarkDatabase:
    """A SQLite database with its catalog, DDL, values and grammar, each read once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection: Database = open_database(str(path))

    @cached_property
    def catalog(self) -> Catalog:
        return self.connection.catalog()

    @cached_property
    def ddl(self) -> str:
        """The statements as the engine stores them."""
        with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True) as connection:
            rows = connection.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL"
            )
            return "\n\n".join(sql for (sql,) in rows)

    @cached_property
    def values(self) -> ValueIndex:
        tables = self.catalog.tables
        known_names = [table.name for table in tables] + [
            column.name for table in tables for column in table.columns
        ]
        index = ValueIndex(known_names, self.catalog.default_schema)
        with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True) as connection:
            connection.text_factory = lambda data: data.decode(errors="replace")
            for table, columns in text_columns(self.catalog):
                for column in columns:
                    rows = connection.execute(f'SELECT DISTINCT "{column}" FROM "{table.name}" LIMIT 20000')
                    index.add(table.name, column, [value for (value,) in rows], complete=True)
        return index

    @cached_property
    def grammar(self) -> str:
        tables = {table.name: [column.name for column in table.columns] for table in self.catalog.tables}
        return sql_grammar("sqlite", tables)

    @cached_property
    def schema_context(self) -> SchemaContext:
        return replace(build(self.catalog), values=self.values)

    def fixed(self, sql: str, question: str) -> FixedSql:
        intent = read_intent(question, self.schema_context)
        return fix_sql(sql, "sqlite", self.catalog, self.values, intent=intent)

    def run(self, sql: str) -> QueryResult | str:
        """The rows, or the error."""
        checked = check(sql, "sqlite", rows=LIMITS.rows)
        if not isinstance(checked, CheckedSql):
            return f"guard: {checked.rule}" if sql else "no query"
        try:
            return self.connection.run(checked, LIMITS)
        except DatabaseError as error:
            return f"{error.kind}: {error.detail}"


# -- Variants ------------------------------------------------------------------------------------


def shipped(database: BenchmarkDatabase) -> str:
    return render(database.catalog)


def lines(database: BenchmarkDatabase) -> str:
    """One line per table: `singer(id pk, name 'Joe Sharp', sex 'F'|'M', age int, band_id -> band.id)`."""
    return "\n".join(_line(table) for table in database.catalog.tables)


def _foreign_keys(table: Table) -> dict[str, ForeignKey]:
    """The foreign keys of one column, by that column."""
    return {key.columns[0]: key for key in table.foreign_keys if len(key.columns) == 1 and key.referred}


def _line(table: Table) -> str:
    joined = _foreign_keys(table)
    parts = []
    for column in table.columns:
        text = quoted(column.name) + (" pk" if table.primary_key == (column.name,) else "")
        shown = [sample for sample in column.samples if len(sample) <= 24]
        shown = shown if len(column.samples) < 3 else shown[:1]
        if column.name in joined:
            other = joined[column.name]
            text += f" -> {quoted(other.table)}.{quoted(other.referred[0])}"
        elif shown:
            text += " " + "|".join("'" + sample.replace("'", "''") + "'" for sample in shown)
        elif not text.endswith(" pk") and kind(column.type) != "text":
            text += f" {kind(column.type)}"
        parts.append(text)
    return f"{quoted(table.name)}({', '.join(parts)})"


def lean_ddl(database: BenchmarkDatabase) -> str:
    """Shorter than shipped: no type for text and keys, `references t` if the primary key of t is meant."""
    return "\n".join(
        _lean(table, database.catalog, "CREATE TABLE {} ({});", "primary key", "references")
        for table in database.catalog.tables
    )


def lean_line(database: BenchmarkDatabase) -> str:
    """The shortest: `plot(id pk, grower_id -> grower, sown date)`."""
    return "\n".join(
        _lean(table, database.catalog, "{}({})", "pk", "->") for table in database.catalog.tables
    )


def _lean(table: Table, catalog: Catalog, form: str, key: str, arrow: str) -> str:
    joined = _foreign_keys(table)
    parts = []
    for column in table.columns:
        text = quoted(column.name)
        if table.primary_key == (column.name,):
            text += f" {key}"
        if column.name in joined:
            other = joined[column.name]
            target = catalog.table(other.table)
            own = target is not None and target.primary_key == other.referred
            text += f" {arrow} {quoted(other.table)}" + ("" if own else f"({quoted(other.referred[0])})")
        elif table.primary_key != (column.name,):
            short = kind(column.type)
            text += f" {short}" if short != "text" else ""
            shown = (
                [sample for sample in column.samples if len(sample) <= 12] if len(column.samples) < 3 else []
            )
            text += " /* " + ", ".join(f"'{sample}'" for sample in shown) + " */" if shown else ""
        parts.append(text)
    return form.format(quoted(table.name), ", ".join(parts))


def with_samples(database: BenchmarkDatabase) -> str:
    """As shipped, with two values of every text column."""
    tables = zip(database.catalog.tables, render(database.catalog).split("\n"), strict=True)
    return "\n".join(_sampled(table, line) for table, line in tables)


def _sampled(table: Table, line: str) -> str:
    for column in table.columns:
        shown = [value for value in column.samples if len(value) <= 20][:2]
        if len(column.samples) >= 3 and shown and kind(column.type) == "text":
            samples = ", ".join("'" + value.replace("'", "''") + "'" for value in shown)
            before = f"{quoted(column.name)} text"
            line = line.replace(before, f"{before} /* {samples} */", 1)
    return line


def in_lines(database: BenchmarkDatabase) -> str:
    """As shipped, with one column per line, as in most DDL of the training data."""
    return "\n".join(
        re.sub(r"^(CREATE \w+ \S+) \((.*)\);", _broken, line) for line in render(database.catalog).split("\n")
    )


def _broken(line: re.Match[str]) -> str:
    columns = re.split(r", (?![^(]*\)|[^/]*\*/)", line[2])
    return f"{line[1]} (\n" + ",\n".join(columns) + "\n);"


def as_engines_print(database: BenchmarkDatabase) -> str:
    """With samples, one column per line, tables in creation order, foreign keys below the columns."""
    with sqlite3.connect(f"file:{database.path}?mode=ro", uri=True) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY rowid")]
    tables = sorted(database.catalog.tables, key=lambda table: names.index(table.name))
    return "\n".join(_printed(table) for table in tables)


def _printed(table: Table) -> str:
    lines = []
    for column in table.columns:
        line = f"{quoted(column.name)} {kind(column.type)}"
        line += " primary key" if table.primary_key == (column.name,) else ""
        shown = (
            [value for value in column.samples if len(value) <= 20][:2] if kind(column.type) == "text" else []
        )
        samples = ", ".join("'" + value.replace("'", "''") + "'" for value in shown)
        lines.append(line + (f" /* {samples} */" if samples else ""))
    if len(table.primary_key) > 1:
        lines.append(f"primary key ({', '.join(map(quoted, table.primary_key))})")
    for key in table.foreign_keys:
        own, others = (", ".join(map(quoted, names)) for names in (key.columns, key.referred))
        lines.append(f"foreign key ({own}) references {quoted(key.table)}({others})")
    return f"CREATE TABLE {quoted(table.name)} (\n" + ",\n".join(lines) + "\n);"


def hint_lines(hits: list[ValueHit]) -> str:
    """Values of the database that the question mentions, as lines: `singer.country = 'France'`."""
    return "".join(dict.fromkeys(f"\n{hit.table}.{hit.column} = '{hit.value}'" for hit in hits[:6]))


@dataclass(frozen=True)
class Variant:
    prompt: Path = SHIPPED / "generate_sql.md"
    schema: Callable[[BenchmarkDatabase], str] = shipped
    hints: bool = False
    grammar: bool = False
    candidates: int = 1
    repair: bool = False
    retry: str = ""

    def request(self, question: Question, database: BenchmarkDatabase) -> ModelRequest:
        template = string.Template(self.prompt.read_text(encoding="utf-8"))
        system = template.substitute(dialect="SQLite", schema=self.schema(database))
        text = question.question + (hint_lines(database.values.find(question.question)) if self.hints else "")
        return ModelRequest(
            (Message("system", system), Message("user", text)),
            max_tokens=256,
            candidates=self.candidates,
            stop=(";",),
            grammar=database.grammar if self.grammar else "",
            logprobs=self.candidates > 1,
            seconds=900,
        )


VARIANTS: dict[str, Variant] = {
    "bare": Variant(TRIED / "bare.md", lambda database: database.ddl),
    "bare-ddl": Variant(TRIED / "bare.md"),
    "bare-line": Variant(TRIED / "bare.md", lines),
    "few-ddl": Variant(TRIED / "few.md"),
    "few-ddl-hints": Variant(TRIED / "few.md", hints=True),
    "shots-line": Variant(TRIED / "shots.md", lines),
    "min": Variant(TRIED / "min.md"),
    "min-hints": Variant(TRIED / "min.md", hints=True),
    "min-shots": Variant(TRIED / "min-shots.md"),
    "min-samples": Variant(TRIED / "min.md", with_samples),
    "min-lines": Variant(TRIED / "min.md", in_lines),
    "min-engine": Variant(TRIED / "min.md", as_engines_print),
    "min-grammar": Variant(TRIED / "min.md", grammar=True),
    "lean-ddl": Variant(TRIED / "min.md", lean_ddl),
    "lean-line": Variant(TRIED / "min.md", lean_line),
    "lean-ddl-grammar": Variant(TRIED / "min.md", lean_ddl, grammar=True),
    "min-4": Variant(TRIED / "min.md", candidates=4),
    "shipped": Variant(),
}


def variant_of(name: str) -> Variant:
    """`bare+` is `bare` with fixes. If the query still fails, `bare+turn` asks once more with the error
    as the next turn, and `bare+prompt` with the shipped repair prompt.
    """
    plain, plus, retry = name.partition("+")
    return replace(VARIANTS[plain], repair=bool(plus), retry=retry)


# -- Recorded replies ----------------------------------------------------------------------------


class NotAsked(Exception):
    pass


class Replies:
    """Replies of the model, recorded in a file. Without a model, only recorded replies are returned."""

    def __init__(self, path: Path, model: AsyncChatModel | None) -> None:
        self._path, self._model = path, model
        self._replies: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                reply = json.loads(line)
                self._replies[reply["key"]] = reply

    async def ask(self, request: ModelRequest) -> dict[str, Any]:
        fields = {
            name: value for name, value in asdict(request).items() if name not in ("tools", "begun")
        }  # none here
        key = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
        if key not in self._replies:
            if self._model is None:
                raise NotAsked
            reply = await self._model.ask(request)
            texts = [
                [candidate.text, candidate.finish, sum(t.logprob for t in candidate.tokens)]
                for candidate in reply.candidates
            ]
            record = {"key": key, "texts": texts, "usage": asdict(reply.usage)}
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record) + "\n")
            self._replies[key] = record
        return self._replies[key]


@dataclass(frozen=True)
class Outcome:
    question: Question
    sql: str
    verdict: str  # right, wrong, error
    detail: str
    among: bool  # whether any candidate is right
    prompt_tokens: int
    completion_tokens: int


async def outcome_of(
    variant: Variant, question: Question, database: BenchmarkDatabase, replies: Replies
) -> Outcome:
    request = variant.request(question, database)
    reply = await replies.ask(request)
    written = [read_reply(text) for text, finish, _ in reply["texts"] if finish == "stop"]
    text = question.question
    candidates = [database.fixed(sql, text).sql if variant.repair else sql for sql in written]
    sql = vote(candidates, database) if candidates else ""
    result = database.run(sql)
    if variant.retry and isinstance(result, str):
        retry_request = replace(
            request, messages=_again(variant, question, request, sql, result), candidates=1, logprobs=False
        )
        corrected = read_reply((await replies.ask(retry_request))["texts"][0][0])
        corrected = database.fixed(corrected, text).sql if variant.repair else corrected
        sql = corrected if not isinstance(database.run(corrected), str) else sql
    verdict, detail = verdict_of(question, database, sql)
    among = verdict == "right" or any(
        verdict_of(question, database, candidate)[0] == "right" for candidate in candidates
    )
    usage = reply["usage"]
    return Outcome(
        question, sql, verdict, detail, among, usage["prompt_tokens"], usage["completion_tokens"]
    )  # fmt: skip


def _again(
    variant: Variant, question: Question, request: ModelRequest, sql: str, result: str
) -> tuple[Message, ...]:
    what, _, detail = result.partition(": ")
    if variant.retry == "turn":
        message = f"That fails: {detail or what}. Write the corrected query."
        return (*request.messages, Message("assistant", sql or "?"), Message("user", message))
    template = string.Template((SHIPPED / "repair_sql.md").read_text(encoding="utf-8"))
    message = template.substitute(
        dialect="SQLite", question=question.question, sql=sql, kind=what, error=detail, guidance=""
    )
    return (request.messages[0], Message("user", message))


def vote(candidates: list[str], database: BenchmarkDatabase) -> str:
    """The shortest query of the largest group with the same result. Empty results count half."""
    groups: list[tuple[QueryResult, list[str]]] = []
    for sql in candidates:
        result = database.run(sql)
        if isinstance(result, str):
            continue
        same_group = next(
            (group for representative, group in groups if same_result(representative, result)), None
        )
        if same_group is None:
            groups.append((result, [sql]))
        else:
            same_group.append(sql)
    if not groups:
        return candidates[0]
    weight = [len(group) * (1.0 if representative.rows else 0.5) for representative, group in groups]
    return min(groups[weight.index(max(weight))][1], key=len)


def verdict_of(question: Question, database: BenchmarkDatabase, sql: str) -> tuple[str, str]:
    gold = database.run(question.gold_sql)
    if isinstance(gold, str):
        raise SystemExit(f"the reference of {question.id} does not run: {gold}")
    result = database.run(sql)
    if isinstance(result, str):
        return "error", result
    right = same_result(gold, result, ordered=is_ordered(question.gold_sql, "sqlite"))
    return ("right" if right else "wrong"), ""


def subset(file: Path, databases: int, each: int, seed: int) -> list[Question]:
    by_database: dict[str, list[Question]] = defaultdict(list)
    for question in read_questions(file):
        by_database[question.db_id].append(question)
    chance = random.Random(seed)
    enough = sorted(name for name, entries in by_database.items() if len(entries) >= each)
    names = sorted(chance.sample(enough, min(databases, len(enough))))
    return [question for name in names for question in chance.sample(by_database[name], each)]


async def measure(
    names: list[str], questions: list[Question], folder: Path, replies: Replies
) -> dict[str, dict[str, Outcome]]:
    outcomes: dict[str, dict[str, Outcome]] = {name: {} for name in names}
    for db_id, group in groupby(questions, key=lambda question: question.db_id):
        batch = list(group)
        database = BenchmarkDatabase(batch[0].database(folder))
        for name in names:
            for question in batch:
                try:
                    outcomes[name][question.id] = await outcome_of(
                        variant_of(name), question, database, replies
                    )
                except NotAsked:
                    continue
        print(db_id, file=sys.stderr)
        database.connection.close()
    return outcomes


# -- Reports -------------------------------------------------------------------------------------


def summarize(outcomes: dict[str, dict[str, Outcome]]) -> None:
    common = set.intersection(*(set(outcome) for outcome in outcomes.values()))
    first = next(iter(outcomes))
    print(f"{len(common)} questions that all variants have answered")
    for name, by_question in outcomes.items():
        answers = [by_question[outcome] for outcome in sorted(common)]
        if not answers:
            continue
        right = share([outcome.verdict == "right" for outcome in answers])
        ran = 1 - Counter(outcome.verdict for outcome in answers)["error"] / len(answers)
        won = sum(by_question[a].verdict == "right" != outcomes[first][a].verdict for a in common)
        lost = sum(outcomes[first][a].verdict == "right" != by_question[a].verdict for a in common)
        print(
            f"{name:16} right {right.count:3} = {right.value:5.1%} ({right.low:.0%} to {right.high:.0%})  "
            f"among the candidates {sum(outcome.among for outcome in answers)}  executable {ran:.1%}  "
            f"prompt {sum(outcome.prompt_tokens for outcome in answers) / len(answers):.0f}  "
            f"written {sum(outcome.completion_tokens for outcome in answers) / len(answers):.0f}  "
            f"against {first} +{won} -{lost} p = {mcnemar(won, lost):.3f}"
        )


def failures(outcomes: dict[str, dict[str, Outcome]]) -> None:
    """Print the wrong answers of one variant, or the different verdicts of several."""
    first, *others = outcomes
    for number, outcome in outcomes[first].items():
        compared = [outcomes[name][number] for name in others if number in outcomes[name]]
        if not (
            any(other.verdict != outcome.verdict for other in compared)
            if others
            else outcome.verdict != "right"
        ):
            continue
        question = outcome.question
        print(f"[{question.db_id} {number}] {question.question}\n   gold {question.gold_sql}")
        for name, each in zip(outcomes, (outcome, *compared), strict=False):
            print(f"   {name}: {each.verdict} {each.detail}\n      {' '.join(each.sql.split())}")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("run", "judge", "failures"))
    parser.add_argument("variants", nargs="+")
    parser.add_argument("--set", type=Path, default=SET)
    parser.add_argument("--questions", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "text2sql-lab")
    parser.add_argument("--databases", type=int, default=25)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=None, help="number of questions")
    parser.add_argument("--threads", type=int, default=0, help="1 on a shared machine")
    arguments = parser.parse_args()
    arguments.out.mkdir(exist_ok=True)
    file = arguments.questions or arguments.set / "questions.json"
    questions = subset(file, arguments.databases, arguments.each, arguments.seed)[: arguments.first]
    replies_file = arguments.out / "replies.jsonl"
    if arguments.what == "run":
        settings = Settings(
            model_threads=arguments.threads, model_timeout=900, first_token_timeout=600, idle_timeout=300
        )
        async with open_model("local", settings) as model:
            outcomes = await measure(
                arguments.variants, questions, arguments.set / "databases", Replies(replies_file, model)
            )
    else:
        outcomes = await measure(
            arguments.variants, questions, arguments.set / "databases", Replies(replies_file, None)
        )
    for name, by_question in outcomes.items():
        rows = [json.dumps(asdict(outcome), ensure_ascii=False) + "\n" for outcome in by_question.values()]
        (arguments.out / f"{name}.jsonl").write_text("".join(rows), encoding="utf-8")
    if arguments.what == "failures":
        failures(outcomes)
    else:
        summarize(outcomes)


if __name__ == "__main__":
    asyncio.run(main())
