"""A lab for what makes answers right: one variant of prompt, rendering and decoding against another.

    python benchmarks/accuracy_lab.py run bare min min-hints     ask what has not been asked, then judge
    python benchmarks/accuracy_lab.py judge bare+ min+           judge what is there, with repairs (+)
    python benchmarks/accuracy_lab.py failures min+ [bare+]      what is wrong, or what two judge differently

The questions are a seeded subset of a tuning set (`--set DIR`, with `questions.json` and `databases/`), or of
other questions about its databases (`--questions FILE`). Every reply is kept under a digest of its request: a
run that was stopped goes on, and judging again, with other repairs say, costs no model call. Variants take
turns database by database, so that what there is at any time can be compared; only questions that all of
them have answered are counted. ACCURACY.md has what came out.
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
from text2sql.types import Catalog, CheckedSql, Limits, Message, ModelRequest, QueryResult, Table, ValueHit

SET = Path(__file__).parents[2] / "shared" / "bench" / "spider-train-600"
LIMITS = Limits(rows=100_000, seconds=10)
TRIED = Path(__file__).parent / "accuracy_prompts"
SHIPPED = Path(__file__).parent.parent / "src/text2sql/llm/prompts"


# -- What a database offers a variant ------------------------------------------------------------


class Place:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.database: Database = open_database(str(path))

    @cached_property
    def catalog(self) -> Catalog:
        return self.database.catalog()

    @cached_property
    def ddl(self) -> str:
        """As the engine has it."""
        with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True) as connection:
            found = connection.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL"
            )
            return "\n\n".join(sql for (sql,) in found)

    @cached_property
    def values(self) -> ValueIndex:
        tables = self.catalog.tables
        names = [one.name for one in tables] + [column.name for one in tables for column in one.columns]
        index = ValueIndex(names, self.catalog.default_schema)
        with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True) as connection:
            connection.text_factory = lambda data: data.decode(errors="replace")
            for table, columns in text_columns(self.catalog):
                for column in columns:
                    found = connection.execute(f'SELECT DISTINCT "{column}" FROM "{table.name}" LIMIT 20000')
                    index.add(table.name, column, [value for (value,) in found], complete=True)
        return index

    @cached_property
    def grammar(self) -> str:
        tables = {one.name: [column.name for column in one.columns] for one in self.catalog.tables}
        return sql_grammar("sqlite", tables)

    @cached_property
    def schema_context(self) -> SchemaContext:
        return replace(build(self.catalog), values=self.values)

    def repaired(self, sql: str, question: str) -> FixedSql:
        about = read_intent(question, self.schema_context)
        return fix_sql(sql, "sqlite", self.catalog, self.values, intent=about)

    def run(self, sql: str) -> QueryResult | str:
        """The rows, or what went wrong."""
        checked = check(sql, "sqlite", rows=LIMITS.rows)
        if not isinstance(checked, CheckedSql):
            return f"guard: {checked.rule}" if sql else "no query"
        try:
            return self.database.run(checked, LIMITS)
        except DatabaseError as error:
            return f"{error.kind}: {error.detail}"


# -- Variants ------------------------------------------------------------------------------------


def shipped(place: Place) -> str:
    return render(place.catalog)


def lines(place: Place) -> str:
    """A line a table: `singer(id pk, name 'Joe Sharp', sex 'F'|'M', age int, band_id -> band.id)`."""
    return "\n".join(_line(table) for table in place.catalog.tables)


def _line(table: Table) -> str:
    joined = {one.columns[0]: one for one in table.foreign_keys if len(one.columns) == 1 and one.referred}
    parts = []
    for column in table.columns:
        text = quoted(column.name) + (" pk" if table.primary_key == (column.name,) else "")
        shown = [one for one in column.samples if len(one) <= 24]
        shown = shown if len(column.samples) < 3 else shown[:1]
        if column.name in joined:
            other = joined[column.name]
            text += f" -> {quoted(other.table)}.{quoted(other.referred[0])}"
        elif shown:
            text += " " + "|".join("'" + one.replace("'", "''") + "'" for one in shown)
        elif not text.endswith(" pk") and kind(column.type) != "text":
            text += f" {kind(column.type)}"
        parts.append(text)
    return f"{quoted(table.name)}({', '.join(parts)})"


def lean_ddl(place: Place) -> str:
    """Shorter than shipped: no word for text, no type for keys, `references t` where it is t's key."""
    return "\n".join(
        _lean(one, place.catalog, "CREATE TABLE {} ({});", "primary key", "references")
        for one in place.catalog.tables
    )


