"""Describes a query in plain words, in either language."""

from collections.abc import Sequence

from text2sql.i18n import Language, say
from text2sql.sql import in_worker
from text2sql.sql.outline import Outline, OutputColumn, outline

_MOST = 6  # outputs, conditions or tables that a sentence names


async def describe_query(sql: str, dialect: str, lang: Language, row_limit: int) -> str:
    """One sentence without its full stop; empty if the query cannot be parsed. Omits our own row limit. A
    worker process parses: the query may be a model's own, which nothing has checked.
    """
    facts = await in_worker(outline, sql, dialect)
    if not isinstance(facts, Outline):
        return ""
    parts = [_describe_outputs(facts, lang)]
    if facts.tables:
        parts.append(say("query.from", lang, tables=_join(facts.tables, lang)))
    if facts.conditions:
        joined = say("query.and", lang).join(facts.conditions[:_MOST])
        parts.append(say("query.where", lang, conditions=joined))
    if facts.order:
        keys = [
            say(
                "query.highest" if is_descending else "query.lowest",
                lang,
                what=_describe_output(output, lang),
            )
            for output, is_descending in facts.order[:_MOST]
        ]
        parts.append(say("query.order", lang, keys=_join(keys, lang)))
    if facts.limit is not None and facts.limit < row_limit:
        parts.append(say("query.limit", lang, count=facts.limit))
    if facts.is_nested:
        parts.append(say("query.steps", lang))
    return ("，" if lang == "zh" else ", ").join(parts)


def _describe_outputs(facts: Outline, lang: Language) -> str:
    """Outputs that are also grouped by are listed once."""
    outputs = [shown for shown in facts.outputs if shown.measure != "plain" or shown.text not in facts.groups]
    shown = _join([_describe_output(output, lang) for output in outputs or facts.outputs], lang)
    if facts.groups:
        return say("query.each", lang, shown=shown, groups=_join(facts.groups, lang))
    return say("query.distinct", lang, shown=shown) if facts.distinct else shown


def _describe_output(output: OutputColumn, lang: Language) -> str:
    if output.measure == "plain":
        return _describe_columns(output.text, lang)
    if not output.text:
        return say("query.count_rows", lang)
    return say(f"query.{output.measure}", lang, what=output.text)


def _describe_columns(text: str, lang: Language) -> str:
    if text == "*":
        return say("query.all_columns", lang)
    return say("query.all_columns_of", lang, table=text[:-2]) if text.endswith(".*") else text


def _join(items: Sequence[str], lang: Language) -> str:
    more = "…" if len(items) > _MOST else ""
    return ("、" if lang == "zh" else ", ").join(items[:_MOST]) + more
