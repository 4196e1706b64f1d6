"""The numbers of an evaluation as a terminal shows them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from rich.cells import cell_len

from text2sql.cli.rendering import printable
from text2sql.cli.words import word
from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Share, Summary, compare, summarise
from text2sql.messages import Language


def lines(records: Sequence[Record], bare: Sequence[Record], lang: Language) -> Iterator[str]:
    runs = [summarise(records), *([summarise(bare)] if bare else [])]
    head = [["", "text2sql", word("eval.bare_model", lang)]] if bare else []
    yield from under([*head, *_figures(runs, lang)])
    if bare:
        yield "\n" + word("eval.compared", lang, **asdict(compare(bare, records)))
    for heading, field in (("eval.difficulty", "by_difficulty"), ("eval.failures", "failures")):
        shares = [getattr(one, field) for one in runs]
        names = dict.fromkeys(name for held in shares for name in held)
        if names:
            yield f"\n{word(heading, lang)}"
            yield from under(
                [[f"  {printable(name)}", *(share_text(held.get(name)) for held in shares)] for name in names]
            )


def _figures(runs: Sequence[Summary], lang: Language) -> list[list[str]]:
    def row(key: str, cells: Sequence[str]) -> list[str]:
        return [word(f"eval.{key}", lang), *cells]

    rows = [
        row("questions", [f"{one.questions:,}" for one in runs]),
        row("right", [share_text(one.right) for one in runs]),
        row("executable", [share_text(one.executable) for one in runs]),
        row("turned_away", [share_text(one.turned_away) for one in runs]),
        row("declined", [share_text(one.declined) for one in runs]),
        row("passed", [share_text(one.choice.passed) if one.choice else "" for one in runs]),
        row("loss", [share_text(one.choice.loss) if one.choice else "" for one in runs]),
        row("risk", [_risk(one) for one in runs]),
        row("calls", [f"{one.calls:.2f}" for one in runs]),
        row("tokens", [f"{one.prompt_tokens:,.0f} + {one.completion_tokens:,.0f}" for one in runs]),
        row("seconds", [f"{one.p50:.2f} / {one.p95:.2f}" for one in runs]),
        row("unjudged", [str(one.unjudged or "") for one in runs]),
    ]
    return [cells for cells in rows if any(cells[1:])]


def share_text(one: Share | None) -> str:
    if one is None or not one.of:
        return ""
    return f"{100 * one.value:.1f} %  ({100 * one.low:.1f}–{100 * one.high:.1f})  {one.count}/{one.of}"


def _risk(one: Summary) -> str:
    return f"{100 * one.risk.half:.1f} % / {100 * one.risk.overall:.1f} %" if one.risk else ""


def under(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
