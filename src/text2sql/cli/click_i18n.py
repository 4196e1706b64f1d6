"""Localized Click commands: help pages, headings and error messages come from `words.py`."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from text2sql.cli.words import WORDS, word
from text2sql.errors import UsageError
from text2sql.i18n import Language


class Page(click.HelpFormatter):
    """A help page with localized headings."""

    def __init__(self, lang: Language, width: int | None, max_width: int | None) -> None:
        super().__init__(width=width, max_width=max_width)
        self._lang = lang

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or word("Usage:", self._lang) + " ")

    def write_heading(self, heading: str) -> None:
        super().write_heading(word(heading, self._lang) if heading in WORDS else heading)


class LocalizedContext(click.Context):
    def make_formatter(self) -> click.HelpFormatter:
        return Page(self.obj or "en", self.terminal_width, self.max_content_width)


class Command(click.Command):
    """A command whose help texts have the keys `check`, `check.more`, `check.--policy`, …"""

    context_class = LocalizedContext

    def __init__(self, name: str, lang: Language, run: Callable[..., int], params: list[click.Parameter]):
        super().__init__(
            name,
            callback=run,
            params=[*params, *common_options(lang)],
            help=f"{word(name, lang)}\n\n{word(f'{name}.more', lang)}",
            add_help_option=False,
            context_settings={"obj": lang},
        )


class CommandWithSubcommands(click.Group):
    """A command with subcommands that also runs without one."""

    context_class = LocalizedContext

    def __init__(
        self,
        name: str,
        lang: Language,
        run: Callable[..., int],
        subcommands: Sequence[click.Command],
        params: list[click.Parameter],
    ):
        def alone(**given: Any) -> int:
            return 0 if click.get_current_context().invoked_subcommand else run(**given)

        super().__init__(
            name,
            commands=subcommands,
            callback=alone,
            invoke_without_command=True,
            subcommand_metavar="[COMMAND]",
            params=[*params, *common_options(lang)],
            help=f"{word(name, lang)}\n\n{word(f'{name}.more', lang)}",
            add_help_option=False,
            context_settings={"obj": lang},
        )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        raise UsageError("usage.command", name=args[0], commands=", ".join(self.commands))


def option(lang: Language, command: str, name: str, **attributes: Any) -> click.Option:
    return click.Option([name], help=word(f"{command}.{name}", lang), **attributes)


def flag(lang: Language, command: str, name: str, variable: str) -> click.Option:
    return click.Option([name, variable], is_flag=True, help=word(f"{command}.{name}", lang))


def common_options(lang: Language) -> list[click.Parameter]:
    """`--lang`, `--config` and `--help`. The first two were already read before parsing."""
    return [
        click.Option(["--config"], metavar="FILE", expose_value=False, help=word("--config", lang)),
        click.Option(
            ["--lang"], type=click.Choice(["en", "zh"]), expose_value=False, help=word("--lang", lang)
        ),
        _page_option("--help", lang, lambda context: context.get_help()),
    ]


def version_option(lang: Language, version: str) -> click.Option:
    return _page_option("--version", lang, lambda _: f"text2sql {version}")


def _page_option(name: str, lang: Language, page: Callable[[click.Context], str]) -> click.Option:
    def show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            click.echo(page(context))
            context.exit()

    return click.Option(
        [name], is_flag=True, is_eager=True, expose_value=False, callback=show, help=word(name, lang)
    )


def complaint(error: click.ClickException, lang: Language) -> str:
    """A localized message for an error in the command line, with a pointer to the help."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "text2sql"
    return f"{_what(error, lang)}\n{word('try', lang, command=command)}"


def _what(error: click.ClickException, lang: Language) -> str:
    if isinstance(error, click.NoSuchOption):
        return word("no_option", lang, name=error.option_name)
    if isinstance(error, click.MissingParameter):
        return word("missing", lang, name=_name(error.param))
    if isinstance(error, click.BadParameter):
        return word("bad_value", lang, name=_name(error.param), detail=_why(error, lang))
    if isinstance(error, click.BadOptionUsage):
        return word("no_argument", lang, name=error.option_name)
    return word("unreadable", lang, detail=error.format_message())


def _why(error: click.BadParameter, lang: Language) -> str:
    kind = error.param.type if error.param else None
    if isinstance(kind, click.Choice):
        return word("choices", lang, choices=", ".join(kind.choices))
    if isinstance(kind, click.IntRange):
        return word("positive", lang, least=kind.min)
    if isinstance(kind, click.FloatRange):
        return word("positive_number", lang, least=kind.min)
    return error.message


def _name(parameter: click.Parameter | None) -> str:
    names: Sequence[str] = parameter.opts if parameter else ()
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(click.Context(click.Command("text2sql"))).strip("[]")
    return names[0] if names else ""
