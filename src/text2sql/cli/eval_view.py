"""Render the metrics of an evaluation for the terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from text2sql.cli.table import aligned
from text2sql.evaluation.markdown import outcome_rows
from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Share, Summary, compare, summarize
from text2sql.i18n import Language, cli_text
from text2sql.text_normalization import printable

_OUTCOMES = ("right", "wrong_without_doubt", "doubted", "refused", "failed", "seconds_p50")


def lines(records: Sequence[Record], bare: Sequence[Record], lang: Language) -> Iterator[str]:
    runs = [summarize(records), *([summarize(bare)] if bare else [])]
    head = [["", "text2sql", cli_text("eval.bare_model", lang)]] if bare else []
    yield from aligned([*head, *_figures(runs, lang)])
    if bare:
        yield "\n" + cli_text("eval.compared", lang, **asdict(compare(bare, records)))
    for heading, field in (("eval.kind", "by_kind"), ("eval.language", "by_language")):
        groups = getattr(runs[0], field)
        if groups:
            yield f"\n{cli_text(heading, lang)}"
            heads = [cli_text(f"eval.{name}", lang) for name in _OUTCOMES]
            yield from aligned(
                [
                    ["", "", *heads],
                    *([f"  {printable(name)}", *cells] for name, *cells in outcome_rows(groups)),
                ]
            )
    for heading, field in (("eval.difficulty", "by_difficulty"), ("eval.failures", "failures")):
        shares = [getattr(run, field) for run in runs]
        names = dict.fromkeys(name for by_name in shares for name in by_name)
        if names:
            yield f"\n{cli_text(heading, lang)}"
            yield from aligned(
                [
                    [f"  {printable(name)}", *(share_text(by_name.get(name)) for by_name in shares)]
                    for name in names
                ]
            )


def _figures(runs: Sequence[Summary], lang: Language) -> list[list[str]]:
    def row(key: str, cells: Sequence[str]) -> list[str]:
        return [cli_text(f"eval.{key}", lang), *cells]

    rows = [
        row("questions", [f"{run.questions:,}" for run in runs]),
        row("right", [share_text(run.right) for run in runs]),
        row("executable", [share_text(run.executable) for run in runs]),
        row("wrong_without_doubt", [share_text(run.outcomes.wrong_without_doubt) for run in runs]),
        row("turned_away", [share_text(run.turned_away) for run in runs]),
        row("declined", [share_text(run.declined) for run in runs]),
        row("passed", [share_text(run.choice.passed) if run.choice else "" for run in runs]),
        row("loss", [share_text(run.choice.loss) if run.choice else "" for run in runs]),
        row("risk", [_risk(run) for run in runs]),
        row("calls", [f"{run.calls:.2f}" for run in runs]),
        row("tokens", [f"{run.prompt_tokens:,.0f} + {run.completion_tokens:,.0f}" for run in runs]),
        row("seconds", [f"{run.p50:.2f} / {run.p95:.2f}" for run in runs]),
        row("unjudged", [str(run.unjudged or "") for run in runs]),
    ]
    return [cells for cells in rows if any(cells[1:])]


def share_text(share: Share | None) -> str:
    if share is None or not share.of:
        return ""
    return (
        f"{100 * share.value:.1f} %  ({100 * share.low:.1f}–{100 * share.high:.1f})  {share.count}/{share.of}"
    )


def _risk(summary: Summary) -> str:
    return f"{100 * summary.risk.half:.1f} % / {100 * summary.risk.overall:.1f} %" if summary.risk else ""
