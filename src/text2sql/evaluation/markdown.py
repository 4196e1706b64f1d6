"""A run as Markdown tables; the page for a browser shows the same rows."""

from collections.abc import Iterator, Mapping, Sequence

from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Comparison, Share, Summary, compare, summarise


def markdown(name: str, records: Sequence[Record], bare: Sequence[Record]) -> str:
    return "\n".join(_markdown(name, records, bare)) + "\n"


def _markdown(name: str, records: Sequence[Record], bare: Sequence[Record]) -> Iterator[str]:
    runs = {"text2sql": summarise(records)}
    if bare:
        runs["bare model"] = summarise(bare)
    yield f"# Evaluation: {_plain(name)}\n"
    yield from _table(("", *runs), [(label, *cells) for label, *cells in overview(list(runs.values()))])
    if bare:
        yield f"\n{compared(compare(bare, records))}"
    for heading, field in (("By difficulty", "by_difficulty"), ("Failures", "failures")):
        rows = _shares([getattr(one, field) for one in runs.values()])
        if rows:
            yield f"\n## {heading}\n"
            yield from _table(("", *runs), rows)
    risk = runs["text2sql"].risk
    if risk is not None:
        yield "\n## Coverage and risk\n"
        curve = [(f"{coverage:.0%}", f"{100 * wrong:.1f} %") for coverage, wrong in risk.curve]
        yield from _table(("coverage", "risk"), curve)


def overview(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """What stands at the top of a report: a label, then a cell for each run."""
    found: list[tuple[str, list[str]]] = [
        ("questions", [str(one.questions) for one in summaries]),
        ("right", [percent(one.right) for one in summaries]),
        ("executable", [percent(one.executable) for one in summaries]),
        ("answerable and turned away", [percent(one.turned_away) for one in summaries]),
        ("model calls a question", [f"{one.calls:.2f}" for one in summaries]),
        ("prompt tokens a question", [f"{one.prompt_tokens:,.0f}" for one in summaries]),
        ("written tokens a question", [f"{one.completion_tokens:,.0f}" for one in summaries]),
        ("seconds p50", [f"{one.p50:.2f}" for one in summaries]),
        ("seconds p95", [f"{one.p95:.2f}" for one in summaries]),
    ]
    if any(one.choice for one in summaries):
        found.append(("pass@k", [percent(one.choice.passed) if one.choice else "" for one in summaries]))
        found.append(
            ("selection loss", [percent(one.choice.loss) if one.choice else "" for one in summaries])
        )
    if any(one.risk for one in summaries):
        found.append(("risk", [f"{100 * one.risk.overall:.1f} %" if one.risk else "" for one in summaries]))
        found.append(
            (
                "risk at 50 % coverage",
                [f"{100 * one.risk.half:.1f} %" if one.risk else "" for one in summaries],
            )
        )
    if any(one.declined.of for one in summaries):
        found.append(("foreign and turned away", [percent(one.declined) for one in summaries]))
    if any(one.unjudged for one in summaries):
        found.append(("references that do not run", [str(one.unjudged) for one in summaries]))
    return [(label, *cells) for label, cells in found]


def percent(one: Share) -> str:
    """`72.1 % (60.3 to 82.4)`"""
    if not one.of:
        return ""
    return f"{100 * one.value:.1f} % ({100 * one.low:.1f} to {100 * one.high:.1f})"


def compared(one: Comparison) -> str:
    changed = f"+{one.won} −{one.lost}, p = {one.p:.4f} (McNemar)"
    return f"Against the bare model on {one.questions} questions: {changed}."


def _shares(held: Sequence[Mapping[str, Share]]) -> list[tuple[str, ...]]:
    names = list(dict.fromkeys(name for one in held for name in one))
    return [(name, *(percent(one[name]) if name in one else "" for one in held)) for name in names]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(map(_plain, row)) + " |"


def _plain(text: str) -> str:
    """A name of the question set stays on its line and in its cell."""
    return " ".join(text.split()).replace("|", "\\|")