def lean_line(place: Place) -> str:
    """The shortest: `plot(id pk, grower_id -> grower, sown date)`."""
    return "\n".join(_lean(one, place.catalog, "{}({})", "pk", "->") for one in place.catalog.tables)


def _lean(table: Table, catalog: Catalog, form: str, key: str, arrow: str) -> str:
    joined = {one.columns[0]: one for one in table.foreign_keys if len(one.columns) == 1 and one.referred}
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
            shown = [one for one in column.samples if len(one) <= 12] if len(column.samples) < 3 else []
            text += " /* " + ", ".join(f"'{one}'" for one in shown) + " */" if shown else ""
        parts.append(text)
    return form.format(quoted(table.name), ", ".join(parts))


def with_samples(place: Place) -> str:
    """As shipped, and two values of every text column."""
    tables = zip(place.catalog.tables, render(place.catalog).split("\n"), strict=True)
    return "\n".join(_sampled(table, line) for table, line in tables)


def _sampled(table: Table, line: str) -> str:
    for column in table.columns:
        shown = [one for one in column.samples if len(one) <= 20][:2]
        if len(column.samples) >= 3 and shown and kind(column.type) == "text":
            said = ", ".join("'" + one.replace("'", "''") + "'" for one in shown)
            before = f"{quoted(column.name)} text"
            line = line.replace(before, f"{before} /* {said} */", 1)
    return line


def in_lines(place: Place) -> str:
    """As shipped, a column a line, as most DDL that a model has read."""
    return "\n".join(
        re.sub(r"^(CREATE \w+ \S+) \((.*)\);", _broken, line) for line in render(place.catalog).split("\n")
    )


def _broken(line: re.Match[str]) -> str:
    columns = re.split(r", (?![^(]*\)|[^/]*\*/)", line[2])
    return f"{line[1]} (\n" + ",\n".join(columns) + "\n);"


