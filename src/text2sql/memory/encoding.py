"""Serializes memory values to text and back. JSON here is ASCII, so any text survives, whatever the database
does with NUL characters and lone surrogates.
"""

import json
from dataclasses import asdict, fields, replace
from operator import attrgetter
from typing import Any
from urllib.parse import quote

from text2sql.memory.records import Pair, StoredResult
from text2sql.types import (
    Catalog,
    Column,
    ColumnProfile,
    DatabaseProfile,
    ForeignKey,
    Index,
    InferredJoin,
    ResultColumn,
    SourceNote,
    Table,
    TableProfile,
)

CATALOG_VERSION = 2  # incremented when `Catalog` changes: older entries are read from the database again
PROFILE_VERSION = 1  # incremented when `DatabaseProfile` or its meaning changes
_DUMP = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def label(text: str) -> str:
    """Encode any text as a unique name without dots, slashes and other characters that are special in a
    namespace, a key or a pattern.
    """
    quoted = quote(text, safe="", errors="surrogatepass").replace(".", "%2E")
    return quoted or "%"


def scoped(user: str, thread: str) -> str:
    """LangGraph's id of a user's thread: neither part can contain a slash, so the id is unique."""
    return f"{label(user)}/{label(thread)}"


# -- catalogs: columns as five lists per table. One list for each of 20,000 columns would take 1.5 times as
#    long, most of it in the garbage collector, which visits every list.


def dump_catalog(catalog: Catalog) -> str:
    tables = [
        [
            table.name,
            [c.name for c in table.columns],
            [c.type for c in table.columns],
            [c.nullable for c in table.columns],
            [c.comment for c in table.columns],
            [c.samples or 0 for c in table.columns],
            [at for at, c in enumerate(table.columns) if c.hidden],
            table.schema,
            table.kind,
            table.comment,
            table.primary_key,
            [[f.columns, f.table, f.referred, f.schema] for f in table.foreign_keys],
            [[i.name, i.columns, i.unique] for i in table.indexes],
            table.rows,
        ]
        for table in catalog.tables
    ]
    notes = [asdict(note) for note in catalog.notes]
    return _DUMP(
        [CATALOG_VERSION, catalog.dialect, catalog.default_schema, catalog.fingerprint, tables, notes]
    )


def load_catalog(text: object) -> Catalog | None:
    """Return None for another version or damaged data: the catalog can be read from the database again."""
    try:
        version, *content = json.loads(str(text))
        if version != CATALOG_VERSION:
            return None
        dialect, default_schema, fingerprint, tables, notes = content
        return Catalog(
            dialect,
            default_schema,
            tuple([_table(table) for table in tables]),
            fingerprint,
            tuple([SourceNote(**note) for note in notes]),
        )
    except (ValueError, TypeError, RecursionError):
        return None


def _table(row: list[Any]) -> Table:
    (
        name,
        names,
        types,
        nullable,
        comments,
        samples,
        hidden,
        schema,
        kind,
        comment,
        key,
        foreign,
        indexes,
        rows,
    ) = row
    sampled = [tuple(values) if values else () for values in samples]
    columns = list(map(Column, names, types, nullable, comments, sampled))
    for at in hidden:
        columns[at] = replace(columns[at], hidden=True)
    return Table(
        name,
        tuple(columns),
        schema,
        kind,
        comment,
        tuple(key),
        tuple([ForeignKey(tuple(f[0]), f[1], tuple(f[2]), f[3]) for f in foreign]),
        tuple([Index(i[0], tuple(i[1]), i[2]) for i in indexes]),
        rows,
    )


# -- profiles: as lists of fields, like catalogs. `dataclasses.astuple` would copy deeply, for seconds.

_COLUMN_FIELDS = attrgetter(*(field.name for field in fields(ColumnProfile)))


def dump_profile(profile: DatabaseProfile) -> str:
    tables = [
        [table.table, table.rows, table.scanned, [_COLUMN_FIELDS(column) for column in table.columns]]
        for table in profile.tables
    ]
    joins = [[join.table, join.column, join.to, join.referred, join.included] for join in profile.joins]
    facts = [profile.fingerprint, profile.is_complete, profile.read_at]
    return _DUMP([PROFILE_VERSION, *facts, tables, joins])


def load_profile(text: object) -> DatabaseProfile | None:
    """Return None for another version or damaged data: the profile can be read again."""
    try:
        version, fingerprint, is_complete, read_at, tables, joins = json.loads(str(text))
        if version != PROFILE_VERSION:
            return None
        return DatabaseProfile(
            fingerprint,
            tuple(TableProfile(t[0], t[1], t[2], tuple(map(_column_profile, t[3]))) for t in tables),
            tuple(InferredJoin(*join) for join in joins),
            is_complete,
            read_at,
        )
    except (ValueError, TypeError, RecursionError):
        return None


def _column_profile(row: list[Any]) -> ColumnProfile:
    profile = ColumnProfile(*row)
    return replace(profile, values=tuple((value, count) for value, count in profile.values))


# -- results ---------------------------------------------------------------------------------------


def dump_result(result: StoredResult) -> str:
    """Serialize row by row: a single call would hold the interpreter, and block all other questions."""
    header = [
        result.sql,
        result.dialect,
        [[column.name, column.type] for column in result.columns],
        result.row_count,
        result.truncated,
        result.fingerprint,
        result.created,
        result.source,
    ]
    return f"[{_DUMP(header)},[{','.join([_DUMP(row) for row in result.rows])}]]"


def load_result(text: str) -> StoredResult:
    (sql, dialect, columns, row_count, truncated, fingerprint, created, *source), rows = json.loads(text)
    return StoredResult(
        sql,
        dialect,
        tuple(ResultColumn(name, kind) for name, kind in columns),
        tuple(tuple(row) for row in rows),
        row_count,
        truncated,
        fingerprint,
        created,
        *source,  # results of older versions have no source
    )


# -- pairs -----------------------------------------------------------------------------------------


def dump_pair(pair: Pair) -> str:
    return _DUMP([pair.question, pair.sql, pair.dialect, pair.source, pair.tables, pair.user, pair.created])


def load_pair(text: object) -> Pair | None:
    try:
        question, sql, dialect, source, tables, user, created = json.loads(str(text))
    except ValueError:
        return None
    return Pair(question, sql, dialect, source, tuple(tables), user, created)


def escape_text(text: str) -> str:
    """Escape what a database's text cannot store: NUL characters and lone surrogates become their codes."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
