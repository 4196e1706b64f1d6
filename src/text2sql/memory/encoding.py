"""Values as text and back. JSON here is ASCII: any text survives it, whatever the engine below thinks of
NUL characters and lone surrogates.
"""

import json
from typing import Any
from urllib.parse import quote

from text2sql.memory.kept import Pair, StoredResult
from text2sql.types import Catalogue, Column, ForeignKey, Index, ResultColumn, Table

CATALOGUE_VERSION = 1  # goes up with the shape of `Catalogue`: what was kept before is then read anew
_DUMP = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def label(text: str) -> str:
    """Any text as a name that no two texts share, without dots, slashes and everything that is special in a
    namespace, a key or a pattern.
    """
    quoted = quote(text, safe="", errors="surrogatepass").replace(".", "%2E")
    return quoted or "%"


def scoped(user: str, thread: str) -> str:
    """LangGraph's id of a user's thread: neither part can hold a slash, so no two pairs give one id."""
    return f"{label(user)}/{label(thread)}"


# -- catalogues: columns as five lists a table. A list for each of 20,000 columns would take half as long
#    again, most of it in the garbage collector, which looks at every list.


def dump_catalogue(catalogue: Catalogue) -> str:
    tables = [
        [
            table.name,
            [c.name for c in table.columns],
            [c.type for c in table.columns],
            [c.nullable for c in table.columns],
            [c.comment for c in table.columns],
            [c.samples or 0 for c in table.columns],
            table.schema,
            table.kind,
            table.comment,
            table.primary_key,
            [[f.columns, f.table, f.referred, f.schema] for f in table.foreign_keys],
            [[i.name, i.columns, i.unique] for i in table.indexes],
            table.rows,
        ]
        for table in catalogue.tables
    ]
    return _DUMP(
        [CATALOGUE_VERSION, catalogue.dialect, catalogue.default_schema, catalogue.fingerprint, tables]
    )


def load_catalogue(text: object) -> Catalogue | None:
    """None for what is of another version, or damaged: it can be read from the database again."""
    try:
        version, dialect, default_schema, fingerprint, tables = json.loads(str(text))
        if version != CATALOGUE_VERSION:
            return None
        return Catalogue(dialect, default_schema, tuple([_table(table) for table in tables]), fingerprint)
    except (ValueError, TypeError, RecursionError):
        return None


def _table(told: list[Any]) -> Table:
    name, names, types, nullable, comments, samples, schema, kind, comment, key, foreign, indexes, rows = told
    sampled = [tuple(some) if some else () for some in samples]
    return Table(
        name,
        tuple(map(Column, names, types, nullable, comments, sampled)),
        schema,
        kind,
        comment,
        tuple(key),
        tuple([ForeignKey(tuple(f[0]), f[1], tuple(f[2]), f[3]) for f in foreign]),
        tuple([Index(i[0], tuple(i[1]), i[2]) for i in indexes]),
        rows,
    )


# -- results ---------------------------------------------------------------------------------------


def dump_result(result: StoredResult) -> str:
    """Row by row: a single call would hold the interpreter, and so every other question, until it is done."""
    head = [
        result.sql,
        result.dialect,
        [[column.name, column.type] for column in result.columns],
        result.row_count,
        result.truncated,
        result.fingerprint,
        result.created,
        result.source,
    ]
    return f"[{_DUMP(head)},[{','.join([_DUMP(row) for row in result.rows])}]]"


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
        *source,  # what was kept before there were several has none
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


def escaped(text: str) -> str:
    """What an engine's text can hold: NUL characters and lone surrogates are written as their codes."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
