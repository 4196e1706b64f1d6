"""Directories of the embedded model: the model file, the evaluated prefixes and the running process.

    <cache>/models/<file>.gguf            the model, and next to it `.ok`, the stamp of a verified file
    <cache>/prefix/<model key>/<sha>.bin  evaluated prefixes
    <cache>/run/<host key>/               socket, locks and log of one running process

Only the owner may access these directories: prefixes contain schemas, and the socket accepts any request.
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
SOCKET = "s.sock"  # llama.cpp recognizes a socket by this extension


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
    """The directory of a process. It is in the cache, so that all programs of the user find the same
    process; in the temporary directory only if the path would be too long for a socket.
    """
    usual = root / "run" / key
    if len(os.fsencode(usual / SOCKET)) <= _LONGEST_SOCKET:
        return usual
    return Path(tempfile.gettempdir()) / f"{_short(root)}{key}"


def run_directories(root: Path) -> list[Path]:
    """The directories of all processes started for this cache, running or not."""
    return sorted([*(root / "run").glob("*"), *Path(tempfile.gettempdir()).glob(f"{_short(root)}*")])


def _short(root: Path) -> str:
    who = os.getuid() if sys.platform != "win32" else 0
    return f"text2sql-{who}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:8]}-"


def private(directory: Path) -> Path:
    """Create the directory for its owner only. A directory of another user is refused, because anybody could
    create one in the temporary directory.
    """
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        _restrict_to_owner(directory)
    except OSError as error:
        raise unwritable(directory, error) from error
    return directory


def _restrict_to_owner(directory: Path) -> None:
    if sys.platform == "win32":  # a user's profile is already private
        return
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise PermissionError(0, "it belongs to somebody else", str(directory))
    if stat.S_IMODE(status.st_mode) & 0o077:
        directory.chmod(0o700)


def unwritable(directory: Path, error: OSError) -> ModelFileError:
    why = error.strerror or str(error)
    return ModelFileError("local", why, key="model.file_unwritable", path=str(directory))
