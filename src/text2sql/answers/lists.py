"""Lists of names, single records, and columns of numbers without labels."""

import math

from text2sql.answers.echo import asks_whether_any
from text2sql.answers.phrases import capitalized, counted, joined, measure_word, plural_of, singular_of
from text2sql.answers.scalars import subject_things
from text2sql.answers.setting import AnswerText, Setting
from text2sql.answers.view import Measure

_LISTED = 5  # names in a sentence
_FIELDS = 5  # fields of a record in a sentence


def describe_list(setting: Setting) -> AnswerText:
    """Rows without a number: how many, and the first names."""
    view = setting.view
    names = _names(setting)
    count = len(names)
    things = _things(setting)
    digits = f"{count:,}"
    counted_things = counted(count, digits, things, setting.lang)
    shown = names[:_LISTED]
    more = count - len(shown)
    if view.result.truncated:
        return AnswerText(
            setting.say("list.truncated", count=counted_things, items=joined(shown, setting.lang)), (), True
        )
    if count == 1:
        return AnswerText(_single(setting, shown[0], things))
    key = _key(setting) + ("_more" if more and "." in _key(setting) else ".more" if more else "")
    items = joined(shown, setting.lang) if not more or setting.lang == "zh" else ", ".join(shown)
    sentence = setting.say(
        key,
        count=counted_things,
        Count=capitalized(counted_things),
        items=items,
        more=f"{more:,}",
        be="are",
        match="match",
    )
    if setting.question and asks_whether_any(setting.question, setting.lang):
        sentence = setting.say("yes.list", sentence=sentence)
    return AnswerText(sentence)


def _key(setting: Setting) -> str:
    facts = setting.view.facts
    if facts.limit is not None and facts.limit <= setting.view.row_count:
        return "list.top" if facts.order and facts.order[0][0] < 0 else "list.limited"
    return (
        "list.filtered" if facts.is_filtered and not facts.is_distinct and not facts.is_aggregate else "list"
    )


def _single(setting: Setting, item: str, things: str) -> str:
    facts = setting.view.facts
    if facts.limit is None and facts.is_filtered and things:
        thing = singular_of(things) if setting.lang == "en" else things
        return setting.say("list.one_filtered", thing=thing, item=item, measure=measure_word(things))
    return setting.say("list.one", item=item)


def _names(setting: Setting) -> list[str]:
    view = setting.view
    if not view.labels:
        return [view.text(row, 0) for row in range(view.row_count)]
    first, *others = view.labels
    left, right = ("（", "）") if setting.lang == "zh" else (" (", ")")
    if not others or len(view.columns) > 4:
        return list(first.texts)
    return [f"{text}{left}{others[0].texts[row]}{right}" for row, text in enumerate(first.texts)]


def _things(setting: Setting) -> str:
    """What is listed: the things of the table, or the column."""
    view = setting.view
    if view.labels and (view.facts.is_distinct or view.facts.is_aggregate or not view.facts.subject):
        noun = view.labels[0].noun
        return plural_of(noun, setting.lang) if noun else setting.say("rows")
    return subject_things(setting) or setting.say("rows")


def describe_numbers(setting: Setting) -> AnswerText:
    """Numbers without anything that names the rows."""
    measure = setting.view.main
    if measure is None:
        return describe_list(setting)
    numbers = [number for number in measure.present if math.isfinite(number)]
    if not numbers:
        return AnswerText(setting.say("value.none", noun=measure.noun, period=setting.period))
    low, high = min(numbers), max(numbers)
    count = f"{len(numbers):,}"
    if low == high:
        return AnswerText(setting.say("numbers.same", count=count, value=measure.text(low)))
    average = measure.text(_rounded(math.fsum(numbers) / len(numbers), measure))
    return AnswerText(
        setting.say("numbers", count=count, low=measure.text(low), high=measure.text(high), average=average)
    )


def _rounded(average: float, measure: Measure) -> float:
    return average if measure.style.decimals != 0 or abs(average) > 1e12 else round(average)


def describe_record(setting: Setting) -> AnswerText:
    """One row of several columns."""
    view = setting.view
    if view.measures and len(view.measures) == len(view.columns):
        return AnswerText(_values(setting, view.measures))
    label = view.labels[0].texts[0] if view.labels else view.text(0, 0)
    used = {column.index for column in view.labels[0].columns} if view.labels else {0}
    fields = [
        setting.say("record.field", noun=view.noun(at), value=view.text(0, at))
        for at in range(len(view.columns))
        if at not in used and view.result.rows[0][at] is not None and view.outputs[at].role != "key"
    ][:_FIELDS]
    if not fields:
        return AnswerText(
            setting.say("list.one", item=label)
            if not view.facts.limit
            else setting.say("top.only", leader=label)
        )
    separator = "，" if setting.lang == "zh" else ", "
    return AnswerText(setting.say("record", label=label, fields=separator.join(fields)))


def _values(setting: Setting, measures: tuple[Measure, ...]) -> str:
    first, *rest = measures[:_FIELDS]
    start = setting.say(
        "record.first", value=first.text(first.numbers[0]), period=setting.period, **setting.subject(first)
    )
    parts = [
        setting.say("record.rest", value=other.text(other.numbers[0]), **setting.subject(other))
        for other in rest
    ]
    if setting.lang == "zh":
        return f"{'，'.join([start, *parts])}。"
    middle = "".join(f", {part}" for part in parts[:-1])
    return f"{start}{middle} and {parts[-1]}." if parts else f"{start}."
