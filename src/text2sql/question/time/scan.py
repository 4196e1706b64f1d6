"""Find the expressions of time in a question, from left to right."""

from dataclasses import dataclass, replace
from datetime import timedelta

# each module registers its rules
from text2sql.question.time import (  # noqa: F401
    anchored_en,
    comparison,
    dates,
    pieces_en,
    pieces_zh,
    quarters,
    ranges,
    recurring,
    relative_en,
    relative_zh,
    years,
)
from text2sql.question.time.comparison import ComparedWith, SamePeriod
from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period, plain_day
from text2sql.question.time.ranges import Interval
from text2sql.question.time.recurring import Part, Window
from text2sql.question.time.references import Reference
from text2sql.types import Grain, Span, TimeRange

Value = Window | ComparedWith | SamePeriod | Part | Interval | Reference
_EXPRESSIONS = ("WINDOW", "COMPARED", "SAME", "PART", "RANGE", "REF", "BUCKET", "KIND")
_JOINS = frozenset(("and", ",", "，", "、", "和", "与", "及", "以及", "跟", "&", "or", "或", "以", "/"))


@dataclass(frozen=True, slots=True)
class Kind:
    """*Growth*, 同比: a comparison without a period."""

    name: str


@dataclass(frozen=True, slots=True)
class Bucket:
    grain: Grain


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression of time with its tokens."""

    value: Value | Kind | Bucket
    begin: int
    end: int


@rule("KIND", "compare_kind", "unit '环比'|'同比'")
def kind(parser: Parser, name: str) -> Kind:
    """*Growth*; 月环比."""
    if (known := parser.tag(parser.begin, "compare_kind")) is not None:
        return Kind(known)
    return Kind(f"{parser.tag(parser.begin + 1, 'compare_kind')} {name}")


def scan(parser: Parser) -> list[Expression]:
    """The expressions; at each token the longest, which then ends where the next may begin."""
    found: list[Expression] = []
    index = 0
    while index < len(parser.tokens):
        matches = [(match, name) for name in _EXPRESSIONS if (match := parser.match(name, index))]
        if not matches:
            index += 1
            continue
        match, name = max(matches, key=lambda candidate: candidate[0].end)
        value = Bucket(match.value) if name == "BUCKET" else match.value
        found.append(Expression(value, index, match.end))
        index = match.end
    return _with_years(parser, found)


def _with_years(parser: Parser, found: list[Expression]) -> list[Expression]:
    """Share years within lists: *March and April 2024*, 2024年3月和4月, *2023 and 2024*."""
    shared = list(found)
    for group in _lists(parser, found):
        references = [reference for index in group if isinstance(reference := found[index].value, Reference)]
        for position, index in enumerate(group):
            shared[index] = replace(found[index], value=_in_list(parser, references, position))
    return shared


def _lists(parser: Parser, found: list[Expression]) -> list[list[int]]:
    groups: list[list[int]] = []
    for index, expression in enumerate(found):
        if not isinstance(expression.value, Reference):
            continue
        previous = groups[-1][-1] if groups else None
        if previous == index - 1 and previous is not None:
            between = parser.tokens[found[previous].end : expression.begin]
            if between and all(token.text in _JOINS for token in between):
                groups[-1].append(index)
                continue
        groups.append([index])
    return [group for group in groups if len(group) > 1]


def _in_list(parser: Parser, references: list[Reference], position: int) -> Reference:
    reference = references[position]
    if not reference.piece:
        certain = reference.period.certain or any(
            other.period.certain and other.period.grain == "year" for other in references
        )
        return replace(reference, period=replace(reference.period, certain=certain))
    dated = [other for other in references if not other.piece and other.period.grain != "year"]
    before = [other for other in references[:position] if other in dated]
    nearest = before[-1:] or [other for other in references[position:] if other in dated][:1]
    return reference.in_year(nearest[0].period.start.year, parser.calendar) if nearest else reference


def span(parser: Parser, begin: int, end: int) -> Span:
    return parser.tokens[begin].begin, parser.tokens[end - 1].end


def time_range(parser: Parser, value: Interval | Reference | Period, at: Span) -> TimeRange:
    """The range of an expression at a place of the question."""
    if isinstance(value, Interval):
        period, start, end = value.period, value.start, value.end
    else:
        period = value if isinstance(value, Period) else value.period
        start, end = period.start, period.end
    tomorrow = parser.today + timedelta(days=1)
    partial = not period.to_date and end is not None and plain_day(end) >= tomorrow
    return TimeRange(
        start,
        end,
        period.grain,
        parser.text[at[0] : at[1]],
        *at,
        relative=period.relative,
        partial=partial,
        fiscal=period.fiscal,
        certain=period.certain,
        ambiguous=period.ambiguous,
    )
