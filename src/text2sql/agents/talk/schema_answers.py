"""Describes the tables that a user may see, and suggests questions about them."""

import re
from collections.abc import Callable, Iterator, Sequence

from text2sql.i18n import Language, say
from text2sql.schema import label
from text2sql.types import Catalog, Column, Table

_TABLES = 30  # that a reply lists
_COLUMNS = 12  # per table, where several are shown
_KEYS = 12
_TABLES_IN_SENTENCE = 4  # tables in a sentence
EXAMPLES = 4

_TEXT = re.compile("char|text|enum|string", re.IGNORECASE)
_NUMBER = re.compile("num|dec|real|float|double|money", re.IGNORECASE)
_DATE = re.compile("date|time|日期|时间|_on$|_at$", re.IGNORECASE)
_MOSTLY_UNIQUE = re.compile("name|mail|phone|comment|title|address|description|url|note", re.IGNORECASE)
_SHORT = 24  # characters of a value that occurs in many rows


def named_tables(catalog: Catalog) -> str:
    """A few table names, for a sentence."""
    names = [label(table, catalog) for table in catalog.tables]
    return ", ".join(names[:_TABLES_IN_SENTENCE])


def tables_text(catalog: Catalog, lang: Language) -> str:
    lines = [f"- {label(table, catalog)}: {_table_size(table, lang)}" for table in catalog.tables[:_TABLES]]
    return _list_text(lines, len(catalog.tables), lang)


def schema_text(catalog: Catalog, lang: Language) -> str:
    lines = [f"- {label(table, catalog)} ({_columns(table)})" for table in catalog.tables[:_TABLES]]
    text = _list_text(lines, len(catalog.tables), lang)
    keys = list(_foreign_keys(catalog))
    if not keys:
        return text
    more = "…" if len(keys) > _KEYS else ""
    return f"{text}\n{say('talk.keys', lang, keys=', '.join(keys[:_KEYS]) + more)}"


def table_text(table: Table, catalog: Catalog, lang: Language) -> str:
    lines = [f"- {_column(column)}" for column in table.columns]
    name = label(table, catalog)
    text = say("talk.table", lang, table=name, count=len(table.columns), lines="\n".join(lines))
    return f"{text}\n{table.comment}" if table.comment else text


def _list_text(lines: list[str], count: int, lang: Language) -> str:
    if not lines:
        return say("talk.no_tables", lang)
    if count > len(lines):
        lines = [*lines, say("talk.more", lang, count=count - len(lines))]
    key = "talk.one_table" if count == 1 else "talk.tables"
    return say(key, lang, count=count, lines="\n".join(lines))


def _table_size(table: Table, lang: Language) -> str:
    """A table that is only partly visible has no row count."""
    facts = [say("talk.columns", lang, count=len(table.columns))]
    if table.rows is not None:
        facts.append(say("talk.rows", lang, count=f"{table.rows:,}"))
    text = ("，" if lang == "zh" else ", ").join(facts)
    return f"{text} ({table.comment})" if table.comment else text


def _columns(table: Table) -> str:
    names = [column.name for column in table.columns[:_COLUMNS]]
    return ", ".join(names) + ("…" if len(table.columns) > _COLUMNS else "")


def _column(column: Column) -> str:
    text = f"{column.name} {column.type}".strip()
    return f"{text} ({column.comment})" if column.comment else text


def _foreign_keys(catalog: Catalog) -> Iterator[str]:
    for table in catalog.tables:
        for key in table.foreign_keys:
            referred = f"{key.table}.{', '.join(key.referred)}"
            yield f"{label(table, catalog)}.{', '.join(key.columns)} → {referred}"


# -- example questions ------------------------------------------------------------------------------


def example_questions(catalog: Catalog, lang: Language) -> list[str]:
    """One question of each kind that has suitable columns, each about another table if possible."""
    tables = sorted((table for table in catalog.tables if table.kind == "table"), key=_weight, reverse=True)
    questions: list[str] = []
    used: set[str] = set()
    for kind, suits in _KINDS.items():
        fitting = (
            (table, column)
            for table in tables
            for column in table.columns
            if table.name not in used and not _is_key(table, column) and suits(table, column)
        )
        table, column = next(fitting, (None, None))
        if table is not None and column is not None:
            used.add(table.name)
            questions.append(
                say(f"example.{kind}", lang, table=_as_words(table.name), column=_as_words(column.name))
            )
    rest = [
        say("example.count", lang, table=_as_words(table.name)) for table in tables if table.name not in used
    ]
    return [*questions, *rest][:EXAMPLES]


def trend_questions(tables: Sequence[Table], lang: Language, year: str) -> list[str]:
    """How an amount, or the number of rows, changes over time: by month of the year, if one is given."""
    questions: list[str] = []
    for table in tables:
        if not any(_DATE.search(column.type) or _DATE.search(column.name) for column in table.columns):
            continue
        amount = next((c for c in table.columns if _NUMBER.search(c.type) and not _is_key(table, c)), None)
        key = f"example.{'amount' if amount else 'rows'}_by_{'month' if year else 'year'}"
        column = _as_words(amount.name) if amount else ""
        questions.append(say(key, lang, table=_as_words(table.name), column=column, year=year))
    return questions


def _suits_group(_: Table, column: Column) -> bool:
    few = bool(column.samples) and all(len(sample) < _SHORT for sample in column.samples)
    return _TEXT.search(column.type) is not None and few and not _MOSTLY_UNIQUE.search(column.name)


def _suits_top(table: Table, column: Column) -> bool:
    named = any(re.search("name|title", column.name, re.IGNORECASE) for column in table.columns)
    return named and _NUMBER.search(column.type) is not None


def _suits_average(_: Table, column: Column) -> bool:
    return _NUMBER.search(column.type) is not None


_KINDS: dict[str, Callable[[Table, Column], bool]] = {
    "group": _suits_group,
    "top": _suits_top,
    "average": _suits_average,
}


def _is_key(table: Table, column: Column) -> bool:
    referring = any(column.name in key.columns for key in table.foreign_keys)
    return referring or column.name in table.primary_key or column.name.lower().endswith("id")


def _weight(table: Table) -> float:
    """Tables that people ask about have many rows, many columns and foreign keys."""
    return len(str(table.rows or 10)) + len(table.columns) / 10 + len(table.foreign_keys) / 2


def _as_words(name: str) -> str:
    return name.replace("_", " ").strip()
