"""Decides whether a model is small or large: the one place for it."""

import re

from text2sql.config import Settings
from text2sql.types import Size

SMALLEST_LARGE = 8.0  # billions of parameters
_BYTES_PER_PARAMETER = 0.5  # of a GGUF file of four bits
_PARAMETERS = re.compile(r"(?<![a-z\d.])(?:(\d+)x|e)?(\d+(?:\.\d+)?)([bm])(?![a-z\d])")


def parameters_in(name: str) -> float | None:
    """Billions of parameters, as a name says them: 7 of `qwen2.5-coder:7b`, 56 of `mixtral:8x7b`."""
    billions = [
        int(experts or 1) * float(number) / (1 if unit == "b" else 1_000)
        for experts, number, unit in _PARAMETERS.findall(name.lower())
    ]
    return max(billions, default=None)


def size_of(name: str, settings: Settings, *, file_bytes: int = 0) -> Size:
    """`TEXT2SQL_MODEL_SIZE` overrules; then the name decides, then the size of a model file. A model of which
    neither is known is large.
    """
    if settings.model_size:
        return "small" if settings.model_size == "small" else "large"
    billions = parameters_in(name)
    if billions is None and file_bytes:
        billions = file_bytes / _BYTES_PER_PARAMETER / 1e9
    return "small" if billions is not None and billions < SMALLEST_LARGE else "large"
