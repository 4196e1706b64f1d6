"""The report of a run as Markdown. The HTML report shows the same rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Comparison, Group, Share, Summary, compare, summarize

OUTCOME_HEADS = ("", "", "right", "wrong without doubt", "doubted", "refused", "failed", "seconds p50")


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
    for heading, field in (("By kind", "by_kind"), ("By language", "by_language")):
        groups = getattr(runs["text2sql"], field)
        if groups:
            yield f"\n## {heading}\n"
            yield from _table(OUTCOME_HEADS, outcome_rows(groups))
    risk = runs["text2sql"].risk
    if risk is not None:
        yield "\n## Coverage and risk\n"
        curve = [(f"{coverage:.0%}", f"{100 * wrong:.1f} %") for coverage, wrong in risk.curve]
        yield from _table(("coverage", "risk"), curve)


def overview(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """The main figures: (label, one cell for each run)."""
    rows = [(label, *map(text, summaries)) for label, text in _FIGURES.items()]
    optional = [(label, *map(text, summaries)) for label, text in _OPTIONAL.items()]
    rows += [row for row in optional if any(row[1:])]
    if any(summary.unjudged for summary in summaries):
        rows.append(("references that fail", *(str(summary.unjudged) for summary in summaries)))
    return rows


def outcome_rows(groups: Mapping[str, Group]) -> list[tuple[str, ...]]:
    """The outcomes of each kind or language; the columns are `OUTCOME_HEADS`."""
    return [
        (
            name,
            f"{group.right.count}/{group.right.of}",
            *(
                f"{100 * share.value:.0f} %"
                for share in (
                    group.right, group.wrong_without_doubt, group.doubted, group.refused, group.failed,
                )
            ),
            f"{group.p50:.1f}",
        )
        for name, group in groups.items()
    ]  # fmt: skip


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


_FIGURES: Mapping[str, Callable[[Summary], str]] = {
    "questions": lambda summary: str(summary.questions),
    "right": lambda summary: percent(summary.right),
    "executable": lambda summary: percent(summary.executable),
    "wrong without doubt": lambda summary: percent(summary.outcomes.wrong_without_doubt),
    "answerable and turned away": lambda summary: percent(summary.turned_away),
    "model calls per question": lambda summary: f"{summary.calls:.2f}",
    "prompt tokens per question": lambda summary: f"{summary.prompt_tokens:,.0f}",
    "output tokens per question": lambda summary: f"{summary.completion_tokens:,.0f}",
    "seconds p50": lambda summary: f"{summary.p50:.2f}",
    "seconds p95": lambda summary: f"{summary.p95:.2f}",
}
# shown if a run has them
_OPTIONAL: Mapping[str, Callable[[Summary], str]] = {
    "pass@k": lambda summary: percent(summary.choice.passed) if summary.choice else "",
    "selection loss": lambda summary: percent(summary.choice.loss) if summary.choice else "",
    "risk": lambda summary: f"{100 * summary.risk.overall:.1f} %" if summary.risk else "",
    "risk at 50 % coverage": lambda summary: f"{100 * summary.risk.half:.1f} %" if summary.risk else "",
    "foreign and turned away": lambda summary: percent(summary.declined),
}
