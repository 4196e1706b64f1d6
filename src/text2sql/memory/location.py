"""Locations from the settings: where the memory is stored (the user's file, another file, in process,
PostgreSQL), and which Redis servers share as a cache.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from text2sql.config import Settings
from text2sql.errors import UsageError

_SERVERS = ("postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class InMemory:
    """Stored in this process, lost when it ends."""


@dataclass(frozen=True, slots=True)
class Server:
    """The URL of a server."""

    url: str

    @property
    def shown(self) -> str:
        """The URL without the account, for errors and logs."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def memory_location(settings: Settings) -> Path | InMemory | Server:
    setting = settings.memory.strip()
    if not setting:
        return data_root(settings) / "memory.db"
    if setting == "none":
        return InMemory()
    scheme, separator, _ = setting.partition("://")
    if separator and scheme in _SERVERS:
        return Server(setting)
    if separator:
        raise UsageError("usage.memory", scheme=scheme)
    return Path(setting).expanduser().absolute()


def cache_location(settings: Settings) -> Server | None:
    """Return the Redis server of `settings.cache`. An unescaped slash or question mark in a password ends the
    address too early: such a URL is invalid, and is not shown in the error.
    """
    setting = settings.cache.strip()
    if not setting:
        return None
    try:
        parts = urlsplit(setting)
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        is_valid = parts.scheme in ("redis", "rediss") and parts.hostname and parts.port != 0
    except ValueError:
        raise UsageError("usage.cache") from None
    database = parts.path.removeprefix("/")
    has_valid_number = not database or (database.isascii() and database.isdigit())
    if (
        not is_valid
        or not has_valid_number
        or parts.fragment
        or not all(name.startswith("ssl_") for name, _ in options)
    ):
        raise UsageError("usage.cache")
    return Server(setting)


def is_shared(settings: Settings) -> bool:
    """Whether programs on other machines can use the same memory."""
    return isinstance(memory_location(settings), Server)


def data_root(settings: Settings) -> Path:
    """The directory for data that must survive a cleared cache."""
    if settings.data_dir:
        return Path(settings.data_dir).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "text2sql"
