"""Converts PostgreSQL's text to Python values, so that one unusual cell does not fail the whole result.

Psycopg raises for 'infinity'::date, for years before 1 and after 9999, and for '24:00'::time; it returns its
own objects for ranges, networks and rows. Here, values that Python cannot represent stay the server's text.
"""

from typing import Any

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format

from text2sql.database.values import parse_json

_TEXTUAL = ("text", "varchar", "bpchar", "name", '"char"', "unknown", "xml")
_AS_TEXT = ("interval", "inet", "cidr", "macaddr", "macaddr8", "uuid", "record", "tsvector", "tsquery")
_RANGES = ("int4", "int8", "num", "ts", "tstz", "date")
_OUT_OF_RANGE = ("date", "time", "timetz", "timestamp", "timestamptz")


class TextLoader(Loader):
    """Decodes any bytes: a SQL_ASCII database stores them unchecked."""

    def load(self, data: Buffer) -> Any:
        return bytes(data).decode("utf-8", "replace")


class JsonLoader(Loader):
    """Parses JSON; invalid JSON stays text."""

    def load(self, data: Buffer) -> Any:
        return parse_json(bytes(data).decode("utf-8", "replace"))


def _with_text_fallback(inner: type[Any]) -> type[Loader]:
    """Return a loader that falls back to the text if Psycopg's own fails."""

    class FallbackLoader(Loader):
        def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
            super().__init__(oid, context)
            self._inner = inner(oid, context)

        def load(self, data: Buffer) -> Any:
            try:
                return self._inner.load(data)
            except psycopg.DataError:
                return bytes(data).decode("utf-8", "replace")

    return FallbackLoader


def register(connection: psycopg.Connection[Any]) -> None:
    adapters, types = connection.adapters, connection.adapters.types
    for name in _OUT_OF_RANGE:
        if inner := adapters.get_loader(types[name].oid, Format.TEXT):
            adapters.register_loader(name, _with_text_fallback(inner))
    for name in ("json", "jsonb"):
        adapters.register_loader(name, JsonLoader)
    ranges = [f"{name}{kind}" for name in _RANGES for kind in ("range", "multirange")]
    for name in (*_AS_TEXT, *ranges):
        if types.get(name):
            adapters.register_loader(name, TextLoader)
    if connection.info.parameter_status("server_encoding") != "UTF8":
        # Psycopg's compiled loaders are strict; this one costs about 0.3 µs per cell, so only where needed.
        for name in _TEXTUAL:
            if types.get(name):
                adapters.register_loader(name, TextLoader)
        adapters.register_loader(0, TextLoader)
