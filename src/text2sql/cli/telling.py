"""An answer as a terminal shows it. Values in, text out: nothing here asks or decides.

Whatever a model, a database or a person wrote goes through `printable`, and none of it is markup.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import IO, TypeAlias

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from text2sql.cli.charting import sketched
from text2sql.cli.grid import ROWS, Room, grid, left_out
from text2sql.cli.rendering import printable
from text2sql.cli.words import word
from text2sql.messages import Language
from text2sql.types import Answer, Receipt, Row

Part: TypeAlias = Text | Table

EVERYTHING = 100_000  # columns of a page that nobody cuts


def screen(stream: IO[str] | None = None) -> Console:
    """Standard output unless told. Markup, emoji codes and highlighting are off: the text is not ours."""
    stream = stream or sys.stdout
    width = None if stream.isatty() else EVERYTHING
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


def room_of(console: Console) -> Room:
    return Room(console.width, ROWS) if console.is_terminal else Room()


def show(console: Console, parts: Iterable[Part]) -> None:
    for part in parts:
        # A table is cut to the screen; a sentence is left to the terminal, so that it can be copied whole.
        console.print(part, soft_wrap=not isinstance(part, Table))


def lines_of(text: str) -> str:
    """Text of several lines, each of them harmless."""
    return "\n".join(printable(line) for line in text.splitlines())


def sql_text(sql: str) -> Text:
    painted = Syntax("", "sql", theme="ansi_dark").highlight(lines_of(sql))
    painted.rstrip()
    return painted


# -- an answer -----------------------------------------------------------------------------------


def answer_parts(
    answer: Answer, lang: Language, room: Room, *, receipt: str = "line", sketch: bool = True
) -> list[Part]:
    """`receipt` is "line", "whole" or empty. A sketch is for a screen: a file has the numbers."""
    parts: list[Part] = [sql_text(answer.sql)] if answer.sql else []
    if answer.columns:
        parts += rows_parts(answer.columns, answer.rows, answer.truncated, lang, room)
    if sketch and answer.chart and room.width is not None and len(answer.rows) > 1:
        parts.append(Text(lines_of(sketched(answer, lang, room.width)), style="cyan"))
    parts += sentence_parts(answer, lang)
    if receipt == "whole":
        parts.append(Text("\n".join(receipt_lines(answer.receipt, lang)), style="dim"))
    elif receipt:
        parts.append(Text(receipt_line(answer.receipt, lang), style="dim"))
    return parts


def rows_parts(
    columns: tuple[str, ...], rows: tuple[Row, ...], truncated: bool, lang: Language, room: Room
) -> list[Part]:
    told = left_out(len(columns), len(rows), truncated, room, lang)
    return [grid(columns, rows, room), *(Text(f"… {one}", style="dim") for one in told)]


def sentence_parts(answer: Answer, lang: Language) -> list[Part]:
    problem = answer.error
    told = lines_of(answer.answer or (problem.message if problem else ""))
    style = {"failed": "red", "refused": "red", "confirm": "yellow"}.get(answer.status, "bold")
    parts = [Text(told, style=style)] if told else []
    if problem and problem.hint:
        parts.append(Text(lines_of(problem.hint)))
    parts += [
        Text(f"  {number}. {printable(choice.label)}") for number, choice in enumerate(answer.choices, 1)
    ]
    if answer.choices:
        parts.append(Text(word("ask.choose", lang), style="dim"))
    return list(parts)


# -- its receipt ---------------------------------------------------------------------------------


def receipt_line(receipt: Receipt, lang: Language) -> str:
    """The short one: who wrote it, what it cost, what it passed, what it read."""
    usage = receipt.usage
    pieces = [receipt.model] if receipt.model else []
    if usage.calls:
        tokens = usage.prompt_tokens + usage.completion_tokens
        pieces.append(word("receipt.calls", lang, calls=usage.calls, tokens=tokens))
    pieces.append(word("receipt.time", lang, seconds=sum(receipt.seconds.values())))
    if receipt.checks:
        pieces.append(" ".join(f"{check} ✓" for check in receipt.checks))
    if receipt.tables:
        pieces.append(", ".join(receipt.tables))
    if receipt.repairs:
        pieces.append(word("receipt.repaired", lang, repairs=", ".join(receipt.repairs)))
    return printable(" · ".join(pieces))


def receipt_lines(receipt: Receipt, lang: Language) -> list[str]:
    """All of it, a fact a line; a fact that is not there has none."""
    usage, kind = receipt.usage, receipt.classification
    facts: Mapping[str, object] = {
        "model": receipt.model,
        "usage": word("receipt.spent", lang, **asdict(usage)) if usage.calls else "",
        "kind": word("receipt.sure", lang, **asdict(kind)),
        "mode": f"{receipt.mode} / {receipt.preset}",
        "dialect": receipt.dialect,
        "tables": ", ".join(receipt.tables),
        "values": ", ".join(
            f"“{hit.said}” = {hit.table}.{hit.column} '{hit.value}'" for hit in receipt.values
        ),
        "assumptions": "; ".join(receipt.assumptions),
        "checks": ", ".join(receipt.checks),
        "repairs": ", ".join(receipt.repairs),
        "path": " → ".join(receipt.path),
        "seconds": ", ".join(f"{stage} {spent:.2f}" for stage, spent in receipt.seconds.items()),
        "attempts": receipt.attempts,
        "statements": receipt.statements,
        "confidence": "" if receipt.confidence is None else f"{receipt.confidence:.0%}",
        "errors": "; ".join(f"{one.stage}: {one.kind}: {one.detail}" for one in receipt.errors),
    }
    return [
        f"{word(f'receipt.{name}', lang)}: {printable(str(fact))}"
        for name, fact in facts.items()
        if fact != ""
    ]
