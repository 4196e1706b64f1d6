"""Where the memory is, by its setting: the user's own file, another file, nowhere, or a PostgreSQL. And where
servers share what may be lost, if they do.
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
class Nowhere:
    """Kept in this process, gone with it."""


@dataclass(frozen=True, slots=True)
class Server:
    url: str

    @property
    def shown(self) -> str:
        """Without the account: an address is said in errors and logs."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def place_of(settings: Settings) -> Path | Nowhere | Server:
    wanted = settings.memory.strip()
    if not wanted:
        return data_root(settings) / "memory.db"
    if wanted == "none":
        return Nowhere()
    scheme, found, _ = wanted.partition("://")
    if found and scheme in _SERVERS:
        return Server(wanted)
    if found:
        raise UsageError("usage.memory", scheme=scheme)
    return Path(wanted).expanduser().absolute()


def cache_of(settings: Settings) -> Server | None:
    """A password with a slash or a question mark in it ends the address too early: what is left of such a URL
    is no address, and is not shown either.
    """
    wanted = settings.cache.strip()
    if not wanted:
        return None
    try:
        parts = urlsplit(wanted)
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        known = parts.scheme in ("redis", "rediss") and parts.hostname and parts.port != 0
    except ValueError:
        raise UsageError("usage.cache") from None
    database = parts.path.removeprefix("/")
    numbered = not database or (database.isascii() and database.isdigit())
    if not known or not numbered or parts.fragment or not all(name.startswith("ssl_") for name, _ in options):
        raise UsageError("usage.cache")
    return Server(wanted)


def is_shared(settings: Settings) -> bool:
    """Whether programs on other machines may have it too."""
    return isinstance(place_of(settings), Server)


def data_root(settings: Settings) -> Path:
    """What must outlive a cleared cache."""
    if settings.data_dir:
        return Path(settings.data_dir).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "text2sql"
