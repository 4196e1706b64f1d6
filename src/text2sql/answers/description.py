"""Chooses how a result is described by its shape, and puts sentence and findings together."""

from dataclasses import replace
from datetime import date

from text2sql.answers import comparisons, lists, matrices, rankings, scalars, series
from text2sql.answers.phrases import phrase
from text2sql.answers.query_words import facts_of
from text2sql.answers.setting import AnswerText, Setting
from text2sql.answers.view import ResultView
from text2sql.i18n import Language
from text2sql.types import AnalyticQuery, OutputColumn, QueryFacts, QueryResult

__all__ = ["AnswerText", "describe_result"]

_MAX_FINDINGS = 3


def describe_result(
    result: QueryResult,
    columns: tuple[OutputColumn, ...] = (),
    query: AnalyticQuery | None = None,
    question: str = "",
    language: Language = "en",
    *,
    period: tuple[date, date] | None = None,
    last_period_incomplete: bool = False,
    echo: bool = True,
) -> AnswerText:
    """The answer in words.

    `columns` and `query`: what a compiled query says; without them `result.facts` counts. `period`: the dates
    of all rows, half-open. `echo`: whether the words of the question may be used; not for a doubtful answer,
    which must say what was computed.
    """
    facts = _facts(result, columns, query)
    facts = replace(facts, period=period or facts.period)
    setting = Setting(
        ResultView(result, facts, question if echo else "", language),
        question if echo else "",
        language,
        last_period_incomplete,
    )
    text = _describe(setting)
    sentence = text.sentence
    if result.truncated and not text.says_truncated:
        rows = f"{result.row_count:,}"
        sentence += ("" if language == "zh" else " ") + phrase("truncated", language, count=rows)
    return AnswerText(sentence, text.findings[:_MAX_FINDINGS])


def _facts(result: QueryResult, columns: tuple[OutputColumn, ...], query: AnalyticQuery | None) -> QueryFacts:
    if query is not None:
        return facts_of(query, columns)
    return replace(result.facts, columns=columns) if columns else result.facts


def _describe(setting: Setting) -> AnswerText:
    view = setting.view
    if not view.row_count:
        return scalars.describe_nothing(setting)
    if view.row_count == 1:
        return _describe_row(setting)
    if view.main is None:
        return lists.describe_list(setting)
    if view.times is not None and view.times.are_distinct:
        return _describe_times(setting)
    return _describe_groups(setting)


def _describe_times(setting: Setting) -> AnswerText:
    times = setting.view.times
    if setting.view.row_count == 2 and times is not None and times.grain is not None:
        return comparisons.describe_two_periods(setting)
    return series.describe_series(setting)


def _describe_groups(setting: Setting) -> AnswerText:
    view = setting.view
    if view.facts.per_group and len(view.labels) > 1:
        return rankings.describe_leaders(setting)
    dimensions = len(view.labels) + (view.times is not None)
    if dimensions >= 2 and not any(labels.are_distinct for labels in view.labels):
        return matrices.describe_matrix(setting)
    if not view.labels:
        return lists.describe_numbers(setting)
    if view.row_count == 2 and not view.facts.limit:
        return comparisons.describe_two_groups(setting)
    return rankings.describe_groups(setting)


def _describe_row(setting: Setting) -> AnswerText:
    view = setting.view
    if len(view.columns) == 1:
        return scalars.describe_value(setting)
    if view.with_role("previous") is not None and view.with_role("value") is not None:
        return comparisons.describe_change(setting)
    if view.main is not None and (view.labels or view.times):
        return rankings.describe_leader(setting)
    return lists.describe_record(setting)
