"""The JSON object that a model was asked for, with whatever it said around it."""

import json
from typing import Any


def object_in(text: str) -> dict[str, Any]:
    """Empty where there is none that can be read. What is in it is still hostile text."""
    try:
        held = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}
