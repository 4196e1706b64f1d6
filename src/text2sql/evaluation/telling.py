"""A run as a file: JSON for programs, Markdown for a pull request, a page for a browser."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from text2sql.errors import UsageError
from text2sql.evaluation.markdown import markdown
from text2sql.evaluation.page import page
from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Share, Summary, compare, summarise

FORMATS = (".md", ".html", ".json")


def summary_object(summary: Summary) -> dict[str, Any]:
    """With each share's value, which a program need not divide for itself."""
    told: dict[str, Any] = _rounded(_with_values(summary, asdict(summary)))
    return told


def run_object(name: str, records: Sequence[Record], bare: Sequence[Record]) -> dict[str, Any]:
    told: dict[str, Any] = {"questions_file": name, **summary_object(summarise(records))}
    told["bare"] = told["comparison"] = None
    if bare:
        told["bare"] = summary_object(summarise(bare))
        told["comparison"] = asdict(compare(bare, records))
    return told


def check_report(path: Path) -> Path:
    """Before anything is asked: whether a report can be of this kind."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError("usage.report", path=str(path), formats=", ".join(FORMATS))
    return path


def write_report(path: Path, name: str, records: Sequence[Record], bare: Sequence[Record]) -> None:
    kind = check_report(path).suffix.lower()
    if kind == ".json":
        text = json.dumps(run_object(name, records, bare), ensure_ascii=False, indent=2) + "\n"
    else:
        text = (markdown if kind == ".md" else page)(name, records, bare)
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.report_file", path=str(path), detail=detail) from error


def _with_values(value: Any, told: Any) -> Any:
    if isinstance(value, Share):
        return {**told, "value": value.value}
    if isinstance(value, Mapping):
        return {name: _with_values(one, told[name]) for name, one in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {name: _with_values(getattr(value, name), told[name]) for name in told}
    return told


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value
