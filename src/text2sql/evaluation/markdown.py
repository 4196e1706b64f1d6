"""The report of a run as Markdown. The HTML report shows the same rows."""

from collections.abc import Iterator, Mapping, Sequence

from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Comparison, Share, Summary, compare, summarize


def markdown(name: str, records: Sequence[Record], bare: Sequence[Record]) -> str:
    return "\n".join(_markdown(name, records, bare)) + "\n"


def _markdown(name: str, records: Sequence[Record], bare: Sequence[Record]) -> Iterator[str]:
    runs = {"text2sql": summarize(records)}
    if bare:
        runs["bare model"] = summarize(bare)
    yield f"# Evaluation: {_escape_cell(name)}\n"
    yield from _table(("", *runs), [(label, *cells) for label, *cells in overview(list(runs.values()))])
    if bare:
        yield f"\n{compared(compare(bare, records))}"
    for heading, field in (("By difficulty", "by_difficulty"), ("Failures", "failures")):
        rows = _shares([getattr(summary, field) for summary in runs.values()])
        if rows:
            yield f"\n## {heading}\n"
            yield from _table(("", *runs), rows)
    risk = runs["text2sql"].risk
    if risk is not None:
        yield "\n## Coverage and risk\n"
        curve = [(f"{coverage:.0%}", f"{100 * wrong:.1f} %") for coverage, wrong in risk.curve]
        yield from _table(("coverage", "risk"), curve)


def overview(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """The overview table: rows of a label and one cell per run."""
    rows: list[tuple[str, list[str]]] = [
        ("questions", [str(summary.questions) for summary in summaries]),
        ("right", [percent(summary.right) for summary in summaries]),
        ("executable", [percent(summary.executable) for summary in summaries]),
        ("answerable and turned away", [percent(summary.turned_away) for summary in summaries]),
        ("model calls a question", [f"{summary.calls:.2f}" for summary in summaries]),
        ("prompt tokens a question", [f"{summary.prompt_tokens:,.0f}" for summary in summaries]),
        ("written tokens a question", [f"{summary.completion_tokens:,.0f}" for summary in summaries]),
        ("seconds p50", [f"{summary.p50:.2f}" for summary in summaries]),
        ("seconds p95", [f"{summary.p95:.2f}" for summary in summaries]),
    ]
    if any(summary.choice for summary in summaries):
        rows.append(
            ("pass@k", [percent(summary.choice.passed) if summary.choice else "" for summary in summaries])
        )
        rows.append(
            (
                "selection loss",
                [percent(summary.choice.loss) if summary.choice else "" for summary in summaries],
            )
        )
    if any(summary.risk for summary in summaries):
        rows.append(
            ("risk", [f"{100 * summary.risk.overall:.1f} %" if summary.risk else "" for summary in summaries])
        )
        rows.append(
            (
                "risk at 50 % coverage",
                [f"{100 * summary.risk.half:.1f} %" if summary.risk else "" for summary in summaries],
            )
        )
    if any(summary.declined.of for summary in summaries):
        rows.append(("foreign and turned away", [percent(summary.declined) for summary in summaries]))
    if any(summary.unjudged for summary in summaries):
        rows.append(("references that do not run", [str(summary.unjudged) for summary in summaries]))
    return [(label, *cells) for label, cells in rows]


def percent(share: Share) -> str:
    """`72.1 % (60.3 to 82.4)`"""
    if not share.of:
        return ""
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def compared(comparison: Comparison) -> str:
    changed = f"+{comparison.won} −{comparison.lost}, p = {comparison.p:.4f} (McNemar)"
    return f"Against the bare model on {comparison.questions} questions: {changed}."


def _shares(columns: Sequence[Mapping[str, Share]]) -> list[tuple[str, ...]]:
    names = list(dict.fromkeys(name for shares in columns for name in shares))
    return [
        (name, *(percent(shares[name]) if name in shares else "" for shares in columns)) for name in names
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(map(_escape_cell, row)) + " |"


def _escape_cell(text: str) -> str:
    """Escape a text for a table cell."""
    return " ".join(text.split()).replace("|", "\\|")
