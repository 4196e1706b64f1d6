"""`text2sql serve`: the same over HTTP, for one person on this machine or for all who have a key."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import click

from text2sql.cli.serve_audit import command as audit_command
from text2sql.cli.serve_keys import command as keys_command
from text2sql.cli.sources import policies_from
from text2sql.cli.spoken import Branching, flag, option
from text2sql.cli.words import word
from text2sql.config import Settings, from_environment
from text2sql.database import open_database
from text2sql.errors import MissingDriver, UsageError
from text2sql.messages import Language
from text2sql.reports.schedule import read_schedule
from text2sql.types import Policies

HOST, PORT = "127.0.0.1", 8000
_NAMED = re.compile(r"([A-Za-z][\w-]{0,39})=(.+)", re.DOTALL)
_NO_NAME = re.compile(r"[^\w-]+")


def command(lang: Language) -> click.Command:
    return Branching(
        "serve",
        lang,
        partial(run, lang),
        [keys_command(lang), audit_command(lang)],
        [
            option(lang, "serve", "--db", metavar="[NAME=]SOURCE", multiple=True),
            option(lang, "serve", "--host", metavar="ADDRESS", default=HOST),
            option(lang, "serve", "--port", metavar="N", type=click.IntRange(0, 65_535), default=PORT),
            option(lang, "serve", "--model", metavar="NAME"),
            option(lang, "serve", "--policy", metavar="[SOURCE=]FILE", multiple=True),
            flag(lang, "serve", "--allow-writes", "allow_writes"),
            option(lang, "serve", "--reports", metavar="FILE"),
            option(lang, "serve", "--workers", metavar="N", type=click.IntRange(min=1), default=1),
        ],
    )


def run(
    lang: Language,
    *,
    db: tuple[str, ...],
    host: str,
    port: int,
    model: str | None,
    policy: tuple[str, ...],
    allow_writes: bool,
    reports: str | None,
    workers: int,
) -> int:
    settings = from_environment()
    if allow_writes:
        settings = replace(settings, allow_writes=True)
    if workers > 1 and settings.memory.strip() == "none":
        raise UsageError("usage.serve_workers", workers=workers)
    addresses = named(db or ((settings.db,) if settings.db else ()))
    _look_at(addresses, settings)
    allowed = _policies(policy, addresses)
    schedule = read_schedule(Path(reports)) if reports else ()
    _door().serve(
        addresses,
        settings,
        model=model or "",
        policies=allowed,
        host=host,
        port=port,
        schedule=schedule,
        workers=workers,
        ready=partial(_ready, lang),
    )
    return 0


def named(sources: tuple[str, ...]) -> dict[str, str]:
    """Name → address, in the order given. An address without a name is called after its file or database."""
    found: dict[str, str] = {}
    for one in sources:
        match = _NAMED.fullmatch(one)
        # a file may be called a=b.db
        name, address = match.groups() if match and not Path(one).exists() else (_name_of(one), one)
        if name in found:
            raise UsageError("usage.serve_name", name=name)
        found[name] = address
    if not found:
        raise UsageError("usage.db_missing")
    return found


def _policies(given: tuple[str, ...], addresses: Mapping[str, str]) -> dict[str, Policies]:
    """Source → what may be seen of it. One file is for all; where they are named, none may be left out."""
    found: dict[str, Policies] = {}
    for one in given:
        match = _NAMED.fullmatch(one)
        name, path = match.groups() if match and match[1] in addresses else ("", one)
        found |= dict.fromkeys([name] if name else addresses, policies_from(path))
    for missing in addresses.keys() - found.keys() if found else ():
        raise UsageError("usage.policy_source", name=missing)
    return found


def _name_of(address: str) -> str:
    path = urlsplit(address).path if "://" in address else address
    return _NO_NAME.sub("-", Path(path).stem).strip("-")[:40] or "default"


def _look_at(addresses: dict[str, str], settings: Settings) -> None:
    """A source that is none is told now. No connection is made: a server that is down may come up later."""
    for address in addresses.values():
        with open_database(address, settings):
            pass


def _door() -> ModuleType:
    try:
        from text2sql.server import door  # noqa: PLC0415 -- its packages are an extra
    except ModuleNotFoundError as error:
        raise MissingDriver("missing_server", package=error.name, extra="server") from error
    return door


def _ready(lang: Language, address: str) -> None:
    """For a person; programs read the same from the log."""
    if sys.stderr.isatty():
        click.echo(word("serve.ready", lang, address=address), err=True)
