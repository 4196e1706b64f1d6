"""Describes a result in a sentence, from templates: exact figures, no model, either language."""

from collections.abc import Sequence

from text2sql.i18n import Language, say
from text2sql.text_normalization import is_expression, words
from text2sql.types import QueryResult, Value

_LISTED = 5
_LONG = 60  # characters of a value in a sentence


def sentence(result: QueryResult, lang: Language, assumptions: Sequence[str] = ()) -> str:
    return "\n".join([_describe(result, lang), *assumptions])


def _describe(result: QueryResult, lang: Language) -> str:
    rows, names = result.rows, [column.name for column in result.columns]
    if not rows:
        return say("answer.empty", lang)
    if len(rows) == 1:
        values = "; ".join(_labeled(name, value, lang) for name, value in zip(names, rows[0], strict=True))
        return say("answer.value" if is_expression(names[0]) else "answer.one", lang, values=values)
    count = _number(len(rows))
    key = "answer.cut" if result.truncated else "answer.many"
    labels = _labels(result)
    shown = [_row(row, labels, lang) for row in rows[:_LISTED]]
    more = "…" if len(rows) > _LISTED else ""
    separator = "；" if lang == "zh" else "; "
    text = say(key, lang, count=count, values=separator.join(shown) + more)
    return text[:-1] if more else text  # the ellipsis ends the sentence


def _labels(result: QueryResult) -> tuple[bool, ...]:
    """Which columns identify something, so that their numbers have no thousands separators."""
    columns = zip(*result.rows, strict=True)
    return tuple(
        words(column.name)[-1:] in (("id",), ("year",), ("code",))
        or all(isinstance(value, int) and 1000 <= value <= 2999 for value in values)
        for column, values in zip(result.columns, columns, strict=True)
    )


def _row(row: tuple[Value, ...], labels: tuple[bool, ...], lang: Language) -> str:
    first, *rest = (
        _value(value, lang, is_label=label) for value, label in list(zip(row, labels, strict=True))[:4]
    )
    return f"{first} ({', '.join(rest)})" if rest else first


def _labeled(name: str, value: Value, lang: Language) -> str:
    """An unnamed column is named by its SQL expression, which is left out."""
    is_year = isinstance(value, int) and 1000 <= value <= 2999
    shown = _value(value, lang, is_label=is_year or words(name)[-1:] == ("id",))
    return shown if is_expression(name) else f"{_name(name)}: {shown}"


def _name(name: str) -> str:
    return name.replace("_", " ").strip() or "?"


def _value(value: Value, lang: Language, *, is_label: bool = False) -> str:
    if value is None:
        return say("answer.null", lang)
    if isinstance(value, bool):
        return say("answer.yes" if value else "answer.no", lang)
    if isinstance(value, float):
        return _number(round(value, 2)) if abs(value) >= 0.01 or value == 0 else f"{value:.3g}"
    if isinstance(value, int):
        return str(value) if is_label else _number(value)
    text = " ".join(str(value).split())
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _number(value: int | float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,}"
