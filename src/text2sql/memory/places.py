"""Where the memory is, by its setting: the user's own file, another file, nowhere, or a PostgreSQL."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

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
        return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"


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
