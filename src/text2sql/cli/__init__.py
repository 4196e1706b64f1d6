"""The command line interface: `text2sql COMMAND`. It only parses arguments and renders results.

Data goes to standard output, messages to standard error. Exit codes: 0 success, 2 bad usage or input,
3 refused, 4 failed, 130 after Ctrl-C, 141 if the reader of a pipe closed it.

Commands are imported on demand: `text2sql --help` loads neither the SQL parser nor a driver.
"""

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper

import click

from text2sql import __version__
from text2sql.cli.click_i18n import LocalizedContext, localized_params, page_option, usage_message
from text2sql.config import CONFIG, from_environment
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language, cli_text, explain, language

OK, BAD_USAGE, REFUSED, FAILED, INTERRUPTED, PIPE_CLOSED = 0, 2, 3, 4, 130, 141

# name → the module whose `command(lang)` creates it
COMMANDS: Mapping[str, str] = {
    "ask": "text2sql.cli.ask",
    "chat": "text2sql.cli.chat",
    "check": "text2sql.cli.check",
    "explain": "text2sql.cli.query_explanation",
    "schema": "text2sql.cli.schema",
    "doctor": "text2sql.cli.doctor",
    "model": "text2sql.cli.model",
    "stats": "text2sql.cli.stats",
    "report": "text2sql.cli.report",
    "eval": "text2sql.cli.evaluate",
    "serve": "text2sql.cli.serve",
    "mcp": "text2sql.cli.mcp",
    "demo": "text2sql.cli.demo",
}


class CommandGroup(click.Group):
    context_class = LocalizedContext

    def __init__(self, lang: Language) -> None:
        super().__init__(
            "text2sql",
            params=localized_params(
                "text2sql", lang, [page_option("--version", lambda _: f"text2sql {__version__}")]
            ),
            help=cli_text("text2sql", lang),
            add_help_option=False,
            invoke_without_command=True,
            callback=_help_unless_commanded,
            context_settings={"obj": lang},
        )
        self._lang = lang

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name]).command(self._lang)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in COMMANDS:
            return super().resolve_command(ctx, args)
        close = get_close_matches(args[0], COMMANDS) or COMMANDS
        raise UsageError("usage.command", name=args[0], commands=", ".join(close))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them, as Click would."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, cli_text(name, self._lang)) for name in COMMANDS])


def _help_unless_commanded() -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if config := _early_option(words, "--config"):
        os.environ[CONFIG] = config  # worker processes read the same file
    lang = language(_early_option(words, "--lang") or _language_of_settings())
    _escape_unencodable_output()
    try:
        code = _run(words, lang)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a closed pipe is still handled
    except BrokenPipeError:
        _discard_stdout()
        return PIPE_CLOSED
    except (KeyboardInterrupt, click.Abort):
        _print_error(cli_text("error.interrupted", lang))
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 a user must not see a traceback
        _print_bug(error, lang)
        return FAILED
    return code


def _run(words: list[str], lang: Language) -> int:
    group = CommandGroup(lang)
    try:
        with group.make_context("text2sql", words) as context:
            return int(group.invoke(context) or OK)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        _print_error(usage_message(error, lang))
        return BAD_USAGE
    except Text2SQLError as error:
        _print_error(explain(error, lang))
        return BAD_USAGE if isinstance(error, UsageError) else FAILED


def _early_option(arguments: Sequence[str], option: str) -> str:
    """Find `--lang` and `--config` before parsing, so that they apply to errors in the command line too."""
    for at, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == option:
            return "".join(arguments[at + 1 : at + 2])
        if argument.startswith(f"{option}="):
            return argument.removeprefix(f"{option}=")
    return ""


def _language_of_settings() -> str:
    """A wrong setting is reported by the command that reads it."""
    try:
        return from_environment().lang
    except UsageError:
        return ""


def _escape_unencodable_output() -> None:
    """Print an escape sequence for characters that the terminal's encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_stdout() -> None:
    """Redirect standard output to nowhere: Python flushes it at exit and would report the closed pipe."""
    with suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _print_error(text: str) -> None:
    with suppress(BrokenPipeError):
        click.echo(text, err=True)


def _print_bug(error: Exception, lang: Language) -> None:
    if os.environ.get("TEXT2SQL_DEBUG"):
        _print_error("".join(traceback.format_exception(error)).rstrip())
    first_line = next(iter(str(error).splitlines()), "")
    name = type(error).__name__
    _print_error(cli_text("error.bug", lang, what=f"{name}: {first_line}" if first_line else name))
