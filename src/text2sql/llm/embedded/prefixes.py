"""Cache of evaluated prefixes on disk: a second question takes a second instead of half a minute.

A file is named after the hash of its tokens, in a directory named after the model file and the runtime, so a
changed schema, model or runtime is a cache miss. llama.cpp aborts the whole process on a truncated state
file, so every file is verified before it is loaded.
"""

import hashlib
import json
import os
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_HEAD = 4096  # bytes in which the tokens must begin; the format's own header is a few words


@dataclass(frozen=True, slots=True)
class Prefix:
    tokens: tuple[int, ...]
    plain: bool = False  # evaluated without the adapter

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
        """The name of a valid state file, marked as recently used; an invalid one is removed."""
        file = self.directory / f"{prefix.key}.bin"
        try:
            metadata = json.loads(_metadata_path(file).read_text(encoding="utf-8"))
            if metadata == _metadata(file):
                os.utime(file)
                return file.name
        except (OSError, ValueError):
            pass
        self._remove(file)
        return None

    def temporary(self, prefix: Prefix) -> str:
        return f"{prefix.key}.{os.getpid()}.tmp"

    def keep(self, prefix: Prefix, temporary: str) -> bool:
        """Add a saved state to the cache if it contains exactly this prefix; another program may have used
        the slot in the meantime.
        """
        saved = self.directory / temporary
        try:
            if not _contains_prefix(saved, prefix):
                return False
            file = self.directory / f"{prefix.key}.bin"
            metadata = json.dumps(_metadata(saved))
            saved.replace(file)
            _metadata_path(file).write_text(metadata, encoding="utf-8")
        except OSError:  # a full disk costs the cache, not the answer
            return False
        finally:
            with suppress(OSError):
                saved.unlink(missing_ok=True)
        self._evict(file)
        return True

    def _evict(self, newest: Path) -> None:
        """Remove the least recently used files; the newest one stays, even if it is too large by itself."""
        files = sorted(self.directory.glob("*.bin"), key=_last_used)
        total = sum(_size(file) for file in files)
        for file in files:
            if total <= self._most_bytes:
                return
            if file != newest:
                total -= _size(file)
                self._remove(file)

    def _remove(self, file: Path) -> None:
        for path in (file, _metadata_path(file)):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def cached_bytes(root: Path) -> int:
    return sum(_size(file) for file in (root / "prefix").glob("*/*.bin"))


def _metadata_path(file: Path) -> Path:
    return file.with_suffix(".json")


def _metadata(file: Path) -> dict[str, object]:
    with file.open("rb") as opened:
        return {"size": file.stat().st_size, "sha256": hashlib.file_digest(opened, "sha256").hexdigest()}


def _contains_prefix(saved: Path, prefix: Prefix) -> bool:
    """Whether the file contains the tokens, after their number, near its beginning."""
    packed = struct.pack("<I", len(prefix.tokens)) + prefix.packed
    with saved.open("rb") as file:
        return packed in file.read(len(packed) + _HEAD)


def _last_used(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0


def _size(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_size
    return 0
