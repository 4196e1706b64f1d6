"""One value, and nothing at all."""

import math

from text2sql.answers.echo import (
    asks_whether_any,
    asks_yes_or_no,
    choice_statement,
    count_statement,
    noun_phrase_statement,
    value_statement,
)
from text2sql.answers.phrases import be, capitalized, counted, with_article
from text2sql.answers.relative_times import names_a_period
from text2sql.answers.setting import AnswerText, Setting
from text2sql.answers.view import Measure
from text2sql.result_columns.headers import plural, readable
from text2sql.result_columns.numbers import NumberStyle
from text2sql.types import Value


def describe_nothing(setting: Setting) -> AnswerText:
    """No rows at all."""
    if setting.question and asks_whether_any(setting.question, setting.lang):
        return AnswerText(setting.say("no.list", period=setting.period))
    things = subject_things(setting)
    if not things:
        return AnswerText(setting.say("empty.rows", period=setting.period))
    return AnswerText(setting.say("empty", things=things, period=setting.period))


def subject_things(setting: Setting) -> str:
    """What the rows are, as a plural: *customers*; empty if that is not clear."""
    facts = setting.view.facts
    if not facts.subject or facts.is_aggregate or facts.is_distinct:
        return ""
    things = readable(facts.subject, setting.lang)
    return things if setting.lang == "zh" else plural(things)


def describe_value(setting: Setting) -> AnswerText:
    view = setting.view
    value = view.result.rows[0][0]
    measure = view.main
    if setting.question and asks_yes_or_no(setting.question, setting.lang):
        answer = _yes_or_no(setting, value, measure)
        if answer:
            return AnswerText(answer)
    if value is None:
        noun = measure.noun if measure else view.noun(0)
        return AnswerText(setting.say("value.none", noun=noun, period=setting.period))
    if measure is None:
        return AnswerText(_text_value(setting))
    number = measure.numbers[0]
    if number is None or not math.isfinite(number):
        return AnswerText(_text_value(setting))
    if measure.output.function in ("count", "count_distinct") and number == int(number):
        return AnswerText(_count(setting, measure, int(number)))
    return AnswerText(_number(setting, measure, number))


def _yes_or_no(setting: Setting, value: Value, measure: Measure | None) -> str:
    if isinstance(value, bool):
        return setting.say("yes" if value else "no")
    if not asks_whether_any(setting.question, setting.lang):
        is_flag = value in (0, 1) and (measure is None or not measure.output.function)
        return setting.say("yes" if value else "no") if is_flag else ""
    if (
        measure is not None
        and measure.output.function in ("count", "count_distinct")
        and isinstance(value, int)
    ):
        if value == 0:
            return setting.say("no.count", period=setting.period)
        count = counted(value, measure.text(value), measure.things or setting.say("rows"), setting.lang)
        return setting.say("yes.count", count=count, be="is" if value == 1 else "are", period=setting.period)
    return ""


def _text_value(setting: Setting) -> str:
    view = setting.view
    text = view.text(0, 0)
    if setting.question:
        echoed = choice_statement(setting.question, text, setting.lang, view.noun(0)) or value_statement(
            setting.question, text, setting.lang
        )
        if echoed:
            return echoed if echoed.endswith(("。", ".")) else f"{echoed}."
    if isinstance(view.result.rows[0][0], bool):
        return setting.say("answer", value=text)
    return _name(setting, text) if _is_a_name(setting) else _text_with_noun(setting, text)


def _is_a_name(setting: Setting) -> bool:
    output, facts = setting.view.outputs[0], setting.view.facts
    is_listed = output.role in ("shown", "label", "key") and not output.function and not facts.is_aggregate
    return is_listed or bool(facts.order and facts.limit)


def _name(setting: Setting, text: str) -> str:
    facts = setting.view.facts
    if facts.order or facts.limit == 1:
        return setting.say("top.only", leader=text)
    sentence = setting.say("list.one", item=text)
    if setting.question and asks_whether_any(setting.question, setting.lang):
        return setting.say("yes.list", sentence=sentence)
    return sentence


def _text_with_noun(setting: Setting, text: str) -> str:
    noun = setting.view.noun(0)
    return setting.say(
        "value.text",
        noun=noun,
        Subject=capitalized(with_article(noun)),
        be=be(noun, past=setting.is_past),
        value=text,
        period=setting.period,
    )


def _count(setting: Setting, measure: Measure, number: int) -> str:
    digits = measure.text(number)
    if setting.question:
        echoed = count_statement(setting.question, number, digits, setting.lang)
        if echoed:
            return _with_dates(echoed, setting)
    things = measure.things
    if not things:
        key = "count.zero_rows" if number == 0 else "count.rows"
        return setting.say(key, value=digits, period=setting.period)
    if number == 0:
        return setting.say("count.zero", things=things, period=setting.period)
    count = counted(number, digits, things, setting.lang)
    if setting.view.facts.is_filtered:
        match = "matches" if number == 1 else "match"
        return setting.say("count.filtered", Count=count, count=count, match=match, period=setting.period)
    tense = ("was", "were") if setting.is_past else ("is", "are")
    return setting.say("count", be=tense[number != 1], count=count, period=setting.period)


def _number(setting: Setting, measure: Measure, number: float) -> str:
    value = _with_larger_unit(setting, measure, number)
    if setting.question:
        be = setting.subject(measure)["be"]
        dates = setting.dates if names_a_period(setting.question) else ""
        echoed = value_statement(setting.question, value, setting.lang)
        if not echoed and setting.lang == "en":
            echoed = noun_phrase_statement(setting.question, measure.noun, be, value, dates)
            if echoed:
                return echoed
        if echoed:
            return _with_dates(echoed, setting)
    return setting.say("value", value=value, period=setting.period, **setting.subject(measure))


def _with_larger_unit(setting: Setting, measure: Measure, number: float) -> str:
    """Long durations in minutes or hours as well."""
    text = measure.text(number)
    for unit, size, larger in (("ms", 60_000, "min"), ("s", 3_600, "h"), ("s", 60, "min"), ("min", 60, "h")):
        if measure.style.unit == unit and abs(number) >= 2 * size:
            shown = NumberStyle(1, larger).text(number / size, setting.lang)
            return setting.say("larger_unit", value=text, larger=shown)
    return text


def _with_dates(sentence: str, setting: Setting) -> str:
    """The dates at the end, where the question names the period by its distance from today."""
    if not names_a_period(setting.question) or not setting.dates:
        return sentence
    return f"{sentence[:-1]}{setting.dates}{sentence[-1]}"
