"""`text2sql schema`: what a database holds, for people and as JSON."""

import json
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial

import click

from text2sql.cli.rendering import one_line_each, whole
from text2sql.cli.sources import opened
from text2sql.cli.spoken import Command, flag, option
from text2sql.cli.words import word
from text2sql.errors import UsageError
from text2sql.messages import Language
from text2sql.shapes import catalogue_object
from text2sql.types import Catalogue, Table

READABLE = 100  # tables; a person who wants to read more of them names some


def command(lang: Language) -> click.Command:
    return Command(
        "schema",
        lang,
        partial(run, lang),
        [
            option(lang, "schema", "--db", metavar="SOURCE"),
            option(lang, "schema", "--table", metavar="NAME", multiple=True),
            flag(lang, "schema", "--json", "as_json"),
        ],
    )


def run(lang: Language, db: str | None, table: tuple[str, ...], as_json: bool) -> int:
    with opened(db) as database:
        catalogue = database.catalogue()
    tables = chosen(catalogue, table)
    if as_json:
        click.echo(json.dumps(catalogue_object(catalogue, tables)))
    elif not tables:
        click.echo(word("empty", lang), err=True)
    elif len(tables) > READABLE and not table:
        one_line_each(tables, catalogue.default_schema, lang)
        click.echo(word("many", lang, tables=len(tables)), err=True)
    else:
        whole(tables, catalogue.default_schema, lang)
    return 0


def chosen(catalogue: Catalogue, patterns: Sequence[str]) -> tuple[Table, ...]:
    """The tables that a name or a pattern means; one that means nothing is an error, not an empty page."""
    if not patterns:
        return catalogue.tables
    wanted: set[int] = set()
    for pattern in patterns:
        found = {at for at, table in enumerate(catalogue.tables) if _means(pattern, table)}
        if not found:
            close = get_close_matches(pattern, [table.name for table in catalogue.tables], n=3)
            raise UsageError("usage.table", name=pattern, close=", ".join(close) or "-")
        wanted |= found
    return tuple(catalogue.tables[at] for at in sorted(wanted))


def _means(pattern: str, table: Table) -> bool:
    """Without regard to case; a table whose own name holds * or ? is still found by that name."""
    names = (table.name.lower(), f"{table.schema}.{table.name}".lower())
    return pattern.lower() in names or any(fnmatchcase(name, pattern.lower()) for name in names)
