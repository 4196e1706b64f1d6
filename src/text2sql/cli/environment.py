"""Detect which optional parts of text2sql are installed."""

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
from text2sql.llm.embedded.manifest import QWEN

# The name on the package index. `text2sql` is another project's there.
DISTRIBUTION = "text2sql-kit"

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)[^;]*;.*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]")


@dataclass(frozen=True, slots=True)
class Driver:
    database: str
    dialect: str
    version: str | None  # None if it cannot be imported
    fix: str  # the command that installs it


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    runtime: str | None  # None if the extra `local` is not installed
    file: Literal["checked", "unchecked", "absent"]
    fix: str  # the command that fixes a problem; "" if there is none


@dataclass(frozen=True, slots=True)
class Installation:
    python: str
    text2sql: str
    sqlglot: str
    sqlglot_compiled: bool
    drivers: tuple[Driver, ...]
    model: EmbeddedModel


def inspect_installation() -> Installation:
    return Installation(
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
        return EmbeddedModel(None, state, f'pip install "{DISTRIBUTION}[local]"')
    fix = {"checked": "", "unchecked": "text2sql model verify", "absent": "text2sql model pull"}[state]
    return EmbeddedModel(runtime, state, fix)


def _is_compiled(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and not str(spec.origin).endswith(".py")


def _driver(facts: Facts) -> Driver:
    fix = f"pip install --force-reinstall {DISTRIBUTION}"
    if facts.extra:
        fix = f'pip install "{DISTRIBUTION}[{facts.extra}]"'
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a driver's warnings about its own dependencies
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
    return f"sqlite3 {import_module('sqlite3').sqlite_version}"  # Python's own


def _packages_of(extra: str) -> Iterator[str]:
    for requirement in metadata.requires(DISTRIBUTION) or ():
        match = _REQUIREMENT.match(requirement)
        if match and extra and match["extra"] == extra:
            yield match["name"]
