"""`text2sql check`: run the guard on one statement, or on JSON lines from standard input."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import click

from text2sql.cli import REFUSED
from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.sources import known_dialect, open_source, policy_from
from text2sql.config import from_environment
from text2sql.errors import UsageError
from text2sql.i18n import Language, cli_text, refusal
from text2sql.sql import check, in_worker_now
from text2sql.types import Catalog, CheckedSql, Policy, SqlRejected


def command(lang: Language) -> click.Command:
    return Command(
        "check",
        lang,
        run,
        [
            click.Argument(["sql"], required=False, metavar="[SQL]"),
            option("--dialect", metavar="NAME"),
            option("--policy", metavar="FILE"),
            option("--role", metavar="NAME", multiple=True),
            option("--claim", metavar="NAME=VALUE", multiple=True),
            option("--db", metavar="SOURCE"),
            option("--rows", metavar="N", type=click.IntRange(min=1)),
            flag("--json", "as_json"),
        ],
    )


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options that apply to every statement of a run."""

    lang: Language
    dialect: str
    schema: Catalog | None
    policy: Policy | None
    rows: int

    def judge(self, sql: str, dialect: str) -> CheckedSql | SqlRejected:
        known = self.schema if self.schema and self.schema.dialect == dialect else None
        return in_worker_now(check, sql, dialect, known, self.policy, rows=self.rows)


def run(
    lang: Language,
    *,
    sql: str | None,
    dialect: str | None,
    policy: str | None,
    role: tuple[str, ...],
    claim: tuple[str, ...],
    db: str | None,
    rows: int | None,
    as_json: bool,
) -> int:
    policy_object = policy_from(policy, role, claim)
    options = check_options(lang, dialect, policy_object, db, rows, single=sql is not None)
    if sql is not None:
        return _check_statement(sql, options, as_json)
    if sys.stdin.isatty():
        click.echo(cli_text("check.reading", lang), err=True)
    # Read bytes, so that a line that is not UTF-8 fails alone and not the whole run.
    for verdict in verdicts(sys.stdin.buffer, options):
        echo_json(verdict)
    return 0


def verdicts(lines: Iterable[bytes], options: CheckOptions) -> Iterator[dict[str, Any]]:
    """Yield a verdict for each line as soon as it is read."""
    for number, line in enumerate(lines):
        # Invalid UTF-8 becomes lone surrogates, which the guard rejects; the verdict still has the id.
        text = line.decode("utf-8", "surrogateescape")
        text = text.removeprefix("\ufeff") if number == 0 else text
        if text.strip():
            yield _check_line(text, options)


def check_options(
    lang: Language,
    dialect: str | None,
    policy: Policy | None,
    db: str | None,
    rows: int | None,
    *,
    single: bool,
) -> CheckOptions:
    settings = from_environment()
    limit = rows or settings.row_limit
    if dialect is not None:
        known_dialect(dialect)
    source = db or ("" if dialect or not single else settings.db)
    if not source:
        if dialect is None and single:
            raise UsageError("usage.dialect_missing")
        return CheckOptions(lang, dialect or "", None, policy, limit)
    with open_source(source) as database:
        if dialect not in (None, database.dialect):
            raise UsageError("usage.dialect_differs", dialect=dialect, actual=database.dialect)
        return CheckOptions(lang, database.dialect, database.catalog(samples=0), policy, limit)


def _check_statement(sql: str, options: CheckOptions, as_json: bool) -> int:
    verdict = options.judge(sql, options.dialect)
    if as_json:
        echo_json(_verdict_object(None, verdict, options.lang))
    elif isinstance(verdict, CheckedSql):
        click.echo(verdict.sql)
    else:
        click.echo(f"{refusal(verdict, options.lang)} [{verdict.rule}]", err=True)
    return 0 if isinstance(verdict, CheckedSql) else REFUSED


def _check_line(text: str, options: CheckOptions) -> dict[str, Any]:
    try:
        entry = json.loads(text, parse_constant=_reject_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return _malformed(None, cli_text("check.line_json", options.lang, detail=str(error)))
    if not isinstance(entry, dict):
        return _malformed(None, cli_text("check.line_object", options.lang))
    number, sql, dialect = entry.get("id"), entry.get("sql"), entry.get("dialect", options.dialect)
    if not isinstance(sql, str):
        return _malformed(number, cli_text("check.line_field", options.lang, name="sql"))
    if not isinstance(dialect, str) or not dialect:
        return _malformed(number, cli_text("check.line_field", options.lang, name="dialect"))
    return _verdict_object(number, options.judge(sql, dialect), options.lang)


def _verdict_object(number: Any, verdict: CheckedSql | SqlRejected, lang: Language) -> dict[str, Any]:
    if isinstance(verdict, CheckedSql):
        return {"id": number, "allowed": True, "rule": None, "reason": None, "sql": verdict.sql}
    return {
        "id": number,
        "allowed": False,
        "rule": verdict.rule,
        "reason": refusal(verdict, lang),
        "sql": None,
    }


def _malformed(number: Any, reason: str) -> dict[str, Any]:
    return {"id": number, "allowed": False, "rule": "input", "reason": reason, "sql": None}


def _reject_constant(text: str) -> None:
    """Reject NaN and Infinity, which Python accepts but which are not valid JSON in the output."""
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is out of range")
    return number
