"""Extracts the JSON object from a model's reply, which may have text around it."""

import json
from typing import Any


def object_in(text: str) -> dict[str, Any]:
    """Empty if there is no valid object. Its content is still untrusted."""
    try:
        value = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
