"""Describes the tables that a user may see."""

from collections.abc import Iterator

from text2sql.i18n import Language, say
from text2sql.schema import label
from text2sql.types import Catalog, Column, Table

_TABLES = 30  # that a reply lists
_COLUMNS = 12  # per table, where several are shown
_KEYS = 12
_TABLES_IN_SENTENCE = 4  # tables in a sentence


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