def as_engines_print(place: Place) -> str:
    """With samples, a column a line, tables as they were made, foreign keys below the columns."""
    with sqlite3.connect(f"file:{place.path}?mode=ro", uri=True) as connection:
        made = [name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY rowid")]
    tables = sorted(place.catalog.tables, key=lambda one: made.index(one.name))
    return "\n".join(_printed(one) for one in tables)


def _printed(table: Table) -> str:
    lines = []
    for column in table.columns:
        line = f"{quoted(column.name)} {kind(column.type)}"
        line += " primary key" if table.primary_key == (column.name,) else ""
        shown = [one for one in column.samples if len(one) <= 20][:2] if kind(column.type) == "text" else []
        said = ", ".join("'" + one.replace("'", "''") + "'" for one in shown)
        lines.append(line + (f" /* {said} */" if said else ""))
    if len(table.primary_key) > 1:
        lines.append(f"primary key ({', '.join(map(quoted, table.primary_key))})")
    for key in table.foreign_keys:
        own, others = (", ".join(map(quoted, names)) for names in (key.columns, key.referred))
        lines.append(f"foreign key ({own}) references {quoted(key.table)}({others})")
    return f"CREATE TABLE {quoted(table.name)} (\n" + ",\n".join(lines) + "\n);"


def told(hits: list[ValueHit]) -> str:
    """Below the question, what of its words stands in the database: `singer.country = 'France'`."""
    return "".join(dict.fromkeys(f"\n{one.table}.{one.column} = '{one.value}'" for one in hits[:6]))


@dataclass(frozen=True)
class Variant:
    prompt: Path = SHIPPED / "generate_sql.md"
    schema: Callable[[Place], str] = shipped
    hints: bool = False
    grammar: bool = False
    candidates: int = 1
    repair: bool = False
    retry: str = ""

    def request(self, question: Question, place: Place) -> ModelRequest:
        template = string.Template(self.prompt.read_text(encoding="utf-8"))
        system = template.substitute(dialect="SQLite", schema=self.schema(place))
        asked = question.question + (told(place.values.find(question.question)) if self.hints else "")
        return ModelRequest(
            (Message("system", system), Message("user", asked)),
            max_tokens=256,
            candidates=self.candidates,
            stop=(";",),
            grammar=place.grammar if self.grammar else "",
            logprobs=self.candidates > 1,
            seconds=900,
        )


VARIANTS: dict[str, Variant] = {
    "bare": Variant(TRIED / "bare.md", lambda place: place.ddl),
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


def named(name: str) -> Variant:
    """`bare+` is `bare` with repairs; where it still fails, `bare+turn` asks once more with the failure as
    the next turn, `bare+prompt` with the shipped prompt for it.
    """
    plain, plus, retry = name.partition("+")
    return replace(VARIANTS[plain], repair=bool(plus), retry=retry)


# -- Asking, with every reply kept ---------------------------------------------------------------


class NotAsked(Exception):
    pass


class Replies:
    """`model` None: only what has been asked before."""

    def __init__(self, path: Path, model: AsyncChatModel | None) -> None:
        self._path, self._model = path, model
        self._kept: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                one = json.loads(line)
                self._kept[one["key"]] = one

    async def ask(self, request: ModelRequest) -> dict[str, Any]:
        asked = {
            name: value for name, value in asdict(request).items() if name not in ("tools", "begun")
        }  # none here
        key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        if key not in self._kept:
            if self._model is None:
                raise NotAsked
            reply = await self._model.ask(request)
            texts = [[one.text, one.finish, sum(t.logprob for t in one.tokens)] for one in reply.candidates]
            kept = {"key": key, "texts": texts, "usage": asdict(reply.usage)}
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(kept) + "\n")
            self._kept[key] = kept
        return self._kept[key]


@dataclass(frozen=True)
class Judged:
    question: Question
    sql: str
    verdict: str  # right, wrong, error
    detail: str
    among: bool  # whether any candidate is right
    prompt_tokens: int
    completion_tokens: int


async def answered(variant: Variant, question: Question, place: Place, replies: Replies) -> Judged:
    request = variant.request(question, place)
    reply = await replies.ask(request)
    written = [read_reply(text) for text, finish, _ in reply["texts"] if finish == "stop"]
    asked = question.question
    candidates = [place.repaired(sql, asked).sql if variant.repair else sql for sql in written]
    sql = vote(candidates, place) if candidates else ""
    result = place.run(sql)
    if variant.retry and isinstance(result, str):
        again = replace(
            request, messages=_again(variant, question, request, sql, result), candidates=1, logprobs=False
        )
        second = read_reply((await replies.ask(again))["texts"][0][0])
        second = place.repaired(second, asked).sql if variant.repair else second
        sql = second if not isinstance(place.run(second), str) else sql
    verdict, detail = judged(question, place, sql)
    among = verdict == "right" or any(judged(question, place, one)[0] == "right" for one in candidates)
    usage = reply["usage"]
    return Judged(
        question, sql, verdict, detail, among, usage["prompt_tokens"], usage["completion_tokens"]
    )  # fmt: skip


def _again(
    variant: Variant, question: Question, request: ModelRequest, sql: str, result: str
) -> tuple[Message, ...]:
    what, _, detail = result.partition(": ")
    if variant.retry == "turn":
        said = f"That fails: {detail or what}. Write the corrected query."
        return (*request.messages, Message("assistant", sql or "?"), Message("user", said))
    template = string.Template((SHIPPED / "repair_sql.md").read_text(encoding="utf-8"))
    asked = template.substitute(
        dialect="SQLite", question=question.question, sql=sql, kind=what, error=detail, guidance=""
    )
    return (request.messages[0], Message("user", asked))


def vote(candidates: list[str], place: Place) -> str:
    """The shortest query of the largest group that returns the same; errors last, empty ones count half."""
    groups: list[tuple[QueryResult, list[str]]] = []
    for sql in candidates:
        result = place.run(sql)
        if isinstance(result, str):
            continue
        found = next((group for kept, group in groups if same_result(kept, result)), None)
        if found is None:
            groups.append((result, [sql]))
        else:
            found.append(sql)
    if not groups:
        return candidates[0]
    weight = [len(group) * (1.0 if kept.rows else 0.5) for kept, group in groups]
    return min(groups[weight.index(max(weight))][1], key=len)


def judged(question: Question, place: Place, sql: str) -> tuple[str, str]:
    gold = place.run(question.gold_sql)
    if isinstance(gold, str):
        raise SystemExit(f"the reference of {question.id} does not run: {gold}")
    got = place.run(sql)
    if isinstance(got, str):
        return "error", got
    right = same_result(gold, got, ordered=is_ordered(question.gold_sql, "sqlite"))
    return ("right" if right else "wrong"), ""


def subset(file: Path, databases: int, each: int, seed: int) -> list[Question]:
    by_database: dict[str, list[Question]] = defaultdict(list)
    for one in read_questions(file):
        by_database[one.db_id].append(one)
    chance = random.Random(seed)
    enough = sorted(name for name, found in by_database.items() if len(found) >= each)
    names = sorted(chance.sample(enough, min(databases, len(enough))))
    return [one for name in names for one in chance.sample(by_database[name], each)]


async def measure(
    names: list[str], questions: list[Question], folder: Path, replies: Replies
) -> dict[str, dict[str, Judged]]:
    found: dict[str, dict[str, Judged]] = {name: {} for name in names}
    for db_id, group in groupby(questions, key=lambda one: one.db_id):
        asked = list(group)
        place = Place(asked[0].database(folder))
        for name in names:
            for question in asked:
                try:
                    found[name][question.id] = await answered(named(name), question, place, replies)
                except NotAsked:
                    continue
        print(db_id, file=sys.stderr)
        place.database.close()
    return found


# -- Telling -------------------------------------------------------------------------------------


def summarize(found: dict[str, dict[str, Judged]]) -> None:
    common = set.intersection(*(set(one) for one in found.values()))
    first = next(iter(found))
    print(f"{len(common)} questions that all of them have answered")
    for name, all_judged in found.items():
        held = [all_judged[one] for one in sorted(common)]
        if not held:
            continue
        right = share([one.verdict == "right" for one in held])
        ran = 1 - Counter(one.verdict for one in held)["error"] / len(held)
        won = sum(all_judged[a].verdict == "right" != found[first][a].verdict for a in common)
        lost = sum(found[first][a].verdict == "right" != all_judged[a].verdict for a in common)
        print(
            f"{name:16} right {right.count:3} = {right.value:5.1%} ({right.low:.0%} to {right.high:.0%})  "
            f"among the candidates {sum(one.among for one in held)}  executable {ran:.1%}  "
            f"prompt {sum(one.prompt_tokens for one in held) / len(held):.0f}  "
            f"written {sum(one.completion_tokens for one in held) / len(held):.0f}  "
            f"against {first} +{won} -{lost} p = {mcnemar(won, lost):.3f}"
        )


def failures(found: dict[str, dict[str, Judged]]) -> None:
    """Of one variant what is not right; of two, where their verdicts differ."""
    first, *others = found
    for number, one in found[first].items():
        against = [found[name][number] for name in others if number in found[name]]
        if not (any(other.verdict != one.verdict for other in against) if others else one.verdict != "right"):
            continue
        print(f"[{one.question.db_id} {number}] {one.question.question}\n   gold {one.question.gold_sql}")
        for name, each in zip(found, (one, *against), strict=False):
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
    parser.add_argument("--first", type=int, default=None, help="only so many questions")
    parser.add_argument("--threads", type=int, default=0, help="1 on a machine that others use too")
    given = parser.parse_args()
    given.out.mkdir(exist_ok=True)
    file = given.questions or given.set / "questions.json"
    questions = subset(file, given.databases, given.each, given.seed)[: given.first]
    kept = given.out / "replies.jsonl"
    if given.what == "run":
        patient = Settings(
            model_threads=given.threads, model_timeout=900, first_token_timeout=600, idle_timeout=300
        )
        async with open_model("local", patient) as model:
            found = await measure(given.variants, questions, given.set / "databases", Replies(kept, model))
    else:
        found = await measure(given.variants, questions, given.set / "databases", Replies(kept, None))
    for name, held in found.items():
        rows = [json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in held.values()]
        (given.out / f"{name}.jsonl").write_text("".join(rows), encoding="utf-8")
    if given.what == "failures":
        failures(found)
    else:
        summarize(found)


if __name__ == "__main__":
    asyncio.run(main())
