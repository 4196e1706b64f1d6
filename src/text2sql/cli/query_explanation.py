"""`text2sql explain`: what a query does, in plain words, and whether the guard allows it."""

import asyncio
from typing import Any

import click

from text2sql.agents.query_description import describe_query
from text2sql.cli import REFUSED
from text2sql.cli.check import CheckOptions, check_options
from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.i18n import Language, cli_text, refusal
from text2sql.sql import in_worker_now
from text2sql.sql.outline import Outline, outline
from text2sql.text_normalization import printable
from text2sql.types import CheckedSql


def command(lang: Language) -> click.Command:
    return Command(
        "explain",
        lang,
        run,
        [
            click.Argument(["sql"], metavar="SQL"),
            option("--dialect", metavar="NAME"),
            option("--db", metavar="SOURCE"),
            flag("--json", "as_json"),
        ],
    )


def run(lang: Language, *, sql: str, dialect: str | None, db: str | None, as_json: bool) -> int:
    options = check_options(lang, dialect, None, db, None, single=True)
    explanation = explain_query(sql, options)
    if as_json:
        echo_json(explanation)
    else:
        for line in _lines(explanation, lang):
            click.echo(printable(line))
    return 0 if explanation["allowed"] else REFUSED


def explain_query(sql: str, options: CheckOptions) -> dict[str, Any]:
    """The object that `--json` prints. What cannot be parsed has no description."""
    verdict = options.judge(sql, options.dialect)
    facts = in_worker_now(outline, sql, options.dialect)
    known = facts if isinstance(facts, Outline) else None
    is_allowed = isinstance(verdict, CheckedSql)
    return {
        "description": asyncio.run(describe_query(sql, options.dialect, options.lang, options.rows)),
        "allowed": is_allowed,
        "rule": None if isinstance(verdict, CheckedSql) else verdict.rule,
        "reason": None if isinstance(verdict, CheckedSql) else refusal(verdict, options.lang),
        "tables": list(known.tables) if known else [],
        "columns": list(known.columns) if known else [],
    }


def _lines(explanation: dict[str, Any], lang: Language) -> list[str]:
    description = explanation["description"]
    lines = [cli_text("explain.description", lang, text=description)] if description else []
    lines += [
        cli_text(f"explain.{name}", lang, names=", ".join(explanation[name]))
        for name in ("tables", "columns")
        if explanation[name]
    ]
    if explanation["allowed"]:
        return [*lines, cli_text("explain.allowed", lang)]
    return [*lines, f"{explanation['reason']} [{explanation['rule']}]"]
