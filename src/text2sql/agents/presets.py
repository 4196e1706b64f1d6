"""Presets: five rows of settings over one graph, and the switches that replace a part of any of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.sql import chosen_fixes
from text2sql.types import Mode, PresetName, RunOptions, Summary


@dataclass(frozen=True, slots=True)
class Preset:
    max_attempts: int  # queries that a model may write for one question; 0 follows the settings
    explain: bool  # EXPLAIN a query before running it
    execute: bool = True  # if False, a query that passed the guard is the answer
    probes: int = 0  # queries of at most ten rows that recovery may run to look at the data
    rows: int | None = None  # a lower row limit than the settings'
    tables: int | None = None  # maximum number of tables in the prompt
    refresh: bool = True  # reload the catalog when the database reports an unknown table or column
    ask_back: bool = True  # ask the user (`clarify`) instead of returning an empty result
    summary: Summary = "template"
    fixes: str = "all"  # the fixes that may be applied to a model's query, see `sql.fixes.registry`

    @property
    def retries(self) -> int:
        """Queries that recovery may request from the model."""
        return self.max_attempts - 1


PRESETS: Mapping[PresetName, Preset] = {
    "default": Preset(max_attempts=0, explain=True),
    # one table, a low row limit, one retry
    "light": Preset(max_attempts=2, explain=False, rows=200, tables=1, ask_back=False),
    # EXPLAIN, then at most one repair
    "repair_once": Preset(max_attempts=2, explain=True),
    # no EXPLAIN; one retry, which may look at the data once
    "hybrid": Preset(max_attempts=2, explain=False, probes=1),
    # a checked query only: no connection, no retry
    "static": Preset(max_attempts=1, explain=False, execute=False, refresh=False),
}
_SWITCH: Mapping[str, bool | None] = {"": None, "on": True, "off": False}


def _preset(name: str) -> Preset:
    for known, preset in PRESETS.items():
        if known == name:
            return preset
    raise UsageError("usage.preset", name=name, presets=", ".join(PRESETS))


def check_options(options: RunOptions, settings: Settings) -> None:
    """Raise a UsageError if an option has a value that does not exist."""
    mode = options.mode or settings.mode
    if mode not in get_args(Mode):
        raise UsageError("usage.mode", name=mode, modes=", ".join(get_args(Mode)))
    effective_preset(options, settings)


def effective_preset(options: RunOptions, settings: Settings) -> Preset:
    """The preset of one question. Options replace the switches of the settings, and those replace the
    preset's values. `settings.max_attempts` is an upper limit for presets, not for the option.
    """
    preset = _preset(options.preset or settings.preset)
    explain = _switch("explain", options.explain, settings.explain)
    repair = _switch("repair", options.repair, settings.repair)
    max_attempts = options.max_attempts
    if type(max_attempts) is not int or max_attempts < 0:
        raise _unknown("max_attempts", max_attempts, "1, 2, 3 …")
    if repair is False:
        max_attempts, preset = 1, replace(preset, refresh=False)
    elif not max_attempts:
        attempts = 0 if repair and preset.max_attempts == 1 else preset.max_attempts
        max_attempts = min(attempts or settings.max_attempts, settings.max_attempts)
    return replace(
        preset,
        max_attempts=max_attempts,
        explain=preset.explain if explain is None else explain,
        fixes=_fixes(settings.fixes or preset.fixes),
        summary=_choice("summary", options.summary or settings.summary, get_args(Summary)),
    )


def _switch(name: str, option: bool | None, setting: str) -> bool | None:
    if option is not None and not isinstance(option, bool):
        raise _unknown(name, option, "true, false")
    return _SWITCH[_choice(name, setting, tuple(_SWITCH))] if option is None else option


def _fixes(choice: str) -> str:
    chosen_fixes(choice)  # raises a UsageError for an unknown name
    return choice


def _choice(name: str, value: str, choices: tuple[str, ...]) -> Any:
    if value not in choices:
        raise _unknown(name, value, ", ".join(filter(None, choices)))
    return value


def _unknown(name: str, value: object, choices: str) -> UsageError:
    return UsageError("usage.option_value", name=name, value=str(value)[:100], choices=choices)
