"""Measure a report of forty placeholders in two languages on the demo shop. Five of them cannot be answered.

    python benchmarks/report_forty.py [--model local | openai:gpt-5-mini | scripted] [--keep DIRECTORY]

Three runs: with a model; with the lock file and no model; with the model after a column was renamed. For each
run and language: filled placeholders, those with the rows of the reference query, first-pass rate, repair
rate, failures, and the seconds of each stage. `--model scripted` returns the reference queries, so it shows
the cost without a model.
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

from reports.forty_questions import (  # noqa: E402
    CHINESE,
    FORTY,
    GOOD,
    HOPELESS,
    REPAIRED,
    TODAY,
    Model,
    silent,
    template_of,
)
from text2sql import AsyncText2SQL  # noqa: E402
from text2sql.config import Settings, from_environment  # noqa: E402
from text2sql.database.demo import build_demo  # noqa: E402
from text2sql.llm import AsyncChatModel, open_model  # noqa: E402
from text2sql.reports.build import Report  # noqa: E402
from text2sql.reports.outcomes import ReportOptions, Step  # noqa: E402
from text2sql.reports.schedule import job_of, run_job  # noqa: E402

RENAME = "ALTER TABLE payments RENAME COLUMN amount TO paid"
PAID = {
    "各支付方式的金额": "SELECT method, round(sum(paid), 2) FROM payments GROUP BY method ORDER BY method"
}
GOLD = {**GOOD, **{question: second for question, (_, second) in REPAIRED.items()}}
LANGUAGES = ("en", "zh")


def make_model(name: str, settings: Settings, more: Mapping[str, str]) -> AsyncChatModel:
    """`more`: additional replies of the scripted model."""
    if name == "scripted":
        return AsyncChatModel([Model(more).backend], settings)
    return open_model(name, settings)


async def run(template: Path, shop: Path, model: AsyncChatModel, settings: Settings) -> Report:
    def on_step(step: Step) -> None:
        print(f"\r  {step.stage} {step.done}/{step.total} ", end="", file=sys.stderr, flush=True)

    async with AsyncText2SQL(str(shop), settings=settings, model=model) as app:
        job = job_of(template, str(template.with_name("out.md")))
        report, _ = await run_job(job, app, ReportOptions(on_step=on_step), today=TODAY)
    print(file=sys.stderr)
    return report


def right_questions(report: Report, shop: Path, gold: Mapping[str, str]) -> set[str]:
    """Questions whose rows are those of the reference query, in any order."""
    right = set()
    with closing(sqlite3.connect(shop)) as connection:
        for outcome in report.answers.outcomes:
            question = outcome.item.question
            if outcome.answer is not None and question in gold:
                rows = connection.execute(gold[question]).fetchall()
                if sorted(map(_cells, rows)) == sorted(map(_cells, outcome.answer.rows)):
                    right.add(question)
    return right


def _cells(row: Sequence[Any]) -> list[str]:
    return [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row]


def counts_by_language(report: Report, right: set[str]) -> list[tuple[str, dict[str, Any]]]:
    rows = []
    for lang in (*LANGUAGES, "all"):
        outcomes = [outcome for outcome in report.answers.outcomes if lang in (outcome.item.language, "all")]
        answered = [outcome for outcome in outcomes if outcome.answer is not None]
        repaired = [outcome for outcome in outcomes if outcome.repaired]
        first_pass = [outcome for outcome in answered if not outcome.repaired and not outcome.errors]
        counts = {
            "questions": len(outcomes),
            "filled": len(answered),
            "right": sum(outcome.item.question in right for outcome in outcomes),
            "first pass": f"{len(first_pass)}/{len(outcomes)}",
            "repaired": f"{sum(outcome.answer is not None for outcome in repaired)}/{len(repaired)}",
            "failed": len(outcomes) - len(answered),
        }
        rows.append((lang, counts))
    return rows


def print_report(title: str, report: Report, right: set[str]) -> None:
    record = report.record
    print(f"\n{title}")
    for at, (lang, counts) in enumerate(counts_by_language(report, right)):
        if not at:
            print("      " + "".join(f"{name:>12}" for name in counts))
        print(f"  {lang:<4}" + "".join(f"{value!s:>12}" for value in counts.values()))
    seconds = {name: value for name, value in record["seconds"].items() if name != "query"}
    print("  seconds: " + ", ".join(f"{name} {value:.1f}" for name, value in seconds.items()))
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
        (f"with {name}", make_model(name, settings, {}), GOLD),
        ("with the lock file and no model", AsyncChatModel([silent()], settings), GOLD),
        (f"after a column was renamed, with {name}", make_model(name, settings, PAID), GOLD | PAID),
    ]
    chinese = len(CHINESE) + sum(not question.isascii() for question in FORTY if question not in GOOD)
    print(f"{len(FORTY)} placeholders, {chinese} of them in Chinese, {len(HOPELESS)} that cannot be answered")
    records = []
    for at, (title, model, gold) in enumerate(runs):
        if at == len(runs) - 1:
            with closing(sqlite3.connect(shop)) as connection:
                connection.execute(RENAME)
        report = await run(template, shop, model, settings)
        print_report(title, report, right_questions(report, shop, gold))
        records.append({"run": title, **report.record})
    (folder / "records.json").write_text(json.dumps(records, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="local")
    parser.add_argument("--keep", type=Path, help="folder for the report, its lock file and the records")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        asyncio.run(main(arguments.model, arguments.keep))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            asyncio.run(main(arguments.model, Path(temporary)))
