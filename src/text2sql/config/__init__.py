"""Settings: defaults ← `text2sql.toml` ← `.env` ← environment ← arguments. See docs/settings.md."""

from text2sql.config.reading import CONFIG, ReadSettings, environment, from_environment, read_settings
from text2sql.config.settings import GROUPS, Settings, variable

__all__ = [
    "CONFIG",
    "GROUPS",
    "ReadSettings",
    "Settings",
    "environment",
    "from_environment",
    "read_settings",
    "variable",
]
