"""Logs as JSON lines on standard error, each with the id of the request that it belongs to."""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import IO, Any

request_id: ContextVar[str] = ContextVar("request_id", default="")

_OURS = "text2sql_facts"  # the attribute of a record that holds facts of ours


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        current = request_id.get()
        if current:
            told["request_id"] = current
        told |= getattr(record, _OURS, {})
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=True, default=str)


def fact(log: logging.Logger, message: str, **facts: Any) -> None:
    """A line whose facts are fields, for whoever counts them."""
    log.info(message, extra={_OURS: facts})


def to_json_lines(stream: IO[str] | None = None, level: int = logging.INFO) -> None:
    """Everything that this process logs. uvicorn's own access lines are off: they hold paths, and so ids."""
    lines = logging.StreamHandler(stream or sys.stderr)
    lines.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [lines]
    root.setLevel(logging.WARNING)
    for name in ("text2sql", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(level)
        logger.propagate = True
    logging.getLogger("uvicorn.access").disabled = True
