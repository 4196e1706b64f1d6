"""`text2sql check`: one statement, or JSON lines on standard input, through the guard."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import click

from text2sql.cli import REFUSED
from text2sql.cli.sources import known_dialect, opened, policy_from
from text2sql.cli.spoken import Command, flag, option
from text2sql.cli.words import word
from text2sql.config import from_environment
from text2sql.errors import UsageError
from text2sql.messages import Language, refusal
from text2sql.sql import check
from text2sql.types import Catalogue, CheckedSql, Policy, SqlRejected


def command(lang: Language) -> click.Command:
    return Command(
        "check",
        lang,
        partial(run, lang),
        [
            click.Argument(["sql"], required=False, metavar="[SQL]"),
            option(lang, "check", "--dialect", metavar="NAME"),
            option(lang, "check", "--policy", metavar="FILE"),
            option(lang, "check", "--role", metavar="NAME", multiple=True),
            option(lang, "check", "--claim", metavar="NAME=VALUE", multiple=True),
            option(lang, "check", "--db", metavar="SOURCE"),
            option(lang, "check", "--rows", metavar="N", type=click.IntRange(min=1)),
            flag(lang, "check", "--json", "as_json"),
        ],
    )


@dataclass(frozen=True, slots=True)
class Terms:
    """What every statement of a run is checked against."""

    lang: Language
    dialect: str
    schema: Catalogue | None
    policy: Policy | None
    rows: int

    def judge(self, sql: str, dialect: str) -> CheckedSql | SqlRejected:
        known = self.schema if self.schema and self.schema.dialect == dialect else None
        return check(sql, dialect, known, self.policy, rows=self.rows)


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
    allowed = policy_from(policy, role, claim)
    terms = _terms(lang, dialect, allowed, db, rows, one=sql is not None)
    if sql is not None:
        return _one(sql, terms, as_json)
    if sys.stdin.isatty():
        click.echo(word("reading", lang), err=True)
    # Bytes, because a line that is not UTF-8 should cost its own verdict and not the run.
    for verdict in verdicts(sys.stdin.buffer, terms):
        click.echo(json.dumps(verdict))
    return 0


def verdicts(lines: Iterable[bytes], terms: Terms) -> Iterator[dict[str, Any]]:
    """A verdict for each line, in order, as soon as the line is there."""
    for number, line in enumerate(lines):
        # What is not UTF-8 becomes lone surrogates: the guard refuses them, and the id still comes back.
        text = line.decode("utf-8", "surrogateescape")
        text = text.removeprefix("\ufeff") if number == 0 else text
        if text.strip():
            yield _line(text, terms)


def _terms(
    lang: Language,
    dialect: str | None,
    allowed: Policy | None,
    db: str | None,
    rows: int | None,
    *,
    one: bool,
) -> Terms:
    settings = from_environment()
    limit = rows or settings.row_limit
    if dialect is not None:
        known_dialect(dialect)
    source = db or ("" if dialect or not one else settings.db)
    if not source:
        if dialect is None and one:
            raise UsageError("usage.dialect_missing")
        return Terms(lang, dialect or "", None, allowed, limit)
    with opened(source) as database:
        if dialect not in (None, database.dialect):
            raise UsageError("usage.dialect_differs", dialect=dialect, actual=database.dialect)
        return Terms(lang, database.dialect, database.catalogue(samples=0), allowed, limit)


def _one(sql: str, terms: Terms, as_json: bool) -> int:
    found = terms.judge(sql, terms.dialect)
    if as_json:
        click.echo(json.dumps(_told(None, found, terms.lang)))
    elif isinstance(found, CheckedSql):
        click.echo(found.sql)
    else:
        click.echo(f"{refusal(found, terms.lang)} [{found.rule}]", err=True)
    return 0 if isinstance(found, CheckedSql) else REFUSED


def _line(text: str, terms: Terms) -> dict[str, Any]:
    try:
        given = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return _malformed(None, word("line.json", terms.lang, detail=str(error)))
    if not isinstance(given, dict):
        return _malformed(None, word("line.object", terms.lang))
    number, sql, dialect = given.get("id"), given.get("sql"), given.get("dialect", terms.dialect)
    if not isinstance(sql, str):
        return _malformed(number, word("line.field", terms.lang, name="sql"))
    if not isinstance(dialect, str) or not dialect:
        return _malformed(number, word("line.field", terms.lang, name="dialect"))
    return _told(number, terms.judge(sql, dialect), terms.lang)


def _told(number: Any, found: CheckedSql | SqlRejected, lang: Language) -> dict[str, Any]:
    if isinstance(found, CheckedSql):
        return {"id": number, "allowed": True, "rule": None, "reason": None, "sql": found.sql}
    return {
        "id": number,
        "allowed": False,
        "rule": found.rule,
        "reason": refusal(found, lang),
        "sql": None,
    }


def _malformed(number: Any, reason: str) -> dict[str, Any]:
    return {"id": number, "allowed": False, "rule": "input", "reason": reason, "sql": None}


def _no_number(text: str) -> None:
    """Python reads NaN and Infinity, and would echo an id that no other program can read."""
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is out of range")
    return number
