"""A report of forty placeholders in two languages, five of which cannot work, on the demo's shop.

    python benchmarks/report_forty.py [--model local | openai:gpt-5-mini | scripted] [--keep DIRECTORY]

Three runs, as its life would have them: with a model; with the lock file and no model at all; after a column
was renamed, with the model again. Of each, by language: how many placeholders were filled, how many of those
show what the question's own query shows, first-pass rate, repair rate, failures; and the seconds of stages.
`scripted` is the model of the tests, which knows what to write: it shows what the machinery costs by itself.
"""

import argparse
import asyncio
import json
import sqlite3
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from reports.asking import CHINESE, FORTY, GOOD, HOPELESS, MENDED, TODAY, Model, silent, template_of  # noqa: E402
from text2sql import AsyncText2SQL  # noqa: E402
from text2sql.config import Settings, from_environment  # noqa: E402
from text2sql.database.demo import build_demo  # noqa: E402
from text2sql.llm import AsyncChatModel, open_model  # noqa: E402
from text2sql.reports.answer_placeholders import Step, Terms  # noqa: E402
from text2sql.reports.build import Report  # noqa: E402
from text2sql.reports.schedule import do, job_of  # noqa: E402

RENAME = "ALTER TABLE payments RENAME COLUMN amount TO paid"
PAID = {
    "各支付方式的金额": "SELECT method, round(sum(paid), 2) FROM payments GROUP BY method ORDER BY method"
}
GOLD = {**GOOD, **{question: second for question, (_, second) in MENDED.items()}}
LANGUAGES = ("en", "zh")


def chosen(name: str, settings: Settings, more: Mapping[str, str]) -> AsyncChatModel:
    """`more` is what the scripted one knows besides."""
    if name == "scripted":
        return AsyncChatModel([Model(more).backend], settings)
    return open_model(name, settings)


async def run(template: Path, shop: Path, model: AsyncChatModel, settings: Settings) -> Report:
    def told(step: Step) -> None:
        print(f"\r  {step.stage} {step.done}/{step.total} ", end="", file=sys.stderr, flush=True)

    async with AsyncText2SQL(str(shop), settings=settings, model=model) as app:
        job = job_of(template, str(template.with_name("out.md")))
        report, _ = await do(job, app, Terms(told=told), today=TODAY)
    print(file=sys.stderr)
    return report


def shown_right(report: Report, shop: Path, gold: Mapping[str, str]) -> set[str]:
    """Questions whose rows are those of their own query, in any order."""
    found = set()
    with closing(sqlite3.connect(shop)) as connection:
        for one in report.filled.outcomes:
            if one.answer is not None and one.item.question in gold:
                rows = connection.execute(gold[one.item.question]).fetchall()
                if sorted(map(_cells, rows)) == sorted(map(_cells, one.answer.rows)):
                    found.add(one.item.question)
    return found


def _cells(row: Sequence[Any]) -> list[str]:
    return [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]


def figures(report: Report, right: set[str]) -> list[tuple[str, dict[str, Any]]]:
    """In the terms of the record, by language and together."""
    rows = []
    for lang in (*LANGUAGES, "all"):
        some = [one for one in report.filled.outcomes if lang in (one.item.language, "all")]
        done = [one for one in some if one.answer is not None]
        tried = [one for one in some if one.repaired]
        told = {
            "questions": len(some),
            "filled": len(done),
            "right": sum(one.item.question in right for one in some),
            "first pass": _share(sum(not one.repaired and not one.errors for one in done), len(some)),
            "repaired": _share(sum(one.answer is not None for one in tried), len(tried)),
            "failed": len(some) - len(done),
        }
        rows.append((lang, told))
    return rows


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole}"


def tell(title: str, report: Report, right: set[str]) -> None:
    record = report.record
    print(f"\n{title}")
    for at, (lang, told) in enumerate(figures(report, right)):
        if not at:
            print("      " + "".join(f"{name:>12}" for name in told))
        print(f"  {lang:<4}" + "".join(f"{value!s:>12}" for value in told.values()))
    spent = {name: value for name, value in record["seconds"].items() if name != "query"}
    print("  seconds: " + ", ".join(f"{name} {value:.1f}" for name, value in spent.items()))
    print(f"  origins: {record['origins']}; errors: {record['errors']}")
    print(
        f"  {record['statements']} statements, {record['connections']} connections, "
        f"{record['model']['calls']} calls of {record['model']['name'] or 'no model'}"
    )


async def main(name: str, folder: Path) -> None:
    settings = from_environment({"TEXT2SQL_MEMORY": "none", "TEXT2SQL_REQUESTS_PER_MINUTE": "0"})
    shop = build_demo(folder / "shop.db")
    text = "\n\n".join(f"{at}. {{{{ {question} }}}}" for at, question in enumerate(FORTY, 1))
    template = template_of(folder, text)
    runs: list[tuple[str, AsyncChatModel, Mapping[str, str]]] = [
        (f"with {name}", chosen(name, settings, {}), GOLD),
        ("with the lock file and no model", AsyncChatModel([silent()], settings), GOLD),
        (f"after a column was renamed, with {name}", chosen(name, settings, PAID), GOLD | PAID),
    ]
    chinese = len(CHINESE) + sum(not question.isascii() for question in FORTY if question not in GOOD)
    print(f"{len(FORTY)} placeholders, {chinese} of them in Chinese, {len(HOPELESS)} that cannot work")
    records = []
    for at, (title, model, gold) in enumerate(runs):
        if at == len(runs) - 1:
            with closing(sqlite3.connect(shop)) as connection:
                connection.execute(RENAME)
        report = await run(template, shop, model, settings)
        tell(title, report, shown_right(report, shop, gold))
        records.append({"run": title, **report.record})
    (folder / "records.json").write_text(json.dumps(records, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="local")
    parser.add_argument("--keep", type=Path, help="where the report, its lock file and the records are left")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
        asyncio.run(main(given.model, given.keep))
    else:
        with tempfile.TemporaryDirectory() as place:
            asyncio.run(main(given.model, Path(place)))
