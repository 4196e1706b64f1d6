"""Groups with a number each: who leads, by how much, and with what share."""

import math
import re

from text2sql.answers.echo import choice_statement
from text2sql.answers.phrases import (
    be,
    beside,
    capitalized,
    counted,
    joined,
    measure_word,
    plural_of,
    with_article,
)
from text2sql.answers.setting import AnswerText, Setting
from text2sql.answers.view import Labels, Measure
from text2sql.result_columns.numbers import percent

_NAMED = 3  # groups in a sentence
_TOP = 3
_MANY = 6  # groups from which their concentration is worth a finding

_LEADERS = 5  # groups that a sentence names


class GroupedNumbers:
    """The rows with a number, best first; `lowest`: the smallest first."""

    def __init__(self, setting: Setting, labels: Labels, measure: Measure) -> None:
        self.setting, self.labels, self.measure = setting, labels, measure
        facts = setting.view.facts
        ordered = next((descending for at, descending in facts.order if at == measure.view.index), None)
        numbers = measure.numbers
        rows = [row for row, number in enumerate(numbers) if number is not None and math.isfinite(number)]
        self.lowest = ordered is False and (facts.limit is not None or setting.view.result.partial)
        named = [row for row in rows if not labels.is_null[row]]
        self.unnamed = [row for row in rows if labels.is_null[row]] if named else []
        rows = named or rows
        self.rows = sorted(rows, key=lambda row: numbers[row] or 0.0, reverse=not self.lowest)
        self.missing = len(numbers) - len(rows) - len(self.unnamed)
        is_whole = setting.view.is_whole
        self.total = math.fsum(measure.present) if measure.adds_up else None
        if min(measure.present, default=0.0) < 0 or not is_whole:
            self.total = None

    def number(self, place: int) -> float:
        return self.measure.numbers[self.rows[place]] or 0.0

    def label(self, place: int) -> str:
        return self.labels.texts[self.rows[place]]

    def value(self, place: int) -> str:
        return self.measure.text(self.number(place))

    def share(self, place: int) -> str:
        """The share of the total in words, from its own column or computed; empty if it is not known."""
        column = self.setting.view.with_role("share")
        if column is not None and column is not self.measure:
            shown = column.numbers[self.rows[place]]
            return self.setting.say("share", share=column.text(shown)) if shown is not None else ""
        if self.total is None or not self.total:
            return ""
        text = percent(self.number(place), self.total)
        key = "share.all" if self.measure.things else "share.total"
        return self.setting.say(key, share=text, total=self.measure.text(self.total)) if text else ""

    @property
    def ties(self) -> int:
        """How many share the first place."""
        first = self.number(0)
        return sum(self.number(place) == first for place in range(len(self.rows)))


def describe_groups(setting: Setting) -> AnswerText:
    """Several groups: a ranking if it is cut to the first ones, else a distribution."""
    view = setting.view
    measure, labels = view.main, view.labels[0]
    if measure is None:
        raise RuntimeError("a result without numbers has no ranking")
    labels = _joined_labels(setting, labels)
    groups = GroupedNumbers(setting, labels, measure)
    if not groups.rows:
        missing = setting.say("value.none", noun=measure.noun, period=setting.period)
        return AnswerText(missing)
    sentence = _sentence(groups)
    others = [_other_leader(setting, labels, other, groups) for other in view.values if other is not measure][
        :2
    ]
    if not view.is_whole and not view.facts.order:  # other groups may be larger
        sentence = setting.say("of_shown", count=f"{setting_rows(groups):,}") + sentence
    return AnswerText(setting.sentences([sentence, *others]), tuple(_findings(groups)))


def describe_leaders(setting: Setting) -> AnswerText:
    """The first of each group: *by genre, the highest …: Rock: Balls to the Wall (5); Jazz: …*."""
    view = setting.view
    groups, things, measure = view.labels[0], view.labels[1], view.main
    if measure is None:
        raise RuntimeError("a result without numbers has no ranking")
    first: dict[str, tuple[list[str], float | None]] = {}
    for group, thing, number in zip(groups.texts, things.texts, measure.numbers, strict=True):
        first.setdefault(group, ([], number))[0].append(thing)
    items = [
        setting.say("leaders.item", group=group, thing=_first_of(names, setting), value=measure.text(number))
        for group, (names, number) in first.items()
    ]
    descending = view.facts.order[0][1] if view.facts.order else True
    shown = setting.say("leaders.and").join(items[:_LEADERS])
    key = "leaders.highest" if descending else "leaders.lowest"
    sentence = setting.say(key, group=groups.noun, noun=measure.noun, items=shown)
    if len(items) > _LEADERS:
        sentence += setting.say("leaders.more", count=f"{len(items) - _LEADERS:,}")
    return AnswerText(sentence + ("。" if setting.lang == "zh" else "."))


def _first_of(names: list[str], setting: Setting) -> str:
    if len(names) == 1:
        return names[0]
    return setting.say("leaders.tied", thing=names[0], count=f"{len(names) - 1:,}")


