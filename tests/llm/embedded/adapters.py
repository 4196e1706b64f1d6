"""A small LoRA adapter for the embedded model, as llama.cpp reads one."""

import random
import struct
from pathlib import Path

_WIDTH, _RANK, _ALIGNED = 1536, 1, 32
_TEXT, _FLOAT, _F32 = 8, 6, 0  # of the format: kinds of facts, and of tensors


def write_adapter(path: Path, loudness: float = 1.0) -> Path:
    """Beside the queries of the first layer: what it adds to them is `loudness` times noise."""
    noise = random.Random(7)
    size = _WIDTH * _RANK
    tensors = {
        "blk.0.attn_q.weight.lora_a": [noise.gauss(0, 1) for _ in range(size)],
        "blk.0.attn_q.weight.lora_b": [loudness * noise.gauss(0, 1) for _ in range(size)],
    }
    shapes = {"lora_a": (_WIDTH, _RANK), "lora_b": (_RANK, _WIDTH)}
    facts = {"general.architecture": "qwen2", "general.type": "adapter", "adapter.type": "lora"}
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts) + 1)
    head += b"".join(_text(key) + struct.pack("<I", _TEXT) + _text(value) for key, value in facts.items())
    head += _text("adapter.lora.alpha") + struct.pack("<If", _FLOAT, 1.0)
    for at, name in enumerate(tensors):
        rows = shapes[name.rpartition(".")[2]]
        head += _text(name) + struct.pack("<IQQIQ", len(rows), *rows, _F32, at * size * 4)
    body = b"".join(struct.pack(f"<{size}f", *values) for values in tensors.values())
    path.write_bytes(head + b"\0" * (-len(head) % _ALIGNED) + body)
    return path


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()
