"""Two values beside each other: two periods, two groups, or a value and the one before."""

from text2sql.answers.phrases import be, beside, capitalized, measure_word
from text2sql.answers.rankings import describe_groups
from text2sql.answers.setting import AnswerText, Setting
from text2sql.answers.view import Labels, Measure
from text2sql.result_columns.numbers import percent


def change_facts(setting: Setting, measure: Measure, old: float, new: float) -> dict[str, str]:
    """The difference and the change in percent, in words; points for percentages."""
    difference = abs(new - old)
    if measure.is_percent:
        return {"difference": setting.say("points", number=measure.style.digits(difference)), "percent": ""}
    text = percent(difference, old) if old > 0 else None
    return {
        "difference": measure.text(difference),
        "percent": setting.say("percent", percent=text) if text else "",
    }


def direction(old: float, new: float) -> str:
    return "up" if new > old else "down" if new < old else "none"


def describe_two_periods(setting: Setting) -> AnswerText:
    view = setting.view
    measure, times = view.main, view.times
    if measure is None or times is None:
        raise RuntimeError("two periods need a time and a number")
    rows = (
        sorted(range(2), key=lambda row: times.view.numbers[row] or 0)
        if times.grain is None
        else sorted(
            range(2),
            key=lambda row: (times.moments[row] is None, times.moments[row]),
        )
    )
    first, last = rows
    sentences = [
        _period_change(setting, other, first, last)
        for other in view.values[:3]
        if other.output.role == "value"
    ]
    if not sentences:
        sentences = [_period_change(setting, measure, first, last)]
    incomplete = ""
    if setting.last_period_incomplete:
        value = measure.text(measure.numbers[last])
        incomplete = setting.say("series.incomplete", when=times.texts[last], value=value)
    return AnswerText(setting.sentences([*sentences, incomplete]))


def _period_change(setting: Setting, measure: Measure, first: int, last: int) -> str:
    times = setting.view.times
    old, new = measure.numbers[first], measure.numbers[last]
    if times is None or old is None or new is None:
        known = last if new is not None else first
        when = times.at(times.texts[known]) if times else ""
        return setting.say(
            "series.last",
            value=measure.text(measure.numbers[known]),
            when=when,
            change="",
            **setting.subject(measure),
        )
    facts = change_facts(setting, measure, old, new)
    return setting.say(
        f"change.{direction(old, new)}",
        old=measure.text(old),
        new=measure.text(new),
        before=times.at(times.texts[first]),
        now=times.at(times.texts[last]),
        was=be(measure.noun, past=True),
        **facts,
        **setting.subject(measure),
    )


def describe_change(setting: Setting) -> AnswerText:
    """One row with a value and the one before."""
    view = setting.view
    value, previous = view.with_role("value"), view.with_role("previous")
    if value is None or previous is None:
        raise RuntimeError("a change needs two values")
    old, new = previous.numbers[0], value.numbers[0]
    if old is None or new is None:
        known = value if new is not None else previous
        return AnswerText(
            setting.say(
                "value", value=known.text(known.numbers[0]), period=setting.period, **setting.subject(known)
            )
        )
    facts = change_facts(setting, value, old, new)
    key = f"change.{direction(old, new)}.previous"
    return AnswerText(
        setting.say(
            key,
            old=value.text(old),
            new=value.text(new),
            period=setting.period,
            **facts,
            **setting.subject(value),
        )
    )


def describe_two_groups(setting: Setting) -> AnswerText:
    view = setting.view
    measure, labels = view.main, view.labels[0]
    if measure is None or not labels.are_distinct or any(number is None for number in measure.numbers):
        return describe_groups(setting)
    others = [
        other
        for other in view.values
        if other is not measure and other.output.role == "value" and None not in other.numbers
    ]
    sentences = [_two_groups(setting, labels, found) for found in (measure, *others[:2])]
    return AnswerText(setting.sentences(sentences))


def _two_groups(setting: Setting, labels: Labels, measure: Measure) -> str:
    high, low = (0, 1) if (measure.numbers[0] or 0.0) >= (measure.numbers[1] or 0.0) else (1, 0)
    more, less = measure.numbers[high] or 0.0, measure.numbers[low] or 0.0
    subject = setting.subject(measure)
    if more == less:
        return setting.say(
            "two.equal", first=labels.texts[0], second=labels.texts[1], value=measure.text(more), **subject
        )
    key = "two.more" if measure.things else "two"
    return setting.say(
        key,
        first=labels.texts[high],
        First=capitalized(labels.texts[high]),
        second=labels.texts[low],
        value=_shown(setting, measure, more),
        other=_shown(setting, measure, less),
        direction=setting.say("higher"),
        difference=_difference(setting, measure, more - less),
        percent=_ratio(setting, measure, more, less),
        things=measure.things,
        **subject,
    )


def _shown(setting: Setting, measure: Measure, number: float) -> str:
    if setting.lang == "zh" and measure.things:
        return beside(measure.text(number), measure_word(measure.things))
    return measure.text(number)


def _difference(setting: Setting, measure: Measure, difference: float) -> str:
    if measure.is_percent:
        return setting.say("points", number=measure.style.digits(difference))
    return measure.text(difference)


def _ratio(setting: Setting, measure: Measure, more: float, less: float) -> str:
    """How many times as much, or by how many percent; nothing where that means nothing."""
    if less <= 0 or measure.is_percent:
        return ""
    if more / less >= 2:
        times = more / less
        return setting.say("times", times=f"{times:,.1f}") if times < 1_000_000 else ""
    text = percent(more - less, less)
    return setting.say("percent", percent=text) if text else ""
