"""A number by two dimensions."""

import math
from collections.abc import Sequence

from text2sql.answers.phrases import capitalized, counted, plural_of
from text2sql.answers.setting import AnswerText, Setting
from text2sql.answers.view import Measure
from text2sql.result_columns.numbers import percent


def describe_matrix(setting: Setting) -> AnswerText:
    view = setting.view
    measure = view.main
    dimensions = [(labels.texts, labels.noun) for labels in view.labels]
    if view.times is not None:
        dimensions.insert(0, (view.times.texts, view.noun(view.times.view.index)))
    if measure is None or len(dimensions) < 2:
        raise RuntimeError("a matrix needs two dimensions and a number")
    rows = [row for row, number in enumerate(measure.numbers) if number is not None and math.isfinite(number)]
    if not rows:
        return AnswerText(setting.say("value.none", noun=measure.noun, period=setting.period))
    (first, first_noun), (second, second_noun) = dimensions[:2]
    size = setting.say(
        "matrix.size", rows=_things(setting, first, first_noun), columns=_things(setting, second, second_noun)
    )
    high = max(rows, key=lambda row: measure.numbers[row] or 0.0)
    low = min(rows, key=lambda row: measure.numbers[row] or 0.0)
    if not measure.adds_up or min(measure.present) < 0 or not view.is_whole:
        cells = setting.say(
            "matrix.cells",
            first=first[high], second=second[high], third=first[low], fourth=second[low],
            value=measure.text(measure.numbers[high]), low=measure.text(measure.numbers[low]),
            **setting.subject(measure),
        )  # fmt: skip
        return AnswerText(setting.sentences([cells, size]))
    total = _leading_total(setting, measure, second, first, first_noun)
    cell = setting.say(
        "matrix.cell", value=measure.text(measure.numbers[high]), first=first[high], second=second[high]
    )
    return AnswerText(setting.sentences([total, cell]), (size,))


def _things(setting: Setting, texts: Sequence[str], noun: str) -> str:
    count = len(set(texts))
    if setting.lang == "zh" and noun in ("月份", "年份", "季度", "周", "日期"):
        return f"{count} 个{noun}"
    return counted(count, f"{count:,}", plural_of(noun, setting.lang), setting.lang)


def _leading_total(
    setting: Setting, measure: Measure, texts: Sequence[str], over: Sequence[str], over_noun: str
) -> str:
    """Which member of a dimension has the largest sum over the other one."""
    sums: dict[str, list[float]] = {}
    for text, number in zip(texts, measure.numbers, strict=True):
        if number is not None and math.isfinite(number):
            sums.setdefault(text, []).append(number)
    totals = {text: math.fsum(numbers) for text, numbers in sums.items()}
    leader = max(totals, key=lambda text: totals[text])
    share = percent(totals[leader], math.fsum(totals.values()))
    return setting.say(
        "matrix.total_most" if measure.things else "matrix.total",
        things=measure.things,
        all=_all(setting, over, over_noun),
        leader=leader,
        Leader=capitalized(leader),
        have="has",
        noun=measure.noun,
        value=measure.text(totals[leader]),
        share=setting.say("share", share=share) if share else "",
    )


def _all(setting: Setting, texts: Sequence[str], noun: str) -> str:
    things = _things(setting, texts, noun)
    return f"the {things}" if setting.lang == "en" else things
