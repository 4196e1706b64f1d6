"""The names of result columns in words: `BillingCountry` is *billing country*, `COUNT(*)` is *count*."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from text2sql.i18n import Language, say
from text2sql.text_normalization import has_chinese, is_expression, singular
from text2sql.types import OutputColumn, QueryResult

_CALL = re.compile(r"(\w+)\(\s*(distinct\s+)?(.*?)\s*\)", re.IGNORECASE | re.DOTALL)
_FUNCTIONS = {
    "count": "count", "count_star": "count", "sum": "sum", "avg": "average", "min": "min", "max": "max",
    "median": "median", "mean": "average",
}  # fmt: skip
_ENGINE_NAMES = frozenset(("count", "sum", "avg", "min", "max", "?column?", "count_star()", "*", ""))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BARE = re.compile(r"[\w.\"`\[\] ]+")
_TOTAL = re.compile(r"total|sum|合计|总", re.IGNORECASE)
_DATE = re.compile(r"date|time|day|_at$|日期|时间", re.IGNORECASE)
_NAMED_ROLES = ("share", "previous", "difference", "percent_change", "rank")
_MAX_LENGTH = 60
_ACRONYMS = frozenset("id url ip vat gdp usa uk us sku isbn ssn bmi gpa imdb cpu ui".split())


@cache
def vocabulary() -> Mapping[str, Mapping[str, Any]]:
    text = resources.files("text2sql.result_columns").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def headers(result: QueryResult, lang: Language) -> tuple[str, ...]:
    """The headers of a result, each with its unit."""
    outputs = outputs_of(result)
    return tuple(
        column.label or _header(output, column.name, lang)
        for output, column in zip(outputs, result.columns, strict=True)
    )


def outputs_of(result: QueryResult) -> tuple[OutputColumn | None, ...]:
    """What the query says about each column; None where it says nothing."""
    known = result.facts.columns
    return known if len(known) == len(result.columns) else (None,) * len(result.columns)


def _header(output: OutputColumn | None, name: str, lang: Language) -> str:
    text, unit = noun(output, name, lang), unit_of(output, name)
    is_said = unit == "%" and re.search(r"percent|百分|率|\(%\)|%", text)
    left, right = ("（", "）") if lang == "zh" else (" (", ")")
    shown = text if not unit or is_said else f"{text}{left}{unit}{right}"
    return shown[:1].upper() + shown[1:]


def unit_of(output: OutputColumn | None, name: str) -> str:
    if output is not None and output.unit:
        return output.unit
    known = _measured(output, name)
    return known[1] if known and (output is None or not output.function.startswith("count")) else ""


def noun(output: OutputColumn | None, name: str, lang: Language) -> str:
    """What the numbers or texts of a column are, as a phrase without article."""
    if output is None:
        return readable(name, lang)
    alias = output.name
    if _is_telling(alias, output):
        measured = vocabulary()["units"].get(alias.lower())
        return readable(measured[0], lang) if measured else readable(alias, lang)
    return _computed_noun(output, name, lang)


def _computed_noun(output: OutputColumn, name: str, lang: Language) -> str:
    """From what a column is computed, where its alias says nothing."""
    if output.function:
        text = aggregate_noun(output, lang)
        if output.running or output.moving:
            return say("column.running" if output.running else "column.moving", lang, what=text)
        return text
    key = output.bucket or output.part or (output.role if output.role in _NAMED_ROLES else "")
    return say(f"column.{key}", lang) if key else readable(output.source or name, lang)


def _is_telling(alias: str, output: OutputColumn) -> bool:
    """Whether an alias says more than what the column is computed from."""
    if alias.lower() in _ENGINE_NAMES or is_expression(alias):
        return False
    return len(alias) > 2 or has_chinese(alias) or not (output.source or output.function or output.bucket)


def aggregate_noun(output: OutputColumn, lang: Language) -> str:
    what = source_noun(output, lang)
    function = output.function
    if function in ("count", "count_distinct"):
        return number_of(what, lang) if what else say("column.count", lang)
    if not what:
        return say("column.percentage" if output.unit == "%" else f"column.{function}_alone", lang)
    if function == "sum" and _TOTAL.search(what):
        return what
    if function == "percentile":
        return say("column.percentile_of", lang, what=what, share=f"{(output.percentile or 0.5) * 100:g}")
    if function in ("min", "max") and _DATE.search(output.source):
        return say(f"column.{'earliest' if function == 'min' else 'latest'}_of", lang, what=what)
    return say(f"column.{function}_of", lang, what=what)


def number_of(things: str, lang: Language) -> str:
    """*number of orders*, 订单数; after a name in Latin letters a word of its own."""
    if lang == "zh" and not has_chinese(things):
        return f"{things} {say('column.count', lang)}"
    return say("column.count_of", lang, what=things)


def source_noun(output: OutputColumn, lang: Language) -> str:
    """What is aggregated: the column, or the things that are counted."""
    if not output.source:
        return ""
    table, _, column = output.source.rpartition(".")
    if output.function in ("count", "count_distinct"):
        counted = re.sub(r" ID$|编号$", "", readable(column, lang))
        return counted if lang == "zh" else plural(counted)
    measured = vocabulary()["units"].get(column.lower())
    what = readable(measured[0] if measured else column, lang)
    is_generic = column.lower() in ("total", "amount", "value", "sum")
    if is_generic and table and len(table) > 2:
        owner = readable(table, lang)
        return (
            f"{owner}{'' if has_chinese(owner + what) else ' '}{what}"
            if lang == "zh"
            else f"{_singular(owner)} {what}"
        )
    return what


def _measured(output: OutputColumn | None, name: str) -> Sequence[str] | None:
    source = output.source.rpartition(".")[2] if output is not None else ""
    units: Mapping[str, Sequence[str]] = vocabulary()["units"]
    return units.get(name.lower()) or units.get(source.lower())


def readable(name: str, lang: Language = "en") -> str:
    """The name of a column or table in words.

    >>> readable("BillingCountry"), readable("order_date"), readable("AVG(T1.Total)"), readable("COUNT(*)")
    ('billing country', 'order date', 'average total', 'count')
    """
    text = " ".join(name.split())
    call = _CALL.fullmatch(text)
    if (
        call is not None
        and call[1].lower() in _FUNCTIONS
        and (not call[3] or call[3] == "*" or _BARE.fullmatch(call[3]))
    ):
        return _call_in_words(call, lang)
    if is_expression(text):
        return say("column.calculated", lang)
    return _name_in_words(text, lang)


def _call_in_words(call: re.Match[str], lang: Language) -> str:
    function = _FUNCTIONS[call[1].lower()]
    inner = call[3].strip()
    if not inner or inner == "*" or inner.isdigit():
        return say("column.count", lang)
    what = readable(inner, lang)
    if function == "sum" and _TOTAL.search(what):
        return what
    if function == "count":
        what = re.sub(r" ID$|编号$", "", what)
        return number_of(what if lang == "zh" else plural(what), lang)
    return say(f"column.{function}_of", lang, what=what)


def _name_in_words(name: str, lang: Language) -> str:
    last = name.rsplit(".", 1)[-1].strip('"`[] ') or name
    if has_chinese(last):
        return last[:_MAX_LENGTH].replace("_", " ")
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", last)).replace("_", " ").replace("-", " ")
    words = [_expanded(word) for word in spaced.split()]
    text = " ".join(words) or last or "?"
    text = vocabulary()["nouns"].get(text, text)
    if words[:1] in (["number"], ["count"]) and len(words) > 1 and words[1] != "of":
        text = f"{words[0]} of {' '.join(words[1:])}"
    if lang == "zh":
        text = _in_chinese(text) or text
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def _expanded(word: str) -> str:
    lower = word.lower()
    if lower in _ACRONYMS:
        return word.upper()
    known: str = vocabulary()["abbreviations"].get(lower, lower)
    return known


def _in_chinese(text: str) -> str:
    """Empty if a word is not known."""
    lower = text.lower()
    phrases, words = vocabulary()["phrases"], vocabulary()["chinese"]
    for form in (lower, _singular(lower)):
        if form in phrases:
            return str(phrases[form])
    if lower.startswith(("number of ", "count of ")):
        rest = _in_chinese(lower.partition(" of ")[2])
        return f"{rest}数" if rest else ""
    if lower.endswith(" id"):
        rest = _in_chinese(lower[:-3])
        return f"{rest}编号" if rest else ""
    parts = [words.get(word) or words.get(singular(word)) for word in lower.split()]
    return "".join(map(str, parts)) if parts and all(parts) else ""


def plural(text: str) -> str:
    """The plural of an English noun phrase; a plural stays as it is.

    >>> plural("category"), plural("order item"), plural("sales"), plural("address")
    ('categories', 'order items', 'sales', 'addresses')
    """
    head, space, last = text.rpartition(" ")
    if not last.isascii() or not last or last.isupper():
        return text
    lower = last.lower()
    if lower in _IRREGULAR:
        return f"{head}{space}{_IRREGULAR[lower]}"
    if lower in _UNCOUNTABLE or (lower.endswith("s") and not lower.endswith(("ss", "us", "is"))):
        return text
    if lower.endswith("y") and lower[-2:-1] not in ("a", "e", "i", "o", "u"):
        return f"{text[:-1]}ies"
    return f"{text}es" if lower.endswith(("s", "x", "ch", "sh", "z")) else f"{text}s"


def _singular(text: str) -> str:
    head, space, last = text.rpartition(" ")
    return f"{head}{space}{singular(last)}"


_IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_UNCOUNTABLE = frozenset(
    "people children men women staff inventory data series species equipment information news revenue "
    "income stock money time".split()
)
