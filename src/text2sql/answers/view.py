"""A result as a sentence needs it: labels, times and numbers, each with its noun in the reader's language."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from text2sql.answers.nouns import counted_things, measure_noun
from text2sql.answers.phrases import joined, phrase
from text2sql.i18n import Language
from text2sql.result_columns.columns import ColumnView, column_views
from text2sql.result_columns.dates import moment_text, part_text
from text2sql.result_columns.headers import noun, unit_of
from text2sql.result_columns.numbers import NumberStyle, style_of
from text2sql.result_columns.person_names import name_parts
from text2sql.result_columns.temporal import GRAINS, Grain, Moment
from text2sql.text_normalization import has_chinese, words
from text2sql.types import OutputColumn, QueryFacts, QueryResult, Value

_MAX_LENGTH = 60  # characters of a value in a sentence
_PREPOSITIONS = {"day": "on", "weekday": "on", "moment": "on", "hour": "at"}
_NUMBER_ROLES = ("value", "previous", "difference", "percent_change", "share")


@dataclass(frozen=True)
class Measure:
    """A column of numbers."""

    view: ColumnView
    output: OutputColumn
    noun: str
    things: str  # what is counted, as a plural; empty if nothing is
    style: NumberStyle
    lang: Language

    @property
    def numbers(self) -> tuple[float | None, ...]:
        return self.view.numbers

    @cached_property
    def present(self) -> tuple[float, ...]:
        return tuple(number for number in self.numbers if number is not None)

    @property
    def is_percent(self) -> bool:
        return self.style.unit == "%"

    @cached_property
    def adds_up(self) -> bool:
        """Whether the sum over the rows means something."""
        if self.output.running or self.output.moving or self.is_percent or not self.present:
            return False
        if self.output.function:
            return self.output.function in ("sum", "count")
        return self.view.adds_up

    def text(self, number: float | None) -> str:
        if number is None:
            return phrase("no_value", self.lang)
        return self.style.text(number, self.lang)


@dataclass(frozen=True)
class Labels:
    """The texts that name the rows, from one column or from the parts of a name."""

    columns: tuple[ColumnView, ...]
    output: OutputColumn
    noun: str
    texts: tuple[str, ...]
    is_null: tuple[bool, ...]

    @property
    def are_distinct(self) -> bool:
        return len(set(self.texts)) == len(self.texts)


@dataclass(frozen=True)
class Times:
    """The column of dates, months or years; or of parts of dates that repeat."""

    view: ColumnView
    output: OutputColumn
    grain: Grain | None  # None: a part that repeats, such as each March
    moments: tuple[Moment | None, ...]
    texts: tuple[str, ...]
    lang: Language

    @property
    def are_distinct(self) -> bool:
        return len(set(self.texts)) == len(self.texts)

    def at(self, text: str) -> str:
        """*in March 2025*, *on March 5, 2025*; in Chinese the text alone."""
        if self.lang == "zh":
            return text
        key = self.output.part or self.view.calendar_part or self.grain or ""
        return f"{_PREPOSITIONS.get(key, 'in')} {text}"

    @property
    def bucket(self) -> str:
        """*month*, *year*, *day* …"""
        if self.output.part:
            return self.output.part
        return {"moment": "day", None: "day"}.get(self.grain, self.grain or "day")


class ResultView:
    """The columns of a result by what they do in a sentence."""

    def __init__(self, result: QueryResult, facts: QueryFacts, question: str, lang: Language) -> None:
        self.result, self.facts, self.question, self.lang = result, facts, question, lang
        self.columns = column_views(result)
        known = facts.columns if len(facts.columns) == len(self.columns) else ()
        outputs = [
            _completed(view, known[at] if known else None, facts) for at, view in enumerate(self.columns)
        ]
        if all(output.role in ("shown", "key") for output in outputs):
            outputs = [
                replace(output, role="value")
                if view.role == "measure" and not _has_names(self.columns)
                else output
                for view, output in zip(self.columns, outputs, strict=True)
            ]
        self.outputs = tuple(outputs)

    @property
    def row_count(self) -> int:
        return len(self.result.rows)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(self._measure(at) for at in self._with_roles(*_NUMBER_ROLES))

    @cached_property
    def values(self) -> tuple[Measure, ...]:
        return self._of_role("value") or self._of_role("percent_change", "difference", "share", "previous")

    @cached_property
    def main(self) -> Measure | None:
        """The number that the rows are about: the one that they are ordered by, else the first one."""
        ordered = self.facts.order[0][0] if self.facts.order else -1
        return next((value for value in self.values if value.view.index == ordered), None) or (
            self.values[0] if self.values else None
        )

    def with_role(self, role: str) -> Measure | None:
        return next((measure for measure in self.measures if measure.output.role == role), None)

    @cached_property
    def times(self) -> Times | None:
        for at, (view, output) in enumerate(zip(self.columns, self.outputs, strict=True)):
            if output.role == "group" and (view.role in ("time", "step") or output.part):
                return self._times(at)
        return None

    @cached_property
    def labels(self) -> tuple[Labels, ...]:
        """The dimensions of the rows, names of persons as one; keys only if there is nothing else."""
        time = self.times.view.index if self.times else -1
        columns = [at for at in self._with_roles("group", "label") if at != time]
        if not self.values and not columns:
            columns = self._with_roles("shown")
        columns = columns or self._with_roles("shown") or self._with_roles("key")
        return tuple(
            self._labels(indexes) for indexes in name_parts(columns, [view.name for view in self.columns])
        )

    @cached_property
    def is_whole(self) -> bool:
        """Whether the rows are all groups that there are."""
        limit = self.facts.limit
        is_cut = limit is not None and limit <= self.row_count
        return not (self.result.truncated or self.result.partial or is_cut)

    def text(self, row: int, column: int) -> str:
        """A cell in words."""
        measure = next((found for found in self.measures if found.view.index == column), None)
        if measure is not None:
            return measure.text(measure.numbers[row])
        view, output = self.columns[column], self.outputs[column]
        return cell_text(view, output, row, self.lang)

    def noun(self, column: int) -> str:
        return noun(self.outputs[column], self.columns[column].name, self.lang)

    def _with_roles(self, *roles: str) -> list[int]:
        return [at for at, output in enumerate(self.outputs) if output.role in roles]

    def _of_role(self, *roles: str) -> tuple[Measure, ...]:
        return tuple(measure for measure in self.measures if measure.output.role in roles)

    def _measure(self, at: int) -> Measure:
        view, output = self.columns[at], self.outputs[at]
        unit = unit_of(output, view.name)
        is_fraction = unit != "%" and view.is_share
        if unit == "" and not is_fraction and (output.role == "percent_change" or view.names_a_share):
            unit = "%" if _looks_like_percent(view, output) else ""
        style = style_of(view.numbers, f"{view.name} {output.source}", unit=unit, is_fraction=is_fraction)
        things = counted_things(output, self.facts, self.question, self.lang)
        return Measure(
            view,
            output,
            measure_noun(output, view.name, self.facts, self.question, self.lang),
            things,
            style,
            self.lang,
        )

    def _times(self, at: int) -> Times:
        view, output = self.columns[at], self.outputs[at]
        rows = range(self.row_count)
        texts = tuple(cell_text(view, output, row, self.lang) for row in rows)
        if view.role == "time":
            moments = tuple(view.moment(row) for row in rows)
            return Times(view, output, view.grain, moments, texts, self.lang)
        return Times(view, output, None, (None,) * self.row_count, texts, self.lang)

    def _labels(self, indexes: Sequence[int]) -> Labels:
        views = tuple(self.columns[at] for at in indexes)
        output = self.outputs[indexes[0]]
        texts, nulls = [], []
        for row in range(self.row_count):
            parts = [self._label(at, row) for at in indexes]
            is_chinese = any(map(has_chinese, parts))
            texts.append(("" if is_chinese else " ").join(parts))
            nulls.append(all(view.values[row] is None for view in views))
        return Labels(views, output, self._label_noun(indexes), tuple(texts), tuple(nulls))

    def _label(self, at: int, row: int) -> str:
        text = cell_text(self.columns[at], self.outputs[at], row, self.lang)
        if not isinstance(self.columns[at].values[row], bool):
            return text
        noun = re.sub(r"^(?:is|has|是否) ?", "", self.noun(at))
        return f"{noun}{'：' if self.lang == 'zh' else ': '}{text}"

    def _label_noun(self, indexes: Sequence[int]) -> str:
        output = self.outputs[indexes[0]]
        table, _, column = output.source.rpartition(".")
        last = words(column or self.columns[indexes[0]].name)[-1:]
        is_a_name = len(indexes) > 1 or last in (("name",), ("title",)) or column in ("名称", "姓名", "名字")
        if is_a_name and table:
            return noun(OutputColumn(table, "label", table), table, self.lang)
        return self.noun(indexes[0])


def _has_names(columns: Sequence[ColumnView]) -> bool:
    return any(column.role in ("category", "time", "step", "other") for column in columns)


def cell_text(view: ColumnView, output: OutputColumn, row: int, lang: Language) -> str:
    value = view.values[row]
    if value is None:
        return phrase("no_value", lang)
    if isinstance(value, bool):
        return phrase("true" if value else "false", lang)
    if output.part or view.role == "step":
        number = view.numbers[row]
        part = output.part or view.calendar_part
        if part == "weekday" and not output.part:  # where the week starts is not known
            return str(value)
        return part_text(part, int(number), lang) if number is not None and part else str(value)
    if view.role == "time" and (time := view.moment(row)) is not None:
        grain = (
            view.grain if view.grain and GRAINS.index(view.grain) > GRAINS.index(time.grain) else time.grain
        )
        return moment_text(time, lang, grain)
    return _plain_text(value, view, output)


def _plain_text(value: Value, view: ColumnView, output: OutputColumn) -> str:
    if isinstance(value, int | float) and output.role != "key" and view.role != "id":
        return view.number_style.digits(value) if abs(value) < 1e300 else str(value)
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = " ".join(str(value).split())
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def _completed(view: ColumnView, known: OutputColumn | None, facts: QueryFacts) -> OutputColumn:
    """What a column is, from the query where it says so, else from its values."""
    is_number = view.role == "measure"
    if known is None:
        roles = {"time": "group", "step": "group", "category": "label", "id": "key", "measure": "value"}
        return OutputColumn("", roles.get(view.role, "shown"))  # type: ignore[arg-type]
    ordered = facts.order[0][0] if facts.order else -1
    if known.role == "shown" and is_number and (ordered == view.index or not facts.columns):
        return replace(known, role="value")
    if known.role == "shown" and is_number and not facts.is_aggregate and not known.source:
        return replace(known, role="value")  # a calculated number in a list
    if known.role in _NUMBER_ROLES and not is_number:
        return replace(known, role="shown")
    if known.role == "group" and view.role == "id" and not known.bucket:
        return replace(known, role="key")
    return known


def _looks_like_percent(view: ColumnView, output: OutputColumn) -> bool:
    if output.role == "percent_change" or re.search(r"percent|pct|百分", view.name, re.IGNORECASE):
        return True
    present = [abs(number) for number in view.numbers if number is not None]
    return output.role == "share" and max(present, default=0.0) > 1


def list_of(texts: Sequence[str], lang: Language) -> str:
    return joined(list(texts), lang)
