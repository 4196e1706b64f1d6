"""JSON for standard output: text as people write it, 数据 and not \\u6570\\u636e."""

import json
import sys
from typing import Any

import click


def echo_json(value: Any) -> None:
    """Print one line of JSON. Characters that a terminal might interpret, or cannot print, are escaped."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    click.echo(json_text(value) if encoding.startswith("utf") else json.dumps(value))


def json_text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
