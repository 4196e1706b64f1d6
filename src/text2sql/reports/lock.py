"""The lock file of a template: the verified query of each placeholder, for review in Git.

With a complete lock file a report needs no model. The file is untrusted input: it is parsed as plain YAML
with a fixed structure, and every query in it passes the guard again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml  # type: ignore[import-untyped]

from text2sql.errors import UsageError
from text2sql.sql import in_worker, named_columns
from text2sql.sql.parameters import Kind
from text2sql.types import Catalog, CheckedSql, SqlRejected, Table

SUFFIX = ".lock.yaml"
_VERSION = 1
_MAX_LENGTH = 2_000_000  # characters
_HEAD = """\
# The verified query of each placeholder, made by `text2sql report`. Keep it beside the template, and in Git.
# `:name` is a parameter. `values` means: for these values only. A model writes a query again when its
# question changes, or a column that it reads; delete an entry to have that done.
"""

Reads = Mapping[str, Mapping[str, str]]  # table → column → type


@dataclass(frozen=True, slots=True)
class Entry:
    """The verified query of one question."""

    question: str  # as in the template, with parameter names
    sql: str
    parameters: Mapping[str, Kind] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    reads: Reads = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lock:
    """The contents of a lock file."""

    dialect: str = ""
    entries: tuple[Entry, ...] = ()

    def find(self, question: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.question == question), None)


async def query_reads(query: CheckedSql, catalog: Catalog) -> Reads:
    """The columns that a query reads, with their types. Columns are matched by name, so there may be extra
    ones.
    """
    columns = await in_worker(named_columns, query.sql, query.dialect)
    names = frozenset[str]() if isinstance(columns, SqlRejected) else columns
    reads: dict[str, dict[str, str]] = {}
    for label in query.tables:
        table = _table(label, catalog)
        if table is not None:
            types = {column.name: column.type for column in table.columns if column.name.casefold() in names}
            reads[label] = dict(sorted(types.items()))
    return reads


def reads_unchanged_columns(entry: Entry, catalog: Catalog) -> bool:
    """Whether all columns that the query reads still exist with the same types."""
    for label, columns in entry.reads.items():
        table = _table(label, catalog)
        types = {column.name: column.type for column in table.columns} if table else None
        if types is None or any(types.get(name) != kind for name, kind in columns.items()):
            return False
    return True


def _table(label: str, catalog: Catalog) -> Table | None:
    schema, _, name = label.rpartition(".")
    return catalog.table(name, schema) or next(
        (table for table in catalog.tables if table.name.casefold() == label.casefold()), None
    )


def parse_lock(text: str, path: str) -> Lock:
    """Parse a lock file; `path` is for error messages."""
    if len(text) > _MAX_LENGTH:
        raise UsageError("usage.report_lock", path=path, problem=f"{len(text)} characters")
    try:
        return _lock(yaml.safe_load(text))
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError("usage.report_lock", path=path, problem="no YAML") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError("usage.report_lock", path=path, problem=str(error)[:200]) from error


def _lock(document: Any) -> Lock:
    if document is None:
        return Lock()
    if document["version"] != _VERSION:
        raise ValueError(f"version {document['version']}"[:80])
    return Lock(_text(document["dialect"]), tuple(_entry(entry) for entry in document["placeholders"] or ()))


def _entry(entry: Mapping[str, Any]) -> Entry:
    unknown = set(entry) - {"question", "sql", "parameters", "values", "reads"}
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(map(str, unknown)))}")
    parameters: dict[str, Kind] = {}
    for name, kind in (entry.get("parameters") or {}).items():
        if kind not in ("text", "number"):
            raise ValueError(f"parameters: {kind}")
        parameters[_text(name)] = kind
    reads = {_text(table): _texts(columns) for table, columns in (entry.get("reads") or {}).items()}
    values = _texts(entry.get("values") or {})
    return Entry(_text(entry["question"]), _text(entry["sql"]), parameters, values, reads)


def _texts(mapping: Mapping[Any, Any]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in mapping.items()}


def _text(value: object) -> str:
    """A scalar as text: YAML parses unquoted numbers and dates."""
    if isinstance(value, list | dict | set | bytes):
        raise TypeError(f"expected text, not {type(value).__name__}")
    return "" if value is None else str(value)


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes multi-line strings as block scalars."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 -- PyYAML's signature
        return True


def _block(dumper: yaml.SafeDumper, text: str) -> Any:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)


def lock_text(lock: Lock) -> str:
    """The text of a lock file. It is deterministic and in the order of the template."""
    document = {"version": _VERSION, "dialect": lock.dialect, "placeholders": _plain(lock.entries)}
    text: str = yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    return _HEAD + text


def _plain(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    return [
        {
            "question": entry.question,
            **({"parameters": dict(entry.parameters)} if entry.parameters else {}),
            **({"values": dict(entry.values)} if entry.values else {}),
            "reads": {table: dict(columns) for table, columns in entry.reads.items()},
            "sql": entry.sql,
        }
        for entry in entries
    ]
