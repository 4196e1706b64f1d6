"""Render answers and receipts for the terminal.

Text from models, databases and users passes through `printable` and is never interpreted as markup.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import IO, TypeAlias

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from text2sql.cli.charting import chart_text
from text2sql.cli.table import ROWS, Space, omission_notes, rows_table
from text2sql.i18n import Language, cli_text, say, sentences
from text2sql.text_normalization import printable
from text2sql.types import Answer, Certainty, Receipt, Row, Shared

Part: TypeAlias = Text | Table

EVERYTHING = 100_000  # console width for files and pipes, where nothing is cut


def screen(stream: IO[str] | None = None) -> Console:
    """A console, for standard output by default. Markup, emoji codes and highlighting are off, because the
    text is untrusted.
    """
    stream = stream or sys.stdout
    width = None if stream.isatty() else EVERYTHING
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


def available_space(console: Console) -> Space:
    return Space(console.width, ROWS) if console.is_terminal else Space()


def show(console: Console, parts: Iterable[Part]) -> None:
    for part in parts:
        # A table is cut to the screen. The terminal itself wraps sentences, so they can be copied as a whole.
        console.print(part, soft_wrap=not isinstance(part, Table))


def lines_of(text: str) -> str:
    """Make each line of a text printable."""
    return "\n".join(printable(line) for line in text.splitlines())


def sql_text(sql: str) -> Text:
    highlighted = Syntax("", "sql", theme="ansi_dark").highlight(lines_of(sql))
    highlighted.rstrip()
    return highlighted


# -- Answers -------------------------------------------------------------------------------------


def answer_parts(
    answer: Answer, lang: Language, space: Space, *, receipt: str = "line", sketch: bool = True
) -> list[Part]:
    """The parts of an answer. `receipt` is "line", "whole" or empty. Charts are sketched on screens only."""
    parts: list[Part] = [sql_text(answer.sql)] if answer.sql else []
    if answer.columns:
        parts += rows_parts(answer.labels or answer.columns, answer.rows, answer.truncated, lang, space)
    if sketch and answer.chart and space.width is not None and len(answer.rows) > 1:
        parts.append(Text(lines_of(chart_text(answer, lang, space.width)), style="cyan"))
    parts += sentence_parts(answer, lang)
    if receipt == "whole":
        parts.append(Text("\n".join(receipt_lines(answer.receipt, lang)), style="dim"))
    elif receipt:
        parts.append(Text(receipt_line(answer.receipt, lang), style="dim"))
    return parts


def rows_parts(
    columns: tuple[str, ...], rows: tuple[Row, ...], truncated: bool, lang: Language, space: Space
) -> list[Part]:
    notes = omission_notes(len(columns), len(rows), truncated, space, lang)
    return [rows_table(columns, rows, space), *(Text(f"… {note}", style="dim") for note in notes)]


def sentence_parts(answer: Answer, lang: Language) -> list[Part]:
    problem = answer.error
    sentence = lines_of(answer.answer or (problem.message if problem else ""))
    style = {"failed": "red", "refused": "red", "confirm": "yellow"}.get(answer.status, "bold")
    parts = [Text(sentence, style=style)] if sentence else []
    if answer.receipt.certainty:
        parts.append(certainty_text(answer.receipt.certainty, lang))
    if problem and problem.hint:
        parts.append(Text(lines_of(problem.hint)))
    parts += [
        Text(f"  {number}. {printable(choice.label)}") for number, choice in enumerate(answer.choices, 1)
    ]
    if answer.choices:
        parts.append(Text(cli_text("ask.choose", lang), style="dim"))
    return list(parts)


def certainty_text(certainty: Certainty, lang: Language) -> Text:
    style = {"sure": "green", "probably": "yellow", "not_sure": "red"}[certainty]
    return Text(f"{cli_text('receipt.certainty', lang)}: {say(f'certainty.{certainty}', lang)}", style=style)


# -- Receipts ------------------------------------------------------------------------------------


def receipt_line(receipt: Receipt, lang: Language) -> str:
    """The short receipt: model, cost, checks and tables in one line."""
    usage = receipt.usage
    pieces = [receipt.model] if receipt.model else []
    if usage.calls:
        tokens = usage.prompt_tokens + usage.completion_tokens
        pieces.append(cli_text("receipt.calls", lang, calls=usage.calls, tokens=tokens))
    pieces.append(cli_text("receipt.time", lang, seconds=sum(receipt.seconds.values())))
    if receipt.checks:
        pieces.append(" ".join(f"{_check(check, lang)} ✓" for check in receipt.checks))
    if receipt.tables:
        pieces.append(", ".join(receipt.tables))
    if receipt.repairs:
        pieces.append(cli_text("receipt.repaired", lang, repairs=", ".join(receipt.repairs)))
    if receipt.shared.location == "hosted":
        shared = receipt.shared
        pieces.append(cli_text("receipt.sent", lang, columns=len(shared.columns), rows=shared.rows))
    return printable(" · ".join(pieces))


def _check(name: str, lang: Language) -> str:
    return say(f"check.{name}", lang) if f"check.{name}" in sentences() else name


def _fix(name: str, lang: Language) -> str:
    """What a fix did, as a sentence."""
    return say(f"fix.{name}", lang) if f"fix.{name}" in sentences() else name


def receipt_lines(receipt: Receipt, lang: Language) -> list[str]:
    """The full receipt, one fact per line, without empty ones."""
    usage, kind = receipt.usage, receipt.classification
    facts: Mapping[str, object] = {
        "model": receipt.model,
        "usage": cli_text("receipt.cost", lang, **asdict(usage)) if usage.calls else "",
        "kind": cli_text("receipt.classification", lang, **asdict(kind)),
        "mode": f"{receipt.mode} / {receipt.preset}",
        "dialect": receipt.dialect,
        "tables": ", ".join(receipt.tables),
        "values": ", ".join(
            f"“{hit.said}” = {hit.table}.{hit.column} '{hit.value}'" for hit in receipt.values
        ),
        "assumptions": "; ".join(receipt.assumptions),
        "checks": ", ".join(_check(check, lang) for check in receipt.checks),
        "repairs": "; ".join(_fix(name, lang) for name in receipt.repairs),
        "shared": shared_text(receipt.shared, lang),
        "path": " → ".join(receipt.path),
        "seconds": ", ".join(f"{stage} {spent:.2f}" for stage, spent in receipt.seconds.items()),
        "attempts": receipt.attempts,
        "statements": receipt.statements,
        "certainty": say(f"certainty.{receipt.certainty}", lang) if receipt.certainty else "",
        "confidence": "" if receipt.confidence is None else f"{receipt.confidence:.0%}",
        "taken_for": receipt.taken_for,
        "errors": "; ".join(f"{error.stage}: {error.kind}: {error.detail}" for error in receipt.errors),
    }
    return [
        f"{cli_text(f'receipt.{name}', lang)}: {printable(str(fact))}"
        for name, fact in facts.items()
        if fact != ""
    ]


def shared_text(shared: Shared, lang: Language) -> str:
    """The database values that were disclosed to a model; empty if no model was called."""
    if not shared.location:
        return ""
    if shared.location == "local":
        return cli_text("receipt.shared.local", lang)
    if not shared.columns and not shared.rows:
        return cli_text("receipt.shared.nothing", lang)
    return cli_text("receipt.shared.values", lang, columns=", ".join(shared.columns), rows=shared.rows)