def _joined_labels(setting: Setting, labels: Labels) -> Labels:
    """Several dimensions whose first one does not tell the rows apart, as one."""
    if labels.are_distinct or len(setting.view.labels) < 2:
        return labels
    distinct = next((found for found in setting.view.labels if found.are_distinct), None)
    if distinct is not None:
        return distinct
    texts = tuple(
        " · ".join(parts) for parts in zip(*(found.texts for found in setting.view.labels), strict=True)
    )
    return Labels(labels.columns, labels.output, labels.noun, texts, labels.is_null)


def _sentence(groups: GroupedNumbers) -> str:
    setting, measure = groups.setting, groups.measure
    count = len(groups.rows)
    if count == 1:
        return _lead(groups) + _end(setting)
    if groups.ties == count and count > 2:
        things = counted(count, f"{count:,}", plural_of(groups.labels.noun, setting.lang), setting.lang)
        return setting.say("all_equal", groups=things, noun=measure.noun, value=groups.value(0))
    if groups.ties > 1:
        return _tied(groups) + _end(setting)
    parts = _lead(groups)
    if groups.setting.view.is_whole and not setting.view.facts.limit:
        return parts + _followers(groups, "followed.groups") + _end(setting) + _how_many(groups)
    return parts + _distance(groups) + _others(groups) + _end(setting)


def _end(setting: Setting) -> str:
    return "。" if setting.lang == "zh" else "."


def _lead(groups: GroupedNumbers) -> str:
    setting, measure = groups.setting, groups.measure
    leader = groups.label(0)
    facts = {"leader": leader, "Leader": capitalized(leader), "have": "has", "value": groups.value(0)}
    facts["share"] = groups.share(0)
    if measure.things:
        count = counted(round(groups.number(0)), groups.value(0), "", setting.lang)
        if setting.lang == "zh":
            count = beside(groups.value(0), measure_word(measure.things))
        return setting.say("fewest" if groups.lowest else "most", things=measure.things, count=count, **facts)
    return setting.say("lowest" if groups.lowest else "highest", noun=_compared_noun(measure.noun), **facts)


def _compared_noun(noun: str) -> str:
    """*the highest price*, not *the highest highest price*."""
    return re.sub(r"^(?:highest|lowest|最高|最低)\s*(?=\S)", "", noun)


def _distance(groups: GroupedNumbers) -> str:
    """How far the second one is behind; an average is higher, an amount is more."""
    setting, measure = groups.setting, groups.measure
    difference = abs(groups.number(0) - groups.number(1))
    text = measure.text(difference)
    if measure.is_percent:
        text = setting.say("points", number=measure.style.digits(difference))
    is_amount = measure.adds_up
    if groups.lowest:
        key = "behind.fewer" if measure.things else "behind" if is_amount else "behind.lower"
    else:
        key = "ahead" if is_amount else "ahead.higher"
    return setting.say(key, difference=text, second=groups.label(1), value=groups.value(1))


def _others(groups: GroupedNumbers) -> str:
    places = range(2, min(len(groups.rows), _NAMED + 1))
    if not places:
        return ""
    return groups.setting.say(
        "followed", others=_named(groups, places), come="come" if len(places) > 1 else "comes"
    )


def _followers(groups: GroupedNumbers, key: str) -> str:
    places = range(1, min(len(groups.rows), _NAMED))
    return groups.setting.say(key, others=_named(groups, places)) if places else ""


def _named(groups: GroupedNumbers, places: range) -> str:
    left, right = ("（", "）") if groups.setting.lang == "zh" else (" (", ")")
    items = [f"{groups.label(place)}{left}{groups.value(place)}{right}" for place in places]
    return joined(items, groups.setting.lang)


def _how_many(groups: GroupedNumbers) -> str:
    setting, count = groups.setting, setting_rows(groups)
    if count <= _NAMED:
        return ""
    things = counted(count, f"{count:,}", plural_of(groups.labels.noun, setting.lang), setting.lang)
    return ("" if setting.lang == "zh" else " ") + setting.say("groups", groups=things)


def setting_rows(groups: GroupedNumbers) -> int:
    return len(groups.rows) + groups.missing


def _tied(groups: GroupedNumbers) -> str:
    setting, measure, ties = groups.setting, groups.measure, groups.ties
    named = [groups.label(place) for place in range(min(ties, 4))]
    leaders = joined(named, setting.lang)
    if ties > len(named):
        things = counted(ties, f"{ties:,}", plural_of(groups.labels.noun, setting.lang), setting.lang)
        leaders = things
    key = "tied.lowest" if groups.lowest else "tied.most" if measure.things else "tied.highest"
    count = beside(groups.value(0), measure_word(measure.things))
    return setting.say(
        key,
        count=count,
        leaders=leaders,
        Leaders=capitalized(leaders),
        noun=measure.things or measure.noun,
        value=groups.value(0),
    )


