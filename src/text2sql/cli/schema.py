"""`text2sql schema`: print the schema of a database as text or JSON."""

from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

import click

from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.schema_view import print_notes, print_table_list, print_tables
from text2sql.cli.sources import open_source
from text2sql.errors import UsageError
from text2sql.i18n import Language, cli_text
from text2sql.serialization import catalog_object
from text2sql.types import Catalog, Table

READABLE = 100  # number of tables up to which all columns are printed


def command(lang: Language) -> click.Command:
    return Command(
        "schema",
        lang,
        run,
        [
            option("--db", metavar="SOURCE"),
            option("--table", metavar="NAME", multiple=True),
            flag("--json", "as_json"),
        ],
    )


def run(lang: Language, db: str | None, table: tuple[str, ...], as_json: bool) -> int:
    with open_source(db) as database:
        catalog = database.catalog()
    tables = select_tables(catalog, table)
    if as_json:
        echo_json(catalog_object(catalog, tables))
    elif not tables:
        click.echo(cli_text("schema.empty", lang), err=True)
    elif len(tables) > READABLE and not table:
        print_table_list(tables, catalog.default_schema, lang)
        click.echo(cli_text("schema.many", lang, tables=len(tables)), err=True)
    else:
        print_tables(tables, catalog.default_schema, lang)
    if not as_json:
        print_notes(catalog.notes, {each.name for each in tables} if table else None, lang)
    return 0


def select_tables(catalog: Catalog, patterns: Sequence[str]) -> tuple[Table, ...]:
    """The tables that match the names or patterns. Raises UsageError for a pattern without a match."""
    if not patterns:
        return catalog.tables
    positions: set[int] = set()
    for pattern in patterns:
        matches = {at for at, table in enumerate(catalog.tables) if _matches(pattern, table)}
        if not matches:
            close = get_close_matches(pattern, [table.name for table in catalog.tables], n=3)
            raise UsageError("usage.table", name=pattern, close=", ".join(close) or "-")
        positions |= matches
    return tuple(catalog.tables[at] for at in sorted(positions))


def _matches(pattern: str, table: Table) -> bool:
    """Match a name or pattern, ignoring case. A table name that contains * or ? also matches literally."""
    names = (table.name.lower(), f"{table.schema}.{table.name}".lower())
    return pattern.lower() in names or any(fnmatchcase(name, pattern.lower()) for name in names)
