"""Decide which values of a database a model may see. All prompts use this module.

The schema (names, types, keys, comments) and the user's own text are shown under every setting. Values are
shown according to `TEXT2SQL_SHARE_VALUES`:

    none        no value of the database
    categories  values of category columns: few, short, complete, and not about persons
    samples     samples of every text column, matched values, rows of probes and results, error messages
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from text2sql.config import Settings
from text2sql.naming.persons import about_person
from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.table_labels import label
from text2sql.types import Column, Location, Table

ShareValues: TypeAlias = Literal["none", "categories", "samples"]

# Masks the literals of a query that are not public: the query, its dialect, and whether a literal is public.
MaskLiterals: TypeAlias = Callable[[str, str, Callable[[str], bool]], str]

MASK = "…"  # replaces a value that may not be shown
_MOST = 20  # values of a category
_LONGEST = 24  # characters of a category value
_CODES = 2  # introspection samples three values: with fewer, the samples are all values of the column
_QUOTED = re.compile(r"(?<!\w)'(.*?)'(?!\w)|\"(.*?)\"|`(.*?)`|“(.*?)”|«(.*?)»|\[(.*?)\]", re.DOTALL)
_QUOTE = re.compile(r"(?<!\w)'|\"|`|“|«")
_LOOKS_PRIVATE = re.compile(r"[^@\s]+@[^@\s]+|\+?[\d\s()-]{7,}|[0-9A-Fa-f-]{16,}")
# Literals that are code, not data: formats and parts of dates, separators, wildcards.
_UNIT = r"(?:microsecond|millisecond|second|minute|hour|day|week|month|quarter|year)s?"
_CODE = re.compile(
    rf"(?i)[\W_]*|(?:[\W_]*%[a-z])+[\W_]*|\d{{4}}(?:[-/]\d\d?){{0,2}}(?:[ T]\d\d:\d\d(?::\d\d)?)?"
    rf"|(?:[+-]?\d{{1,3}} )?{_UNIT}|now|utc|localtime|start of \w+"
    r"|y{2,4}(?:[-/.]?mm(?:[-/.]?dd)?)?(?: hh(?:24)?:mi:ss)?"
)
# Errors about the statement's own text. Any other error may quote the content of a cell.
_ABOUT_THE_STATEMENT = frozenset(
    "syntax unknown_table unknown_column ambiguous_column bounds clause column function natural_join "
    "row_policy row_view set_shape star table table_function two_readings unreadable unresolved "
    "unknown_generation_failure llm_explanation missing_database_info ambiguous_question "
    "budget_exhausted empty_result".split()
)


def share_values(location: Location, settings: Settings) -> ShareValues:
    """The value of the setting; by default it depends on where the model runs. An unknown value is `none`."""
    setting = settings.share_values or ("samples" if location == "local" else "categories")
    return setting if setting in ("categories", "samples") else "none"  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class ValueSharing:
    values: ShareValues
    schema_context: SchemaContext
    mask_literals: MaskLiterals

    @property
    def everything(self) -> bool:
        """Whether rows, samples and error messages may be shown as they are."""
        return self.values == "samples"

    def table(self, table: Table) -> Table:
        return shown_table(table, self.values)

    def may_show(self, table: str, column: str, value: str, typed: str) -> bool:
        """Whether a prompt may mention that the column contains this value. Without `samples` only if it is a
        category column, or if the user typed exactly this text.
        """
        if self.values != "categories":
            return self.everything
        return value in typed or self._is_category(table, column)

    def sql(self, text: str, known: Iterable[str]) -> str:
        """Mask literals of a query that may come from the database, through a fix, a verified query or an
        earlier answer, and leave out its comments. `known` is text that the user typed or the model wrote; it
        must match exactly, because another spelling comes from the database.
        """
        known_text = "\n".join(known)
        if self.everything or text in known_text:
            return text

        def is_public(value: str) -> bool:
            return (
                value.strip("%_") in known_text
                or _CODE.fullmatch(value) is not None
                or self._is_category_value(value)
            )

        return self.mask_literals(text, self.schema_context.catalog.dialect, is_public)

    def error(self, kind: str, detail: str, sql: str, known: Sequence[str]) -> str:
        """The error message of the database or the guard. Without `samples` only errors about the statement
        are shown, and quoted text that is neither in the query nor in the schema is masked.
        """
        if self.everything:
            return detail
        if kind not in _ABOUT_THE_STATEMENT:
            return ""
        names = {name.casefold() for table in self.schema_context.catalog.tables for name in _names(table)}
        known_text = "\n".join((self.sql(sql, known), *known))

        def shown(match: re.Match[str]) -> str:
            value = next(group for group in match.groups() if group is not None)
            return match.group() if value in known_text or value.casefold() in names else MASK

        pieces: list[str] = []
        end = 0
        for match in _QUOTED.finditer(detail):
            pieces += [detail[end : match.start()], shown(match)]
            end = match.end()
        rest = _QUOTE.split(detail[end:])[0]  # a quote that is never closed
        return "".join((*pieces, rest))

    def categories(self, table: Table) -> list[str]:
        """The category columns of a table with all their values, one line per column."""
        lines = []
        for column in table.columns if self.values != "none" else ():
            values = self._category_values(table, column)
            if values:
                lines.append(f"{column.name}: " + ", ".join(f"'{value}'" for value in values))
        return lines

    def columns(self, tables: Iterable[Table]) -> list[str]:
        """`table.column` of the columns whose values occur in a rendered schema."""
        catalog = self.schema_context.catalog
        return [
            f"{label(table, catalog)}.{column.name}"
            for table in tables
            for column in self.table(table).columns
            if column.samples
        ]

    def _is_category(self, table: str, column: str) -> bool:
        for candidate in self.schema_context.catalog.tables:
            if label(candidate, self.schema_context.catalog) == table:
                named = (other for other in candidate.columns if other.name == column)
                return any(self._category_values(candidate, other) for other in named)
        return False

    def _is_category_value(self, value: str) -> bool:
        if self.values != "categories":
            return False
        return any(self._is_category(*column) for column in self.schema_context.values.columns_with(value))

    def _category_values(self, table: Table, column: Column) -> list[str]:
        """All values of a category column; an empty list for any other column."""
        if about_person(table.name, column.name) or is_unique(table, column):
            return []
        values = self.schema_context.values.all_of(
            label(table, self.schema_context.catalog), column.name, _MOST
        )
        return values if _are_short(values) else []


def shown_table(table: Table, values: ShareValues) -> Table:
    """The table with only the samples that may be shown."""
    if values == "samples":
        return table
    return replace(table, columns=tuple(_shown_column(table, column, values) for column in table.columns))


def _shown_column(table: Table, column: Column, values: ShareValues) -> Column:
    if values == "categories" and is_code(table, column):
        return column
    is_enum = values == "none" and "'" in column.type  # `enum('paid', 'open')`
    return replace(column, samples=(), type=column.type.partition("(")[0] if is_enum else column.type)


def is_code(table: Table, column: Column) -> bool:
    """Whether the column is a category according to the samples in the catalog alone."""
    return (
        len(column.samples) <= _CODES
        and not about_person(table.name, column.name)
        and not is_unique(table, column)
        and _are_short(column.samples)
    )


def is_unique(table: Table, column: Column) -> bool:
    """Whether each value occurs in one row only, so that it identifies the row."""
    key = (column.name,)
    return table.primary_key == key or any(index.unique and index.columns == key for index in table.indexes)


def _are_short(values: Iterable[str]) -> bool:
    return all(len(value) <= _LONGEST and not _LOOKS_PRIVATE.fullmatch(value) for value in values)


def _names(table: Table) -> Iterable[str]:
    return (table.name, table.schema, *(column.name for column in table.columns))
