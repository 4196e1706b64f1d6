"""The report of a run as a self-contained HTML page, without scripts or external resources.

Questions, queries and names are untrusted text and are always escaped.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from text2sql.evaluation.markdown import OUTCOME_HEADS, compared, outcome_rows, overview
from text2sql.evaluation.plots import bars, curve
from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Group, Summary, compare, summarize

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_SHOWN = 300  # maximum number of wrong answers in the list

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6576; --paper: #fff; --rule: #dfe3ea;
  --bar: #3b6fd4; --bad: #b3402f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa5b8; --paper: #14181f;
  --rule: #2c3442; --bar: #6d9bf5; --bad: #e5806f; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; }
th { font-weight: 600; } .soft { color: var(--soft); } code { font-size: 13px; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; font-size: 12px; } svg text { fill: var(--ink); }
svg .label { text-anchor: end; } svg .middle { text-anchor: middle; } svg .track { fill: var(--rule); }
svg .bar { fill: var(--bar); } svg .span, svg .line, svg .broken, svg .grid { fill: none; }
svg .span { stroke: var(--ink); } svg .line { stroke: var(--bar); stroke-width: 2; }
svg .broken { stroke: var(--bad); stroke-dasharray: 5 4; } svg .grid { stroke: var(--rule); }
"""


def page(name: str, records: Sequence[Record], bare: Sequence[Record]) -> str:
    summary = summarize(records)
    body = [
        f"<h1>{escape(name)}</h1>",
        *_figures(summary, summarize(bare) if bare else None),
        *([f"<p>{escape(compared(compare(bare, records)))}</p>"] if bare else []),
        *_outcomes("Outcomes, by kind", summary.by_kind),
        *_outcomes("Outcomes, by language", summary.by_language),
        *_plots(summary),
        *_wrong(records),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(name)}: evaluation</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _figures(summary: Summary, bare: Summary | None) -> Iterator[str]:
    runs = [summary, *([bare] if bare else [])]
    heads = "".join(f"<th>{heading}</th>" for heading in ("", "text2sql", "bare model")[: len(runs) + 1])
    yield f"<table>\n<tr>{heads}</tr>"
    for label, *cells in overview(runs):
        yield (
            f"<tr><th>{escape(label)}</th>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        )
    yield "</table>"
    yield '<p class="soft">In brackets: 95 % bootstrap confidence intervals.</p>'


def _outcomes(heading: str, groups: Mapping[str, Group]) -> Iterator[str]:
    if not groups:
        return
    yield f"<h2>{heading}</h2>\n<table>"
    yield "<tr>" + "".join(f"<th>{head}</th>" for head in OUTCOME_HEADS) + "</tr>"
    for cells in outcome_rows(groups):
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    yield "</table>"


def _plots(summary: Summary) -> Iterator[str]:
    if summary.by_difficulty:
        yield "<h2>Right, by difficulty</h2>"
        yield bars({"all": summary.right, **summary.by_difficulty}, "right answers by difficulty")
    if summary.failures:
        yield "<h2>Failures, by class</h2>"
        yield bars(summary.failures, "failures by class, as shares of all questions")
    if summary.risk is not None:
        risk = summary.risk
        yield "<h2>Coverage and risk</h2>"
        yield curve(risk.curve, risk.overall, "risk over coverage")
        yield (
            f'<p class="soft">Of the more confident half, {100 * risk.half:.1f} % are not right; '
            f"of all questions {100 * risk.overall:.1f} % (dashed line).</p>"
        )


def _wrong(records: Sequence[Record]) -> Iterator[str]:
    missed = [record for record in records if record.verdict not in ("right", "declined")]
    if not missed:
        return
    yield f"<h2>Not right: {len(missed)}</h2>\n<table>"
    yield "<tr><th>id</th><th>question and query</th><th>why</th></tr>"
    for record in missed[:_SHOWN]:
        why = ", ".join(record.failure) or record.status
        yield (
            f"<tr><td>{escape(record.id)}</td><td>{escape(record.question)}<br><code>{escape(record.sql)}</code></td>"
            f"<td>{escape(record.verdict)}<br><span class='soft'>{escape(why)}</span></td></tr>"
        )
    yield "</table>"
    if len(missed) > _SHOWN:
        yield f"<p>{len(missed) - _SHOWN} more are in the records.</p>"
