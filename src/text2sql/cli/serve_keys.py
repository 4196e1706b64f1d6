"""`text2sql serve keys`: create, list and revoke API keys of the server."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import TypeAlias, TypeVar

import click

from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.sources import read_claim
from text2sql.config import Settings, from_environment
from text2sql.errors import UsageError
from text2sql.i18n import Language, cli_text
from text2sql.memory import Key, Memory, new_key, open_memory
from text2sql.text_normalization import printable

T = TypeVar("T")
Claims: TypeAlias = Mapping[str, object]

ACTIONS = ("add", "list", "revoke")


def command(lang: Language) -> click.Command:
    return Command(
        "keys",
        lang,
        run,
        [
            click.Argument(["action"], type=click.Choice(ACTIONS), metavar="|".join(ACTIONS)),
            click.Argument(["name"], required=False, default="", metavar="NAME"),
            option("--role", metavar="ROLE", multiple=True),
            option("--claim", metavar="NAME=VALUE", multiple=True),
            option("--source", metavar="NAME", multiple=True),
            option("--days", metavar="N", type=click.FloatRange(min=0, min_open=True)),
            flag("--json", "as_json"),
        ],
    )


def run(
    lang: Language,
    *,
    action: str,
    name: str,
    role: tuple[str, ...],
    claim: tuple[str, ...],
    source: tuple[str, ...],
    days: float | None,
    as_json: bool,
) -> int:
    settings = from_environment()
    if settings.memory.strip() == "none":
        raise UsageError("usage.auth_memory")
    if action == "list":
        _print_keys(within(settings, lambda memory: memory.keys.all()), lang, as_json)
    elif action == "revoke":
        revoked = within(settings, lambda memory: memory.keys.revoke(name)) if name else 0
        if not revoked:
            raise UsageError("usage.key_missing", name=name)
        if as_json:
            echo_json({"revoked": revoked})
        else:
            click.echo(cli_text("keys.revoked", lang, count=revoked))
    else:
        all_claims = {**claims_of(claim), **({"sources": source} if source else {})}
        text, key = new_key(name, roles=role, claims=all_claims, days=days)
        within(settings, lambda memory: memory.keys.add(key))
        if as_json:
            echo_json({**_key_object(key), "key": text})
        else:
            click.echo(text)
            click.echo(cli_text("keys.added", lang, name=printable(name), id=key.id), err=True)
    return 0


def within(settings: Settings, work: Callable[[Memory], Awaitable[T]]) -> T:
    async def inside() -> T:
        async with open_memory(settings) as memory:
            return await work(memory)

    return asyncio.run(inside())


def claims_of(texts: tuple[str, ...]) -> Claims:
    """Parse claims such as `region=north`. A repeated name collects its values in a list."""
    claims: dict[str, list[object]] = {}
    for name, value in map(read_claim, texts):
        claims.setdefault(name, []).extend(value if isinstance(value, list) else [value])
    return {
        name: tuple(values) if len(values) > 1 else values[0] for name, values in claims.items() if values
    }


def _print_keys(keys: list[Key], lang: Language, as_json: bool) -> None:
    if as_json:
        echo_json([_key_object(key) for key in keys])
        return
    for key in keys:
        state = "keys.revoked_key" if key.revoked else "keys.open" if key.opens(time.time()) else "keys.over"
        facts = [*key.roles, *(f"{name}={_shown(value)}" for name, value in key.claims.items())]
        line = f"{key.id}  {cli_text(state, lang)}  {_day(key.created)}  {key.name}  {' '.join(facts)}"
        click.echo(printable(line.rstrip()))


def _key_object(key: Key) -> dict[str, object]:
    """A key as JSON, without its digest."""
    return {
        "id": key.id,
        "name": key.name,
        "roles": list(key.roles),
        "claims": dict(key.claims),
        "created": key.created,
        "expires": key.expires,
        "revoked": key.revoked,
    }


def _shown(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
