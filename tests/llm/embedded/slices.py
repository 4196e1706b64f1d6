"""A small model in slices: packages as an installer leaves them, with a record, and the release they make."""

import base64
import hashlib
import random
from pathlib import Path

from text2sql.llm.embedded.manifest import Part, Release

SIZE, PARTS = 40_000, 4


def contents() -> bytes:
    return b"GGUF" + random.Random(7).randbytes(SIZE - 4)


def small_release() -> Release:
    content = contents()
    parts = tuple(Part(f"t2s-part{n}", "1.0", f"t2s_part{n}/data/part{n}.bin") for n in range(1, PARTS + 1))
    return Release("small", "small.gguf", len(content), hashlib.sha256(content).hexdigest(), parts)


def install_slices(site: Path) -> None:
    """Importing one of them would fail the test: only their bytes are wanted."""
    content, each = contents(), SIZE // PARTS
    for number, part in enumerate(small_release().parts):
        piece = content[number * each : (number + 1) * each]
        file = site / part.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(piece)
        (file.parents[1] / "__init__.py").write_text("raise RuntimeError('imported')\n")
        about = site / f"{file.parts[-3]}-1.0.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {part.package}\nVersion: 1.0\n")
        digest = base64.urlsafe_b64encode(hashlib.sha256(piece).digest()).rstrip(b"=").decode()
        (about / "RECORD").write_text(f"{part.file},sha256={digest},{len(piece)}\n")