def _other_leader(setting: Setting, labels: Labels, other: Measure, groups: GroupedNumbers) -> str:
    """The leader in a further number."""
    if not other.present or other.output.role != "value":
        return ""
    second = GroupedNumbers(setting, labels, other)
    if not second.rows or second.ties > 1:
        return ""
    is_same = second.rows[0] == groups.rows[0]
    key = "lead.other" if not is_same else "lead.also_lowest" if second.lowest else "lead.also"
    leader = second.label(0)
    noun = other.noun
    return setting.say(
        key, leader=leader, Leader=capitalized(leader), noun=noun, value=second.value(0), have="has"
    )


def _findings(groups: GroupedNumbers) -> list[str]:
    setting, measure, count = groups.setting, groups.measure, len(groups.rows)
    found = []
    if groups.total and count >= _MANY and not groups.lowest:
        share = percent(math.fsum(groups.number(place) for place in range(_TOP)), groups.total)
        if share:
            found.append(setting.say("finding.concentration", count=_TOP, share=share))
    column = setting.view.with_role("share")
    if not setting.view.is_whole and count > 1 and setting.view.facts.limit:
        if column is not None and None not in column.numbers:
            total = math.fsum(column.present)
            found.append(setting.say("finding.shown_share", count=count, share=column.text(total)))
        elif measure.adds_up:
            total = math.fsum(measure.present)
            found.append(setting.say("finding.shown_total", count=count, total=measure.text(total)))
    elif count > _NAMED and not groups.lowest and groups.total is None and groups.ties == 1:
        found.append(
            setting.say("finding.lowest", label=groups.label(count - 1), value=groups.value(count - 1))
        )
    found += _gaps(groups)
    return found


def _gaps(groups: GroupedNumbers) -> list[str]:
    setting, measure = groups.setting, groups.measure
    found = []
    if len(groups.unnamed) == 1 and measure.adds_up:
        number = measure.numbers[groups.unnamed[0]] or 0.0
        text, key = measure.text(number), "finding.no_label_amount"
        if measure.things:
            text, key = counted(round(number), text, measure.things, setting.lang), "finding.no_label"
        belong = "has" if number == 1 else "have"
        found.append(setting.say(key, value=text, group=groups.labels.noun, belong=belong))
    if groups.missing:
        things = plural_of(groups.labels.noun, setting.lang)
        count = counted(groups.missing, f"{groups.missing:,}", things, setting.lang)
        found.append(
            setting.say(
                "finding.missing",
                count=count,
                noun=measure.noun,
                have="has" if groups.missing == 1 else "have",
            )
        )
    negative = sum(number < 0 for number in measure.present)
    if negative and negative < len(measure.present):
        count = counted(negative, f"{negative:,}", plural_of(groups.labels.noun, setting.lang), setting.lang)
        found.append(setting.say("finding.negative", count=count, be="is" if negative == 1 else "are"))
    return found


def describe_leader(setting: Setting) -> AnswerText:
    """One row with a label and numbers."""
    view = setting.view
    measure = view.main
    label = view.labels[0].texts[0] if view.labels else view.times.texts[0] if view.times else ""
    if measure is None:
        raise RuntimeError("a row without numbers is a record")
    value = measure.text(measure.numbers[0])
    descending = next((way for at, way in view.facts.order if at == measure.view.index), None)
    rest = "".join(_aside(setting, other) for other in view.measures if other is not measure)
    if setting.question:
        noun = view.labels[0].noun if view.labels else ""
        echoed = choice_statement(setting.question, label, setting.lang, noun)
        if echoed:
            return AnswerText(_with_value(echoed, setting, measure, value) + _sentence_of(rest, setting))
    if descending is not None and view.facts.limit == 1 and measure.numbers[0] is not None and view.labels:
        groups = GroupedNumbers(setting, view.labels[0], measure)
        groups.lowest = not descending
        return AnswerText(_lead(groups) + rest + _end(setting))
    noun = measure.noun if setting.lang == "zh" else with_article(measure.noun)
    tense = be(measure.noun, past=setting.is_past)
    sentence = setting.say("by_label", label=label, noun=noun, be=tense, value=value)
    return AnswerText(sentence[:-1] + rest + _end(setting))


def _with_value(echoed: str, setting: Setting, measure: Measure, value: str) -> str:
    if measure.things:
        value = counted(round(measure.numbers[0] or 0), value, measure.things, setting.lang)
    elif not all(word in echoed.lower() for word in measure.noun.lower().split()):
        value = beside(measure.noun, value) if setting.lang == "zh" else f"{measure.noun}: {value}"
    body = echoed.rstrip("。.")
    return f"{body}（{value}）" if setting.lang == "zh" else f"{body} ({value})"


def _aside(setting: Setting, other: Measure) -> str:
    value = other.text(other.numbers[0])
    return f"，{beside(other.noun, value)}" if setting.lang == "zh" else f", {other.noun} {value}"


def _sentence_of(rest: str, setting: Setting) -> str:
    return rest + _end(setting)
