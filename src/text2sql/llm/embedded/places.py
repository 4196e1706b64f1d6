"""Where the embedded model keeps its things: the file, the evaluated prefixes, the running process.

    <cache>/models/<file>.gguf            the model, and `.ok` beside it: "this very file was checked"
    <cache>/prefix/<model key>/<sha>.bin  evaluated prefixes
    <cache>/run/<host key>/               socket, locks and log of one running process

Everything below is for its owner alone: the prefixes hold schemas, and whoever can open the socket can ask.
"""

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from text2sql.config import Settings
from text2sql.errors import ModelFileError

# A socket's path must fit into `sun_path`: 104 bytes on macOS, 108 on Linux.
_LONGEST_SOCKET = 100
SOCKET = "s.sock"  # llama.cpp knows a socket by this ending


def cache_root(settings: Settings) -> Path:
    if settings.cache_dir:
        return Path(settings.cache_dir).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "text2sql"


def run_directory(root: Path, key: str) -> Path:
    """Beside the model, so that every program of this user finds the same process; in the temporary
    directory only where the cache lies too deep for a socket.
    """
    usual = root / "run" / key
    if len(os.fsencode(usual / SOCKET)) <= _LONGEST_SOCKET:
        return usual
    return Path(tempfile.gettempdir()) / f"{_short(root)}{key}"


def run_directories(root: Path) -> list[Path]:
    """Of every process that was started for this cache, whether it still runs or not."""
    return sorted([*(root / "run").glob("*"), *Path(tempfile.gettempdir()).glob(f"{_short(root)}*")])


def _short(root: Path) -> str:
    who = os.getuid() if sys.platform != "win32" else 0
    return f"text2sql-{who}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:8]}-"


def private(directory: Path) -> Path:
    """Made for its owner alone. One that somebody else owns or can enter is refused: in a temporary
    directory anybody may have put it there first.
    """
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        _owned(directory)
    except OSError as error:
        raise unwritable(directory, error) from error
    return directory


def _owned(directory: Path) -> None:
    if sys.platform == "win32":  # a profile's folders are its owner's already
        return
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(0, "it belongs to somebody else", str(directory))
    if stat.S_IMODE(found.st_mode) & 0o077:
        directory.chmod(0o700)


def unwritable(directory: Path, error: OSError) -> ModelFileError:
    why = error.strerror or str(error)
    return ModelFileError("local", why, key="model.file_unwritable", path=str(directory))
