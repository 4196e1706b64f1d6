"""An analytic query in words: *sum of Invoice.Total, by month, 2025, compared with the month before*."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from text2sql.answers.phrases import joined
from text2sql.i18n import Language, say
from text2sql.result_columns.dates import part_text, period_text
from text2sql.types import (
    Aggregation,
    AnalyticQuery,
    AverageFilter,
    Comparison,
    Filter,
    Grouping,
    MeasureUse,
    OutputColumn,
    QueryFacts,
    Ratio,
    RelatedFilter,
    SemanticModel,
    TimeFilter,
    Value,
    ValueFilter,
)


def describe_query(query: AnalyticQuery, model: SemanticModel, language: Language) -> str:
    """One phrase without a full stop, for the receipt, with the names of the model."""
    parts = [_what(query, model, language)]
    if query.groupings:
        groups = joined([_grouping(grouping, language) for grouping in query.groupings], language)
        parts.append(say("form.by", language, groups=groups))
    parts += [_filter(condition, language) for condition in query.filters]
    if query.comparison is not None:
        parts.append(_comparison(query.comparison, query.groupings, language))
    parts += _selection(query, model, language)
    return ("，" if language == "zh" else ", ").join(part for part in parts if part)


def _what(query: AnalyticQuery, model: SemanticModel, lang: Language) -> str:
    if query.measures:
        return joined([_measure(measure, model, lang) for measure in query.measures], lang)
    if query.columns:
        return say("form.list_columns", lang, table=query.subject, columns=joined(list(query.columns), lang))
    return say("form.list", lang, table=query.subject)


def _measure(use: MeasureUse, model: SemanticModel, lang: Language) -> str:
    text = _value(use.value, model, lang)
    if use.running:
        text = say("form.running", lang, what=text)
    if use.moving:
        text = say("form.moving", lang, what=text, count=use.moving)
    if use.share:
        key = "form.share_within" if use.share_within else "form.share"
        text = say(key, lang, what=text, group=use.share_within)
    return text


def _value(value: Aggregation | Ratio, model: SemanticModel, lang: Language) -> str:
    if isinstance(value, Ratio):
        key = "form.percentage" if value.percent else "form.ratio"
        return say(
            key,
            lang,
            numerator=_value(value.numerator, model, lang),
            denominator=_value(value.denominator, model, lang),
        )
    text = _aggregate(value, model, lang)
    if value.filters:
        conditions = joined([_filter(condition, lang) for condition in value.filters], lang)
        text = say("form.only_where", lang, what=text, conditions=conditions)
    return text


def _aggregate(value: Aggregation, model: SemanticModel, lang: Language) -> str:
    """A metric goes by its name: *revenue*, not *sum of revenue*."""
    measure = model.measure(value.of)
    if measure is not None and measure.name != f"{measure.table}.{measure.expression}":
        has_default = value.function == measure.aggregate and "." not in measure.name
        if has_default or measure.is_aggregate or measure.numerator:
            return measure.name
    share = f"{(value.percentile or 0.5) * 100:g}"
    return say(f"form.{value.function}", lang, of=value.of, share=share)


def _grouping(grouping: Grouping, lang: Language) -> str:
    if grouping.entity:
        return grouping.entity
    if grouping.part:
        return say("form.part", lang, part=say(f"column.{grouping.part}", lang), of=grouping.dimension)
    if grouping.bucket:
        return say(f"form.bucket.{grouping.bucket}", lang)
    return grouping.dimension


def _filter(condition: Filter, lang: Language) -> str:
    if isinstance(condition, TimeFilter):
        return _time(condition, lang)
    if isinstance(condition, RelatedFilter):
        return _related(condition, lang)
    if isinstance(condition, AverageFilter):
        key = "form.above_average" if condition.operator.startswith(">") else "form.below_average"
        return say(key, lang, measure=condition.measure)
    return _values(condition, lang)


def _values(condition: ValueFilter, lang: Language) -> str:
    name, operator = condition.dimension, condition.operator
    if operator in ("is_null", "not_null"):
        return say(f"form.{operator}", lang, name=name)
    texts = [_quoted(value) for value in condition.values]
    if operator in ("contains", "starts_with", "ends_with"):
        return say(f"form.{operator}", lang, name=name, value=_either(texts, lang))
    sign = {"!=": "≠", "<=": "≤", ">=": "≥"}.get(operator, operator)
    return f"{name} {sign} {_either(texts, lang)}"


def _quoted(value: Value) -> str:
    return f"“{value}”" if isinstance(value, str) else str(value)


def _either(texts: Sequence[str], lang: Language) -> str:
    return say("form.or", lang).join(texts)


def _time(condition: TimeFilter, lang: Language) -> str:
    ranges = [_range(start, end, lang) for start, end in condition.ranges]
    parts = (
        [part_text(condition.part, number, lang) for number in condition.part_values]
        if condition.part
        else []
    )
    return _either(ranges, lang) + (
        "" if not parts else say("form.only_in", lang, parts=_either(parts, lang))
    )


def _range(start: date | datetime | None, end: date | datetime | None, lang: Language) -> str:
    if start is None and end is None:
        return ""
    if end is None:
        return say("form.since", lang, day=_day(start))
    if start is None:
        return say("form.before", lang, day=_day(end))
    if isinstance(start, datetime) or isinstance(end, datetime):
        return say("form.between", lang, start=_day(start), end=_day(end))
    return period_text(start, end, lang)[0]


def _day(day: date | datetime | None) -> str:
    return (
        day.isoformat(sep=" ", timespec="minutes")
        if isinstance(day, datetime)
        else day.isoformat()
        if day
        else ""
    )


def _related(condition: RelatedFilter, lang: Language) -> str:
    inner = joined([_filter(found, lang) for found in condition.filters], lang)
    rows = condition.table + (say("form.related_where", lang, conditions=inner) if inner else "")
    if condition.at_most == 0:
        return say("form.without", lang, rows=rows)
    if condition.at_most is None:
        return say("form.at_least", lang, count=condition.at_least, rows=rows)
    if not condition.at_least:
        return say("form.at_most", lang, count=condition.at_most, rows=rows)
    return say("form.from_to", lang, least=condition.at_least, most=condition.at_most, rows=rows)


def _comparison(comparison: Comparison, groupings: Sequence[Grouping], lang: Language) -> str:
    if comparison.kind == "periods":
        ranges = [_range(start, end, lang) for start, end in comparison.ranges]
        return say("form.compare_periods", lang, periods=joined(ranges, lang))
    if comparison.kind == "members":
        return say("form.compare_members", lang)
    if comparison.kind == "same_period_last_year":
        return say("form.compare_year", lang)
    bucket = next((grouping.bucket for grouping in groupings if grouping.bucket), "")
    return say(f"form.compare.{bucket or 'period'}", lang)


def _selection(query: AnalyticQuery, model: SemanticModel, lang: Language) -> list[str]:
    parts = []
    for threshold in query.thresholds:
        sign = {"!=": "≠", "<=": "≤", ">=": "≥"}.get(threshold.operator, threshold.operator)
        value = f"{threshold.value:g}"
        if threshold.of_average:
            value = say("form.times_average", lang, factor=value)
        measures = query.measures[threshold.measure : threshold.measure + 1]
        what = _value(measures[0].value, model, lang) if measures else ""
        parts.append(say("form.threshold", lang, what=what, sign=sign, value=value))
    ranking = query.ranking
    if ranking is not None:
        key = "form.top" if ranking.descending else "form.bottom"
        if not ranking.most:
            parts.append(say("form.descending" if ranking.descending else "form.ascending", lang))
        else:
            parts.append(say(key, lang, count=ranking.most))
        if ranking.per:
            parts[-1] += say("form.per", lang, group=ranking.per)
    parts += [
        say("form.order_down" if order.descending else "form.order", lang, name=order.dimension)
        for order in query.order
    ]
    if query.distinct:
        parts.append(say("form.distinct", lang))
    if query.limit and ranking is None:
        parts.append(say("form.limit", lang, count=query.limit))
    return parts


def facts_of(query: AnalyticQuery, columns: tuple[OutputColumn, ...]) -> QueryFacts:
    """What an analytic query says about its rows, for sentences and headers."""
    ranking = query.ranking
    values = [at for at, column in enumerate(columns) if column.role == "value"]
    order: tuple[tuple[int, bool], ...] = ()
    if ranking is not None and ranking.measure < len(values):
        order = ((values[ranking.measure], ranking.descending),)
    limit = ranking.most if ranking is not None and ranking.most and not ranking.per else query.limit
    period, others = _period(query.filters)
    return QueryFacts(
        columns=columns,
        tables=(query.subject,) if query.subject else (),
        subject=query.subject,
        order=order,
        limit=limit or None,
        is_aggregate=bool(query.measures),
        is_distinct=query.distinct,
        is_filtered=others or bool(query.thresholds),
        period=period,
        per_group=ranking is not None and bool(ranking.per),
    )


def _period(filters: Sequence[Filter]) -> tuple[tuple[date, date] | None, bool]:
    times = [found for found in filters if isinstance(found, TimeFilter)]
    others = len(times) < len(filters)
    if len(times) != 1 or len(times[0].ranges) != 1 or times[0].part is not None:
        return None, others or bool(times)
    start, end = times[0].ranges[0]
    if start is None or end is None:
        return None, True
    first = start.date() if isinstance(start, datetime) else start
    if isinstance(end, datetime):
        last = end.date() if end.time() == datetime.min.time() else end.date() + timedelta(days=1)
    else:
        last = end
    return (first, last), others
