"""Write the report of a run as JSON, Markdown or HTML."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from text2sql.errors import UsageError
from text2sql.evaluation.html_report import page
from text2sql.evaluation.markdown import markdown
from text2sql.evaluation.records import Record
from text2sql.evaluation.report import Summary, compare, summarize

FORMATS = (".md", ".html", ".json")


def summary_object(summary: Summary) -> dict[str, Any]:
    fields: dict[str, Any] = _rounded(asdict(summary))
    return fields


def run_object(name: str, records: Sequence[Record], bare: Sequence[Record]) -> dict[str, Any]:
    fields: dict[str, Any] = {"questions_file": name, **summary_object(summarize(records))}
    fields["bare"] = fields["comparison"] = None
    if bare:
        fields["bare"] = summary_object(summarize(bare))
        fields["comparison"] = asdict(compare(bare, records))
    return fields


def check_report(path: Path) -> Path:
    """Check the extension of a report file before the run starts."""
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


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
