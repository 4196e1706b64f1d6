"""`text2sql stats`: usage statistics, without questions, queries or users."""

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.progress import stage_label
from text2sql.cli.table import aligned
from text2sql.config import Settings, from_environment
from text2sql.i18n import Language, cli_text, cli_texts
from text2sql.memory import Stats, open_memory
from text2sql.memory.location import memory_location
from text2sql.text_normalization import printable


def command(lang: Language) -> click.Command:
    return Command(
        "stats",
        lang,
        run,
        [
            option("--days", metavar="N", type=click.IntRange(min=1)),
            flag("--json", "as_json"),
        ],
    )


def run(lang: Language, *, days: int | None, as_json: bool) -> int:
    stats = read_stats(from_environment(), days)
    if as_json:
        echo_json({"days": days, **asdict(stats)})
    elif not stats.questions:
        click.echo(cli_text("stats.none" if days is None else "stats.none_lately", lang, days=days), err=True)
    else:
        click.echo("\n".join(lines(stats, lang)))
    return 0


def read_stats(settings: Settings, days: int | None) -> Stats:
    """Read the statistics without creating a memory file if there is none yet."""
    location = memory_location(settings)
    if isinstance(location, Path) and not location.exists():
        return Stats()

    async def numbers() -> Stats:
        async with open_memory(settings) as memory:
            return await memory.stats(days)

    return asyncio.run(numbers())


def lines(stats: Stats, lang: Language) -> Iterator[str]:
    rows = [
        (cli_text("stats.questions", lang), f"{stats.questions:,}"),
        *((f"  {_status(status, lang)}", _share(count, stats)) for status, count in stats.by_status.items()),
        (cli_text("stats.first_pass", lang), _rate(stats.first_pass_rate)),
        (cli_text("stats.repaired", lang), _rate(stats.repair_rate)),
        (cli_text("stats.calls", lang), _number(stats.calls_per_answer)),
        (cli_text("stats.tokens", lang), _number(stats.tokens_per_answer)),
        (cli_text("stats.statements", lang), f"{stats.statements:,}"),
    ]
    yield from aligned(rows)
    for heading, counted in (("stats.models", stats.by_model), ("stats.errors", stats.errors)):
        if counted:
            yield f"\n{cli_text(heading, lang)}"
            yield from aligned([(f"  {printable(name)}", f"{count:,}") for name, count in counted.items()])
    if stats.seconds:
        yield f"\n{cli_text('stats.seconds', lang)}"
        yield from aligned(
            [
                (f"  {stage_label(stage, lang)}", f"{spread.p50:8.2f}  {spread.p95:8.2f}")
                for stage, spread in stats.seconds.items()
            ]
        )


def _status(status: str, lang: Language) -> str:
    key = f"status.{status}"
    return cli_text(key, lang) if key in cli_texts() else printable(status)


def _share(count: int, stats: Stats) -> str:
    return f"{count:,}  ({count / stats.questions:.0%})"


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.0%}"


def _number(number: float | None) -> str:
    return "-" if number is None else f"{number:,.1f}"
