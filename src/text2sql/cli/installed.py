"""What of text2sql's parts is on this machine: looked up by name, imported only to see that it can be."""

import platform
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Literal

from text2sql import __version__
from text2sql.config import Settings, from_environment
from text2sql.database.dialects import FACTS, Facts
from text2sql.llm.embedded import file
from text2sql.llm.embedded.release import QWEN

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)[^;]*;.*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]")


@dataclass(frozen=True, slots=True)
class Driver:
    database: str
    dialect: str
    version: str | None  # None: it cannot be imported
    fix: str  # the command that installs it


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    runtime: str | None  # None: the extra `local` is not installed
    file: Literal["checked", "unchecked", "absent"]
    fix: str  # the command that helps, "" where nothing is missing


@dataclass(frozen=True, slots=True)
class Installed:
    python: str
    text2sql: str
    sqlglot: str
    sqlglot_compiled: bool
    drivers: tuple[Driver, ...]
    model: EmbeddedModel


def installed() -> Installed:
    return Installed(
        platform.python_version(),
        __version__,
        metadata.version("sqlglot"),
        _is_compiled("sqlglot.tokenizer_core"),
        tuple(_driver(facts) for facts in FACTS),
        _embedded_model(from_environment()),
    )


def _embedded_model(settings: Settings) -> EmbeddedModel:
    target = file.models_directory(settings) / QWEN.file
    state: Literal["checked", "unchecked", "absent"] = "unchecked" if target.is_file() else "absent"
    if file.is_checked(target, QWEN):
        state = "checked"
    try:
        runtime = f"xllamacpp {metadata.version('xllamacpp')}"
    except metadata.PackageNotFoundError:
        return EmbeddedModel(None, state, 'pip install "text2sql[local]"')
    fix = {"checked": "", "unchecked": "text2sql model verify", "absent": "text2sql model pull"}[state]
    return EmbeddedModel(runtime, state, fix)


def _is_compiled(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and not str(spec.origin).endswith(".py")


def _driver(facts: Facts) -> Driver:
    fix = (
        f'pip install "text2sql[{facts.extra}]"' if facts.extra else "pip install --force-reinstall text2sql"
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a driver thinks of its own packages is not ours to tell
            import_module(facts.engine.partition(":")[0])
    except ImportError:
        return Driver(facts.product, facts.name, None, fix)
    return Driver(facts.product, facts.name, _version(facts), fix)


def _version(facts: Facts) -> str:
    for name in (*_packages_of(facts.extra), facts.name):
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return f"sqlite3 {import_module('sqlite3').sqlite_version}"  # the one that Python brings along


def _packages_of(extra: str) -> Iterator[str]:
    for requirement in metadata.requires("text2sql") or ():
        found = _REQUIREMENT.match(requirement)
        if found and extra and found["extra"] == extra:
            yield found["name"]
