"""`text2sql model`: list, download, verify and remove the embedded model."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.config import Settings, from_environment
from text2sql.errors import ModelFileError, UsageError
from text2sql.i18n import Language, cli_text
from text2sql.llm.embedded import file, process
from text2sql.llm.embedded.fetch import fetch
from text2sql.llm.embedded.manifest import QWEN
from text2sql.llm.embedded.paths import cache_root
from text2sql.llm.embedded.prefixes import cached_bytes
from text2sql.text_normalization import printable

Result: TypeAlias = tuple[dict[str, object], list[str]]  # (JSON object, text lines)
Action: TypeAlias = Callable[[Settings, Language, str | None], Result]


def command(lang: Language) -> click.Command:
    return Command(
        "model",
        lang,
        run,
        [
            click.Argument(["action"], type=click.Choice([*ACTIONS]), metavar="|".join(ACTIONS)),
            option("--from", metavar="URL"),
            flag("--json", "as_json"),
        ],
    )


def run(lang: Language, action: str, as_json: bool, **arguments: str | None) -> int:
    url = arguments["from"]
    if url and action != "pull":
        raise UsageError("usage.model_from", action=action)
    result, lines = ACTIONS[action](from_environment(), lang, url)
    if as_json:
        echo_json(result)
    else:
        click.echo("\n".join(lines))
    return 0


def list_(settings: Settings, lang: Language, _: str | None) -> Result:
    root, target = cache_root(settings), file.models_directory(settings) / QWEN.file
    size = target.stat().st_size if target.is_file() else 0
    checked = file.is_checked(target, QWEN)
    hosts = process.hosts(root)
    result = {
        "model": QWEN.name,
        "file": str(target),
        "present": bool(size),
        "size": size,
        "verified": checked,
        "prefix_cache_bytes": cached_bytes(root),
        "processes": [
            {"pid": host.pid, "model": host.model, "idle": host.idle, "directory": str(host.run)}
            for host in hosts
        ],
    }
    state = "model.absent" if not size else "model.checked" if checked else "model.unchecked"
    lines = [
        f"{QWEN.name}: {cli_text(state, lang)}",
        f"  {printable(str(target))}" + (f"  {_gigabytes(size)}" if size else ""),
        "  " + cli_text("model.prefixes", lang, size=_gigabytes(cached_bytes(root))),
    ]
    lines += [
        "  "
        + cli_text("model.running", lang, pid=host.pid, idle=host.idle, directory=printable(str(host.run)))
        for host in hosts
    ] or ["  " + cli_text("model.not_running", lang)]
    return result, lines


def pull(settings: Settings, lang: Language, url: str | None) -> Result:
    directory = file.models_directory(settings)
    with _progress_bar(cli_text("model.pulling", lang)) as progress:
        target = fetch(url, directory, QWEN, progress) if url else file.pull(directory, QWEN, progress)
    return _file(target.as_posix()), [printable(str(target))]


def path(settings: Settings, _: Language, __: str | None) -> Result:
    target = file.models_directory(settings) / QWEN.file
    if not target.is_file():
        raise ModelFileError("local", "not there", key="model.file_absent", path=str(target))
    return _file(str(target)), [printable(str(target))]


def verify(settings: Settings, lang: Language, _: str | None) -> Result:
    target = file.models_directory(settings) / QWEN.file
    with _progress_bar(cli_text("model.verifying", lang)) as progress:
        file.verify(target, QWEN, progress)
    file.verify_adapter()
    return {**_file(str(target)), "verified": True}, [cli_text("model.verified", lang, sha256=QWEN.sha256)]


def remove(settings: Settings, lang: Language, _: str | None) -> Result:
    """Stop the processes first: a running process keeps the deleted file's blocks allocated."""
    root, target = cache_root(settings), file.models_directory(settings) / QWEN.file
    hosts = process.hosts(root)
    for host in hosts:
        process.stop(host)
    process.sweep(root)
    freed = cached_bytes(root) + (target.stat().st_size if target.is_file() else 0)
    file.remove(target)
    shutil.rmtree(root / "prefix", ignore_errors=True)
    result = {"freed": freed, "ended": [host.pid for host in hosts]}
    return result, [cli_text("model.removed", lang, size=_gigabytes(freed), ended=len(hosts))]


ACTIONS: Mapping[str, Action] = {
    "list": list_,
    "pull": pull,
    "path": path,
    "verify": verify,
    "remove": remove,
}


def _file(path: str) -> dict[str, object]:
    return {"file": path, "size": QWEN.size, "sha256": QWEN.sha256}


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 1e8 or not size else f"{size / 1e6:.1f} MB"


@contextmanager
def _progress_bar(title: str) -> Iterator[file.Progress]:
    """A progress bar on standard error, if that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=QWEN.size)
        yield lambda done, total: bar.update(task, completed=done, total=total)
