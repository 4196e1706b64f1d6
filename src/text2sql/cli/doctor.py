"""`text2sql doctor`: check the installation and the database, and print the commands that fix problems."""

import time
from dataclasses import asdict, dataclass, fields

import click
from rich.cells import cell_len

from text2sql.cli import FAILED
from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.environment import Installation, inspect_installation
from text2sql.cli.json_output import echo_json
from text2sql.cli.sources import known_dialect, open_source, policies_from
from text2sql.config import ReadSettings, Settings, read_settings
from text2sql.database import open_database, redacted
from text2sql.database.dialects import BY_NAME
from text2sql.database.grants import grants
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language, cli_text, explain
from text2sql.llm.embeddings import open_embedder
from text2sql.sql import readable_by_all_roles, readable_by_roles
from text2sql.text_normalization import printable

ACCOUNT = "text2sql_reader"


def command(lang: Language) -> click.Command:
    return Command(
        "doctor",
        lang,
        run,
        [
            option("--db", metavar="SOURCE"),
            flag("--json", "as_json"),
            flag("--grants", "print_grants"),
            option("--policy", metavar="FILE"),
            option("--dialect", metavar="NAME"),
            option("--role", metavar="NAME", multiple=True),
            option("--account", metavar="NAME"),
        ],
    )


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    source: str  # without its password
    reachable: bool
    dialect: str = ""
    tables: int | None = None
    seconds: float | None = None
    read_only: bool | None = None  # whether a test write was refused; None if there is no table for the test
    error: str = ""


@dataclass(frozen=True, slots=True)
class SettingsReport:
    """The files that were read, and the values that are no defaults, with the places they come from."""

    files: tuple[str, ...]
    values: tuple[tuple[str, str, str], ...]  # name, value, place; a secret value is `…`
    unknown: tuple[tuple[str, str], ...]  # a variable that is no setting, and the nearest that is one


def run(
    lang: Language,
    *,
    db: str | None,
    as_json: bool,
    print_grants: bool,
    policy: str | None,
    dialect: str | None,
    role: tuple[str, ...],
    account: str | None,
) -> int:
    loaded = read_settings()
    source = db or loaded.settings.db
    if print_grants:
        click.echo(_grants(source, policy, dialect, role, account), nl=False)
        return 0
    installation = inspect_installation()
    report = _examine(source, lang) if source else None
    is_usable = report is None or (report.reachable and report.read_only is not False)
    similarity = _similarity(loaded.settings)
    if as_json:
        database = asdict(report) if report else None
        settings = asdict(settings_report(loaded))
        facts = {**asdict(installation), "settings": settings, "similarity": similarity}
        echo_json({**facts, "database": database, "well": is_usable})
    else:
        _print(installation, settings_report(loaded), similarity, report, lang)
    return 0 if is_usable else FAILED


def settings_report(loaded: ReadSettings) -> SettingsReport:
    secrets = {field.name for field in fields(Settings) if field.metadata["secret"]}
    return SettingsReport(
        tuple(map(str, loaded.files)),
        tuple(
            (name, "…" if name in secrets else redacted(str(getattr(loaded.settings, name))), location)
            for name, location in loaded.origins.items()
        ),
        tuple(loaded.unknown.items()),
    )


def _grants(
    source: str, policy: str | None, dialect: str | None, roles: tuple[str, ...], account: str | None
) -> str:
    if policy is None:
        raise UsageError("usage.policy_missing")
    policies = policies_from(policy)
    if dialect is None:
        if not source:
            raise UsageError("usage.dialect_missing")
        with open_database(source) as database:  # only to get the dialect; this makes no connection
            dialect = database.dialect
    readable = readable_by_roles(policies, roles) if roles else readable_by_all_roles(policies)
    name = "_".join((ACCOUNT, *roles)) if account is None else account
    return grants(readable, known_dialect(dialect), name)


def _examine(source: str, lang: Language) -> DatabaseReport:
    name = redacted(source)
    start = time.monotonic()
    try:
        with open_source(source) as database:
            tables = database.catalog(samples=0).tables
            test_table = next((table for table in tables if table.kind == "table"), None)
            read_only = database.rejects_writes(test_table) if test_table else None
    except Text2SQLError as error:
        return DatabaseReport(name, reachable=False, error=explain(error, lang))
    seconds = round(time.monotonic() - start, 3)
    return DatabaseReport(name, True, database.dialect, len(tables), seconds, read_only)


# -- Text output ---------------------------------------------------------------------------------


def _print(
    installation: Installation,
    settings: SettingsReport,
    similarity: str,
    report: DatabaseReport | None,
    lang: Language,
) -> None:
    speed = cli_text("doctor.compiled" if installation.sqlglot_compiled else "doctor.pure", lang)
    _line("✓", "Python", installation.python)
    _line("✓", "text2sql", installation.text2sql)
    _line("✓", "sqlglot", f"{installation.sqlglot} ({speed})")
    if not installation.sqlglot_compiled:
        _detail('→ pip install "sqlglot[c]"')
    for driver in installation.drivers:
        if driver.version is not None:
            _line("✓", driver.database, driver.version)
        else:
            _line("·", driver.database, cli_text("doctor.optional", lang))
            _detail(f"→ {driver.fix}")
    model = installation.model
    runtime = model.runtime or cli_text("doctor.embedded.missing", lang)
    text = f"{runtime}, {cli_text(f'model.{model.file}', lang)}" if model.runtime else runtime
    _line("·" if model.fix else "✓", cli_text("doctor.embedded", lang), text)
    if model.fix:
        _detail(f"→ {model.fix}")
    key = "doctor.similarity.meaning" if similarity else "doctor.similarity.words"
    _line(
        "✓" if similarity else "·", cli_text("doctor.similarity", lang), cli_text(key, lang, model=similarity)
    )
    _print_settings(settings, lang)
    _print_database(report, lang)


def _similarity(settings: Settings) -> str:
    """The embedding model; empty if verified questions are compared by words."""
    open_embedder(settings)  # rejects an invalid name; this connects to nothing
    return settings.embedding_model


def _print_settings(settings: SettingsReport, lang: Language) -> None:
    files = ", ".join(settings.files) or cli_text("doctor.no_file", lang)
    _line("·" if settings.unknown else "✓", cli_text("doctor.settings", lang), printable(files))
    for name, value, location in settings.values:
        _detail(printable(f"{name} = {value} ← {location}"))
    for name, close in settings.unknown:
        key = "doctor.unknown_close" if close else "doctor.unknown"
        _detail(f"→ {printable(cli_text(key, lang, name=name, close=close))}")


def _print_database(report: DatabaseReport | None, lang: Language) -> None:
    if report is None:
        click.echo(cli_text("doctor.no_database", lang), err=True)
        return
    label = cli_text("doctor.database", lang)
    _line("✓" if report.reachable else "✗", label, printable(report.source))
    if report.reachable:
        product = BY_NAME[report.dialect].product
        _detail(
            f"{product}, " + cli_text("doctor.reached", lang, tables=report.tables, seconds=report.seconds)
        )
        _detail(cli_text(_READ_ONLY[report.read_only], lang))
    for line in report.error.splitlines():
        _detail(line)
    if report.reachable and report.read_only is not False:
        click.echo(cli_text("doctor.all_well", lang), err=True)


_READ_ONLY = {True: "doctor.write_refused", False: "doctor.write_accepted", None: "doctor.read_only"}


def _line(mark: str, label: str, text: str) -> None:
    click.echo(f"{mark} {label}{' ' * (15 - cell_len(label))}{text}")


def _detail(text: str) -> None:
    click.echo(f"{' ' * 17}{text}")
