"""`text2sql serve`: the HTTP server, for a single local user or for users with keys or tokens."""

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import click

from text2sql.cli.click_i18n import CommandWithSubcommands, flag, option
from text2sql.cli.serve_audit import command as audit_command
from text2sql.cli.serve_keys import command as keys_command
from text2sql.cli.sources import accounts_from, can_be_read_by_others, policies_from
from text2sql.config import Settings, from_environment
from text2sql.database import Accounts, open_database
from text2sql.errors import MissingDriver, UsageError
from text2sql.i18n import Language, cli_text
from text2sql.reports.schedule import read_schedule
from text2sql.types import Policies

HOST, PORT = "127.0.0.1", 8000
_NAMED = re.compile(r"([A-Za-z][\w-]{0,39})=(.+)", re.DOTALL)
_NO_NAME = re.compile(r"[^\w-]+")


def command(lang: Language) -> click.Command:
    return CommandWithSubcommands(
        "serve",
        lang,
        run,
        [
            option("--db", metavar="[NAME=]SOURCE", multiple=True),
            option("--host", metavar="ADDRESS", default=HOST),
            option("--port", metavar="N", type=click.IntRange(0, 65_535), default=PORT),
            option("--model", metavar="NAME"),
            option("--policy", metavar="[SOURCE=]FILE", multiple=True),
            option("--accounts", metavar="FILE"),
            flag("--allow-writes"),
            option("--reports", metavar="FILE"),
            option("--workers", metavar="N", type=click.IntRange(min=1), default=1),
        ],
        [keys_command(lang), audit_command(lang)],
    )


def run(
    lang: Language,
    *,
    db: tuple[str, ...],
    host: str,
    port: int,
    model: str | None,
    policy: tuple[str, ...],
    accounts: str | None,
    allow_writes: bool,
    reports: str | None,
    workers: int,
) -> int:
    settings = from_environment()
    if allow_writes:
        settings = replace(settings, allow_writes=True)
    if workers > 1 and settings.memory.strip() == "none":
        raise UsageError("usage.serve_workers", workers=workers)
    addresses = name_sources(db or ((settings.db,) if settings.db else ()))
    _validate_sources(addresses.values(), settings)
    allowed = _policies(policy, addresses)
    path = accounts or settings.accounts
    role_accounts = _accounts(path, addresses, allowed, settings, lang) if path else {}
    schedule = read_schedule(Path(reports)) if reports else ()
    _server_module().serve(
        addresses,
        settings,
        model=model or "",
        policies=allowed,
        accounts=role_accounts,
        host=host,
        port=port,
        schedule=schedule,
        workers=workers,
        ready=partial(_ready, lang),
    )
    return 0


def name_sources(sources: tuple[str, ...]) -> dict[str, str]:
    """Map names to addresses, in order. An unnamed address is named after its file or database."""
    addresses: dict[str, str] = {}
    for source in sources:
        match = _NAMED.fullmatch(source)
        # a file name may contain =
        name, address = match.groups() if match and not Path(source).exists() else (_name_of(source), source)
        if name in addresses:
            raise UsageError("usage.serve_name", name=name)
        addresses[name] = address
    if not addresses:
        raise UsageError("usage.db_missing")
    return addresses


def _policies(arguments: tuple[str, ...], addresses: Mapping[str, str]) -> dict[str, Policies]:
    """Map sources to policies. A file without a source name applies to all sources."""
    policies: dict[str, Policies] = {}
    for argument in arguments:
        match = _NAMED.fullmatch(argument)
        name, path = match.groups() if match and match[1] in addresses else ("", argument)
        policies |= dict.fromkeys([name] if name else addresses, policies_from(path))
    for missing in addresses.keys() - policies.keys() if policies else ():
        raise UsageError("usage.policy_source", name=missing)
    return policies


def _accounts(
    path: str, addresses: dict[str, str], policies: dict[str, Policies], settings: Settings, lang: Language
) -> dict[str, Accounts]:
    accounts = accounts_from(path, addresses, policies)
    _validate_sources((url for of_source in accounts.values() for url in of_source.values()), settings)
    if can_be_read_by_others(path):
        click.echo(cli_text("serve.accounts_open", lang, path=path), err=True)
    return accounts


def _name_of(address: str) -> str:
    path = urlsplit(address).path if "://" in address else address
    return _NO_NAME.sub("-", Path(path).stem).strip("-")[:40] or "default"


def _validate_sources(addresses: Iterable[str], settings: Settings) -> None:
    """Reject invalid sources early. This makes no connection: a server may start later."""
    for address in addresses:
        with open_database(address, settings):
            pass


def _server_module() -> ModuleType:
    try:
        from text2sql.server import run  # noqa: PLC0415 -- its packages are an extra
    except ModuleNotFoundError as error:
        raise MissingDriver("missing_server", package=error.name, extra="server") from error
    return run


def _ready(lang: Language, address: str) -> None:
    """Print the address on a terminal; programs find it in the log."""
    if sys.stderr.isatty():
        click.echo(cli_text("serve.ready", lang, address=address), err=True)
