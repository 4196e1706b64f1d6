"""Columns that may refer to a key of another table, by their names alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from text2sql.naming.kinds import meaning_of
from text2sql.naming.types import type_class
from text2sql.naming.words import name_words
from text2sql.text_normalization import singular
from text2sql.types import Catalog, Column, Table

_KEY_WORDS = frozenset("id key code no num number uuid guid fk pk ref identifier".split())
_KEY_ENDINGS = ("编号", "代码", "标识", "号码", "号", "码")
_TABLE_ENDINGS = ("信息表", "信息", "表")
_TABLE_PREFIXES = frozenset("dim fact tbl tb t stg raw dw ods dwd dws vw v".split())
_GENERIC = frozenset((("name",), ("type",), ("status",), ("date",), ()))


@dataclass(frozen=True, slots=True)
class JoinCandidate:
    table: str
    column: str
    to: str
    referred: str


def join_candidates(catalog: Catalog) -> list[JoinCandidate]:
    """For each column without a foreign key the key that its name says it refers to, if there is one."""
    by_topic: dict[tuple[str, ...], list[tuple[Table, Column]]] = defaultdict(list)
    by_key: dict[tuple[str, ...], list[tuple[Table, Column]]] = defaultdict(list)
    for table in catalog.tables:
        key = key_column(table) if table.kind == "table" else None
        if key is not None:
            by_topic[table_topic(table.name)].append((table, key))
            by_key[_words(key.name)].append((table, key))
    found = []
    for table in catalog.tables if by_topic else ():
        if table.kind == "table":
            for column in table.columns:
                target = _target(table, column, by_topic, by_key)
                if target is not None:
                    referred, key = target
                    found.append(
                        JoinCandidate(catalog.label(table), column.name, catalog.label(referred), key.name)
                    )
    return found


def key_column(table: Table) -> Column | None:
    """The column that identifies a row: the declared key, or the one whose name says so."""
    if table.primary_key:
        return next((c for c in table.columns if table.primary_key == (c.name,)), None)
    topic = table_topic(table.name)
    for column in table.columns:
        words = _words(column.name)
        if _is_key_name(column.name) and (words == () or topic_of(column.name) == topic):
            return column
    return None


_Keys: TypeAlias = Mapping[tuple[str, ...], Sequence[tuple[Table, Column]]]


def _target(table: Table, column: Column, by_topic: _Keys, by_key: _Keys) -> tuple[Table, Column] | None:
    topic, own_key = topic_of(column.name), key_column(table)
    is_own_key = own_key is not None and own_key.name == column.name
    is_declared = any(column.name in key.columns for key in table.foreign_keys)
    if is_declared or topic in _GENERIC or not _is_key_name(column.name):
        return None
    if is_own_key and topic == table_topic(table.name):
        return None  # others refer to it
    if topic == ("parent",) and own_key is not None and _compatible(column, own_key):
        return table, own_key
    for candidates in _alternatives(topic, column.name, by_topic, by_key, is_own_key):
        fitting = [
            (other, key)
            for other, key in candidates
            if _compatible(column, key) and (other is not table or key.name != column.name)
        ]
        same_schema = [entry for entry in fitting if entry[0].schema == table.schema]
        if len(fitting) == 1 or len(same_schema) == 1:
            return (same_schema or fitting)[0]
    return None


def _alternatives(
    topic: tuple[str, ...],
    name: str,
    by_topic: _Keys,
    by_key: _Keys,
    is_own_key: bool,
) -> Iterator[Sequence[tuple[Table, Column]]]:
    """The tables that the whole name is about, then keys of the same name, then the end of the name:
    `billing_customer_id` is about customers.
    """
    yield by_topic.get(topic, [])
    if not is_own_key:
        yield by_key.get(_words(name), []) if _words(name) else []
        for start in range(1, len(topic)):
            yield by_topic.get(topic[start:], [])


def _compatible(column: Column, key: Column) -> bool:
    classes = {type_class(column.type), type_class(key.type)}
    return len(classes) == 1 or "" in classes or classes == {"integer", "decimal"}


def _is_key_name(name: str) -> bool:
    return meaning_of(name) in ("identifier", "code")


def _words(name: str) -> tuple[str, ...]:
    words = name_words(name)
    is_generic = words.singulars in (("id",), ("key",), ("编号",), ("code",), ("uuid",))
    return () if is_generic else (*words.singulars, *words.digits)


def topic_of(name: str) -> tuple[str, ...]:
    """What a key is about: `customer` for `customer_id`, 客户 for 客户编号."""
    words = name_words(name)
    return (*_without_key(words.singulars), *words.digits)


def _without_key(words: tuple[str, ...]) -> tuple[str, ...]:
    parts = list(words)
    if parts and parts[-1] in _KEY_WORDS:
        parts.pop()
    elif parts and parts[-1].isascii() and parts[-1].endswith("id") and len(parts[-1]) > 3:
        parts[-1] = parts[-1][:-2]
    elif parts:
        ending = next((e for e in _KEY_ENDINGS if parts[-1].endswith(e)), "")
        parts[-1] = parts[-1].removesuffix(ending)
    return tuple(part for part in parts if part)


def role_of(column: str, to: str, referred: str) -> str:
    """What a referring column says beyond the table and the key: `manager` for `manager_staff_id`."""
    table = table_topic(to)
    role = list(_without_key(name_words(column).words))
    for known in (table, topic_of(referred)):
        count = len(known)
        if known and tuple(map(singular, role[-count:])) == known:
            role = role[:-count]
        elif role and known and not role[-1].isascii():
            role[-1] = role[-1].removesuffix(known[-1])
    if "".join(table).endswith("".join(map(singular, role))):  # 节目 for the table 综艺节目
        return ""
    return " ".join(filter(None, role))


def table_topic(name: str) -> tuple[str, ...]:
    """What a table is about: `customer` for `dim_customers`, 客户 for 客户信息表."""
    words = name_words(name)
    parts = list(words.singulars)
    if len(parts) > 1 and parts[0] in _TABLE_PREFIXES:
        parts = parts[1:]
    if parts and not parts[-1].isascii():
        ending = next((e for e in _TABLE_ENDINGS if parts[-1].endswith(e) and parts[-1] != e), "")
        parts[-1] = parts[-1].removesuffix(ending)
    return (*parts, *words.digits)
