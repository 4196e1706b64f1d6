"""`text2sql schema`: print the schema of a database as text or JSON."""

from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

import click

from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.profile_view import print_profile
from text2sql.cli.schema_view import print_notes, print_table_list, print_tables
from text2sql.cli.sources import open_source
from text2sql.errors import UsageError
from text2sql.i18n import Language, cli_text
from text2sql.serialization import catalog_object
from text2sql.types import Catalog, DatabaseProfile, Table

READABLE = 100  # number of tables up to which all columns are printed


def command(lang: Language) -> click.Command:
    return Command(
        "schema",
        lang,
        run,
        [
            option("--db", metavar="SOURCE"),
            option("--table", metavar="NAME", multiple=True),
            flag("--profile", "with_profile"),
            flag("--json", "as_json"),
        ],
    )


def run(lang: Language, db: str | None, table: tuple[str, ...], with_profile: bool, as_json: bool) -> int:
    catalog, profile = _read(db, with_profile=with_profile)
    tables = select_tables(catalog, table)
    if as_json:
        echo_json(catalog_object(catalog, tables, profile))
    elif not tables:
        click.echo(cli_text("schema.empty", lang), err=True)
    elif profile is not None:
        print_profile(profile, [catalog.label(shown) for shown in tables], lang)
        if not profile.is_complete:
            click.echo(cli_text("profile.incomplete", lang), err=True)
    elif len(tables) > READABLE and not table:
        print_table_list(tables, catalog.default_schema, lang)
        click.echo(cli_text("schema.many", lang, tables=len(tables)), err=True)
    else:
        print_tables(tables, catalog.default_schema, lang)
    if not as_json:
        print_notes(catalog.notes, {each.name for each in tables} if table else None, lang)
    return 0


def _read(db: str | None, *, with_profile: bool) -> tuple[Catalog, DatabaseProfile | None]:
    if not with_profile:
        with open_source(db) as database:
            return database.catalog(), None
    from text2sql.client.sync_client import Text2SQL  # noqa: PLC0415 -- the graph takes two seconds to import

    with Text2SQL(db or "") as client:
        return client.catalog(), client.profile()


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
