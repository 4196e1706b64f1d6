"""Evaluated prefixes on disk: what makes a second question cost a second instead of half a minute.

A prefix's file is named after the hash of its tokens, in a directory named after the model's file and the
runtime, so a changed schema, model or runtime simply finds nothing. llama.cpp aborts the whole process on a
state file that was cut off, therefore nothing is ever offered to it that was not checked first.
"""

import hashlib
import json
import os
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_HEAD = 4096  # bytes before the tokens and some room: the format's own header is a few words


@dataclass(frozen=True, slots=True)
class Prefix:
    tokens: tuple[int, ...]
    plain: bool = False  # read without the adapter

    @property
    def key(self) -> str:
        return hashlib.sha256(self.packed + b"plain" * self.plain).hexdigest()[:32]

    @property
    def packed(self) -> bytes:
        return struct.pack(f"<{len(self.tokens)}i", *self.tokens)


class Prefixes:
    def __init__(self, directory: Path, most_bytes: int) -> None:
        self.directory = directory
        self._most_bytes = most_bytes

    def find(self, prefix: Prefix) -> str | None:
        """The name of a state file that is whole, marked as just used; a bad one is removed on sight."""
        file = self.directory / f"{prefix.key}.bin"
        try:
            about = json.loads(_about(file).read_text(encoding="utf-8"))
            if about == _facts(file):
                os.utime(file)
                return file.name
        except (OSError, ValueError):
            pass
        self._forget(file)
        return None

    def temporary(self, prefix: Prefix) -> str:
        return f"{prefix.key}.{os.getpid()}.tmp"

    def keep(self, prefix: Prefix, temporary: str) -> bool:
        """What the server has saved becomes the prefix's file, if it holds this prefix and nothing else:
        somebody may have used the slot in between.
        """
        saved = self.directory / temporary
        try:
            if not _holds(saved, prefix):
                return False
            file = self.directory / f"{prefix.key}.bin"
            about = json.dumps(_facts(saved))
            saved.replace(file)
            _about(file).write_text(about, encoding="utf-8")
        except OSError:  # a full disk costs the cache, not the answer
            return False
        finally:
            with suppress(OSError):
                saved.unlink(missing_ok=True)
        self._evict(file)
        return True

    def _evict(self, newest: Path) -> None:
        """Least recently used first; the newest stays even if it is too large alone."""
        files = sorted(self.directory.glob("*.bin"), key=_last_used)
        total = sum(_size(one) for one in files)
        for one in files:
            if total <= self._most_bytes:
                return
            if one != newest:
                total -= _size(one)
                self._forget(one)

    def _forget(self, file: Path) -> None:
        for one in (file, _about(file)):
            with suppress(OSError):
                one.unlink(missing_ok=True)


def kept_bytes(root: Path) -> int:
    return sum(_size(one) for one in (root / "prefix").glob("*/*.bin"))


def _about(file: Path) -> Path:
    return file.with_suffix(".json")


def _facts(file: Path) -> dict[str, object]:
    with file.open("rb") as opened:
        return {"size": file.stat().st_size, "sha256": hashlib.file_digest(opened, "sha256").hexdigest()}


def _holds(saved: Path, prefix: Prefix) -> bool:
    """The tokens stand near the file's beginning, after their number."""
    wanted = struct.pack("<I", len(prefix.tokens)) + prefix.packed
    with saved.open("rb") as file:
        return wanted in file.read(len(wanted) + _HEAD)


def _last_used(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0


def _size(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_size
    return 0
