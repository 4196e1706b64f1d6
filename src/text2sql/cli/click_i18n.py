"""Localized Click commands: help pages, headings and error messages come from `i18n/cli.toml`."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from text2sql.errors import UsageError
from text2sql.i18n import Language, cli_text, cli_texts

PATH = click.Path(path_type=Path)  # the type of an option that names a file or a folder


class Page(click.HelpFormatter):
    """A help page with localized headings."""

    def __init__(self, lang: Language, width: int | None, max_width: int | None) -> None:
        super().__init__(width=width, max_width=max_width)
        self._lang = lang

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or cli_text("Usage:", self._lang) + " ")

    def write_heading(self, heading: str) -> None:
        super().write_heading(cli_text(heading, self._lang) if heading in cli_texts() else heading)


class LocalizedContext(click.Context):
    def make_formatter(self) -> click.HelpFormatter:
        return Page(self.obj or "en", self.terminal_width, self.max_content_width)


class Command(click.Command):
    """A command with localized help, whose callback gets the language as its first argument."""

    context_class = LocalizedContext

    def __init__(
        self, name: str, lang: Language, run: Callable[..., int], params: Sequence[click.Parameter]
    ) -> None:
        super().__init__(**_localized(name, lang, partial(run, lang), params))


class CommandWithSubcommands(click.Group):
    """A command with subcommands that also runs without one."""

    context_class = LocalizedContext

    def __init__(
        self,
        name: str,
        lang: Language,
        run: Callable[..., int],
        params: Sequence[click.Parameter],
        subcommands: Sequence[click.Command],
    ) -> None:
        def run_alone(**arguments: Any) -> int:
            return 0 if click.get_current_context().invoked_subcommand else run(lang, **arguments)

        super().__init__(
            **_localized(name, lang, run_alone, params),
            commands=subcommands,
            invoke_without_command=True,
            subcommand_metavar="[COMMAND]",
        )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        raise UsageError("usage.command", name=args[0], commands=", ".join(self.commands))


def _localized(
    name: str, lang: Language, callback: Callable[..., int], params: Sequence[click.Parameter]
) -> dict[str, Any]:
    """The attributes of a command. Its help texts have the keys `ask` and `ask.more`."""
    return {
        "name": name,
        "callback": callback,
        "params": localized_params(name, lang, params),
        "help": f"{cli_text(name, lang)}\n\n{cli_text(f'{name}.more', lang)}",
        "add_help_option": False,
        "context_settings": {"obj": lang},
    }


def option(*names: str, **attributes: Any) -> click.Option:
    return click.Option(names, **attributes)


def flag(*names: str) -> click.Option:
    return click.Option(names, is_flag=True)


def former_flag(name: str) -> click.Option:
    """A flag that was renamed: it still works for one version, without being shown in the help."""
    return click.Option([name], is_flag=True, hidden=True)


def localized_params(
    command: str, lang: Language, params: Sequence[click.Parameter]
) -> list[click.Parameter]:
    """The parameters of a command, `--config`, `--lang` and `--help`, with their help. Its keys are such as
    `ask.--chart`, or `--model` for an option of several commands.
    """
    # `--config` and `--lang` were already read before parsing
    config = option("--config", metavar="FILE", expose_value=False)
    language = option("--lang", type=click.Choice(["en", "zh"]), expose_value=False)
    everything = [*params, config, language, page_option("--help", lambda context: context.get_help())]
    for param in everything:
        if isinstance(param, click.Option) and not param.hidden:
            key = f"{command}.{param.opts[0]}"
            param.help = cli_text(key if key in cli_texts() else param.opts[0], lang)
    return everything


def page_option(name: str, page: Callable[[click.Context], str]) -> click.Option:
    """An option that prints a page and ends the command."""

    def show(context: click.Context, _: click.Parameter, is_set: bool) -> None:
        if is_set and not context.resilient_parsing:
            click.echo(page(context))
            context.exit()

    return option(name, is_flag=True, is_eager=True, expose_value=False, callback=show)


def usage_message(error: click.ClickException, lang: Language) -> str:
    """A localized message for an error in the command line, with a pointer to the help."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "text2sql"
    return f"{_problem(error, lang)}\n{cli_text('error.help', lang, command=command)}"


def _problem(error: click.ClickException, lang: Language) -> str:
    if isinstance(error, click.NoSuchOption):
        return cli_text("error.no_option", lang, name=error.option_name)
    if isinstance(error, click.MissingParameter):
        return cli_text("error.missing", lang, name=_parameter_name(error.param))
    if isinstance(error, click.BadParameter):
        return cli_text(
            "error.bad_value", lang, name=_parameter_name(error.param), detail=_expected(error, lang)
        )
    if isinstance(error, click.BadOptionUsage):
        return cli_text("error.no_argument", lang, name=error.option_name)
    return cli_text("error.unreadable", lang, detail=error.format_message())


def _expected(error: click.BadParameter, lang: Language) -> str:
    kind = error.param.type if error.param else None
    if isinstance(kind, click.Choice):
        return cli_text("error.choices", lang, choices=", ".join(kind.choices))
    if isinstance(kind, click.IntRange):
        return cli_text("error.integer", lang, least=kind.min)
    if isinstance(kind, click.FloatRange):
        return cli_text("error.number", lang, least=kind.min)
    return error.message


def _parameter_name(parameter: click.Parameter | None) -> str:
    names: Sequence[str] = parameter.opts if parameter else ()
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(click.Context(click.Command("text2sql"))).strip("[]")
    return names[0] if names else ""
