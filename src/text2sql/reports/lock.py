"""The lock file beside a template: the verified query of each placeholder, to be reviewed in Git.

With it a report needs no model. It is as hostile as any other text: it is read as plain data of known shape,
and every query in it goes through the guard again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml  # type: ignore[import-untyped]

from text2sql.errors import UsageError
from text2sql.sql import named_columns
from text2sql.sql.parameters import Kind
from text2sql.types import Catalogue, CheckedSql, Table

SUFFIX = ".lock.yaml"
_VERSION = 1
_LARGEST = 2_000_000  # characters
_HEAD = """\
# The verified query of each placeholder, made by `text2sql report`. Keep it beside the template, and in Git.
# `:name` is a parameter. `values` means: for these values only. A query is written anew by a model when its
# question changes, or a column that it reads; delete an entry to have that done.
"""

Reads = Mapping[str, Mapping[str, str]]  # table → column → type


@dataclass(frozen=True, slots=True)
class Entry:
    question: str  # as the template has it, with the names of parameters
    sql: str
    parameters: Mapping[str, Kind] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    reads: Reads = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lock:
    dialect: str = ""
    entries: tuple[Entry, ...] = ()

    def find(self, question: str) -> Entry | None:
        return next((one for one in self.entries if one.question == question), None)


def reads_of(query: CheckedSql, catalogue: Catalogue) -> Reads:
    """The columns whose names stand in a query, of the tables that it reads: too many rather than too few."""
    named = named_columns(query.sql, query.dialect)
    found: dict[str, dict[str, str]] = {}
    for label in query.tables:
        table = _table(label, catalogue)
        if table is not None:
            held = {one.name: one.type for one in table.columns if one.name.casefold() in named}
            found[label] = dict(sorted(held.items()))
    return found


def still_reads(entry: Entry, catalogue: Catalogue) -> bool:
    """Whether everything that a query was written for is there as it was."""
    for label, columns in entry.reads.items():
        table = _table(label, catalogue)
        held = {one.name: one.type for one in table.columns} if table else None
        if held is None or any(held.get(name) != kind for name, kind in columns.items()):
            return False
    return True


def _table(label: str, catalogue: Catalogue) -> Table | None:
    schema, _, name = label.rpartition(".")
    return catalogue.table(name, schema) or next(
        (one for one in catalogue.tables if one.name.casefold() == label.casefold()), None
    )


def read_lock(text: str, path: str) -> Lock:
    if len(text) > _LARGEST:
        raise UsageError("usage.report_lock", path=path, problem=f"{len(text)} characters")
    try:
        return _lock(yaml.safe_load(text))
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError("usage.report_lock", path=path, problem="no YAML") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError("usage.report_lock", path=path, problem=str(error)[:200]) from error


def _lock(held: Any) -> Lock:
    if held is None:
        return Lock()
    if held["version"] != _VERSION:
        raise ValueError(f"version {held['version']}"[:80])
    return Lock(_text(held["dialect"]), tuple(_entry(one) for one in held["placeholders"] or ()))


def _entry(held: Mapping[str, Any]) -> Entry:
    unknown = set(held) - {"question", "sql", "parameters", "values", "reads"}
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(map(str, unknown)))}")
    parameters: dict[str, Kind] = {}
    for name, kind in (held.get("parameters") or {}).items():
        if kind not in ("text", "number"):
            raise ValueError(f"parameters: {kind}")
        parameters[_text(name)] = kind
    reads = {_text(table): _texts(columns) for table, columns in (held.get("reads") or {}).items()}
    values = _texts(held.get("values") or {})
    return Entry(_text(held["question"]), _text(held["sql"]), parameters, values, reads)


def _texts(held: Mapping[Any, Any]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in held.items()}


def _text(held: object) -> str:
    """YAML makes a number or a date of what a person did not quote."""
    if isinstance(held, list | dict | set | bytes):
        raise TypeError(f"text is wanted where {type(held).__name__} stands")
    return "" if held is None else str(held)


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Several lines as several lines."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 as PyYAML has it
        return True


def _block(dumper: yaml.SafeDumper, text: str) -> Any:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)


def written(lock: Lock) -> str:
    """The same lock gives the same text, in the order of the template."""
    held = {"version": _VERSION, "dialect": lock.dialect, "placeholders": _plain(lock.entries)}
    text: str = yaml.dump(held, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100)
    return _HEAD + text


def _plain(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    return [
        {
            "question": one.question,
            **({"parameters": dict(one.parameters)} if one.parameters else {}),
            **({"values": dict(one.values)} if one.values else {}),
            "reads": {table: dict(columns) for table, columns in one.reads.items()},
            "sql": one.sql,
        }
        for one in entries
    ]
