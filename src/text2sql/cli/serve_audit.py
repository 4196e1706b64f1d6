"""`text2sql serve audit`: print the audit log: users, questions, SQL and row counts."""

import time
from datetime import UTC, datetime

import click

from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.serve_keys import within
from text2sql.config import from_environment
from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.memory import Record
from text2sql.text_normalization import printable

_DAY = 86_400.0
_SHOWN = 200  # characters of a question or query in text output


def command(lang: Language) -> click.Command:
    return Command(
        "audit",
        lang,
        run,
        [
            option("--user", metavar="NAME", default=""),
            option("--days", metavar="N", type=click.FloatRange(min=0, min_open=True)),
            option("--limit", metavar="N", type=click.IntRange(min=1), default=100),
            flag("--json", "as_json"),
        ],
    )


def run(lang: Language, *, user: str, days: float | None, limit: int, as_json: bool) -> int:  # noqa: ARG001
    settings = from_environment()
    if settings.memory.strip() == "none":
        raise UsageError("usage.audit_memory")
    since = 0.0 if days is None else time.time() - days * _DAY
    records = within(settings, lambda memory: memory.audit.read(since=since, user=user, most=limit))
    for record in reversed(records):  # in chronological order
        if as_json:
            echo_json(record.to_dict())
        else:
            click.echo(printable(_line(record)))
    return 0


def _line(record: Record) -> str:
    when = datetime.fromtimestamp(record.at, UTC).isoformat(timespec="milliseconds")
    text = " ".join((record.sql or record.asked).split())[:_SHOWN]
    status = f" {record.status}" if record.status else ""
    return (
        f"{when}  {record.id}  {record.user}  {record.source}  {record.event}{status}  {record.rows}  {text}"
    )
