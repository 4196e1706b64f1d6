"""`text2sql doctor`: what is installed, what is reachable, what is missing, and the command that mends it."""

import json
import time
from dataclasses import asdict, dataclass
from functools import partial

import click
from rich.cells import cell_len

from text2sql.cli import FAILED
from text2sql.cli.installed import Installed, installed
from text2sql.cli.rendering import printable
from text2sql.cli.sources import known_dialect, opened, policies_from
from text2sql.cli.spoken import Command, flag, option
from text2sql.cli.words import word
from text2sql.config import from_environment
from text2sql.database import open_database, redacted
from text2sql.database.dialects import BY_NAME
from text2sql.database.grants import grants
from text2sql.errors import Text2SQLError, UsageError
from text2sql.messages import Language, explain
from text2sql.sql import everything_read

ACCOUNT = "text2sql_reader"


def command(lang: Language) -> click.Command:
    return Command(
        "doctor",
        lang,
        partial(run, lang),
        [
            option(lang, "doctor", "--db", metavar="SOURCE"),
            flag(lang, "doctor", "--json", "as_json"),
            flag(lang, "doctor", "--grants", "print_grants"),
            option(lang, "doctor", "--policy", metavar="FILE"),
            option(lang, "doctor", "--dialect", metavar="NAME"),
            option(lang, "doctor", "--account", metavar="NAME", default=ACCOUNT, show_default=True),
        ],
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """A database as the doctor found it."""

    source: str  # without its password
    reachable: bool
    dialect: str = ""
    tables: int | None = None
    seconds: float | None = None
    read_only: bool | None = None  # a write was tried and stopped; None where there is no table to try it on
    error: str = ""


def run(
    lang: Language,
    *,
    db: str | None,
    as_json: bool,
    print_grants: bool,
    policy: str | None,
    dialect: str | None,
    account: str,
) -> int:
    source = db or from_environment().db
    if print_grants:
        click.echo(_grants(source, policy, dialect, account), nl=False)
        return 0
    found = installed()
    seen = _examine(source, lang) if source else None
    well = seen is None or (seen.reachable and seen.read_only is not False)
    if as_json:
        database = asdict(seen) if seen else None
        click.echo(json.dumps({**asdict(found), "database": database, "well": well}))
    else:
        _print(found, seen, lang)
    return 0 if well else FAILED


def _grants(source: str, policy: str | None, dialect: str | None, account: str) -> str:
    if policy is None:
        raise UsageError("usage.policy_missing")
    wanted = policies_from(policy)
    if dialect is None:
        if not source:
            raise UsageError("usage.dialect_missing")
        with open_database(source) as database:  # its kind only: no connection is made
            dialect = database.dialect
    return grants(everything_read(wanted), known_dialect(dialect), account)


def _examine(source: str, lang: Language) -> Seen:
    name = redacted(source)
    began = time.monotonic()
    try:
        with opened(source) as database:
            tables = database.catalogue(samples=0).tables
            written_to = next((table for table in tables if table.kind == "table"), None)
            read_only = database.refuses_writes(written_to) if written_to else None
    except Text2SQLError as error:
        return Seen(name, reachable=False, error=explain(error, lang))
    seconds = round(time.monotonic() - began, 3)
    return Seen(name, True, database.dialect, len(tables), seconds, read_only)


# -- for people ----------------------------------------------------------------------------------


def _print(found: Installed, seen: Seen | None, lang: Language) -> None:
    speed = word("compiled" if found.sqlglot_compiled else "pure", lang)
    _line("✓", "Python", found.python)
    _line("✓", "text2sql", found.text2sql)
    _line("✓", "sqlglot", f"{found.sqlglot} ({speed})")
    if not found.sqlglot_compiled:
        _more('→ pip install "sqlglot[c]"')
    for driver in found.drivers:
        if driver.version is not None:
            _line("✓", driver.database, driver.version)
        else:
            _line("·", driver.database, word("optional", lang))
            _more(f"→ {driver.fix}")
    model = found.model
    runtime = model.runtime or word("embedded.missing", lang)
    told = f"{runtime}, {word(f'model.{model.file}', lang)}" if model.runtime else runtime
    _line("·" if model.fix else "✓", word("embedded", lang), told)
    if model.fix:
        _more(f"→ {model.fix}")
    _print_database(seen, lang)


def _print_database(seen: Seen | None, lang: Language) -> None:
    if seen is None:
        click.echo(word("no_database", lang), err=True)
        return
    label = word("database", lang)
    _line("✓" if seen.reachable else "✗", label, printable(seen.source))
    if seen.reachable:
        product = BY_NAME[seen.dialect].product
        _more(f"{product}, " + word("reached", lang, tables=seen.tables, seconds=seen.seconds))
        _more(word(_READ_ONLY[seen.read_only], lang))
    for line in seen.error.splitlines():
        _more(line)
    if seen.reachable and seen.read_only is not False:
        click.echo(word("all_well", lang), err=True)


_READ_ONLY = {True: "write_refused", False: "write_accepted", None: "read_only"}


def _line(mark: str, label: str, text: str) -> None:
    click.echo(f"{mark} {label}{' ' * (15 - cell_len(label))}{text}")


def _more(text: str) -> None:
    click.echo(f"{' ' * 17}{text}")
