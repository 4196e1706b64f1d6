"""`text2sql serve audit`: who asked what, which SQL ran, how many rows it gave."""

import json
import time
from datetime import UTC, datetime
from functools import partial

import click

from text2sql.cli.rendering import printable
from text2sql.cli.serve_keys import within
from text2sql.cli.spoken import Command, flag, option
from text2sql.config import from_environment
from text2sql.errors import UsageError
from text2sql.memory import Record
from text2sql.messages import Language

_DAY = 86_400.0
_SHOWN = 200  # characters of a question or a query in a line for people


def command(lang: Language) -> click.Command:
    return Command(
        "audit",
        lang,
        partial(run, lang),
        [
            option(lang, "audit", "--user", metavar="NAME", default=""),
            option(lang, "audit", "--days", metavar="N", type=click.FloatRange(min=0, min_open=True)),
            option(lang, "audit", "--limit", metavar="N", type=click.IntRange(min=1), default=100),
            flag(lang, "audit", "--json", "as_json"),
        ],
    )


def run(lang: Language, *, user: str, days: float | None, limit: int, as_json: bool) -> int:  # noqa: ARG001
    settings = from_environment()
    if settings.memory.strip() == "none":
        raise UsageError("usage.audit_memory")
    since = 0.0 if days is None else time.time() - days * _DAY
    found = within(settings, lambda memory: memory.audit.read(since=since, user=user, most=limit))
    for record in reversed(found):  # as it happened
        click.echo(json.dumps(record.told()) if as_json else printable(_line(record)))
    return 0


def _line(one: Record) -> str:
    when = datetime.fromtimestamp(one.at, UTC).isoformat(timespec="milliseconds")
    said = " ".join((one.sql or one.asked).split())[:_SHOWN]
    status = f" {one.status}" if one.status else ""
    return f"{when}  {one.id}  {one.user}  {one.source}  {one.event}{status}  {one.rows}  {said}"
