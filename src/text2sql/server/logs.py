"""Logs as JSON lines on standard error, each with the id of its request."""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import IO, Any

request_id: ContextVar[str] = ContextVar("request_id", default="")

_FIELDS = "text2sql_facts"  # the attribute of a log record that holds structured fields


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        current = request_id.get()
        if current:
            entry["request_id"] = current
        entry |= getattr(record, _FIELDS, {})
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=True, default=str)


def log_fields(log: logging.Logger, message: str, **fields: Any) -> None:
    log.info(message, extra={_FIELDS: fields})


def to_json_lines(stream: IO[str] | None = None, level: int = logging.INFO) -> None:
    """Send all logs of this process to JSON lines. uvicorn's access log is off: paths contain ids."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("text2sql", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(level)
        logger.propagate = True
    logging.getLogger("uvicorn.access").disabled = True
