"""Functions for the tests of worker processes: each exceeds a limit or fails in a different way."""

import os
import signal
import time

from text2sql.sql import parse
from text2sql.types import CheckedSql, SqlRejected


def spin(text: str, seconds: float) -> str:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return text


def sleep(text: str, seconds: float) -> str:
    time.sleep(seconds)
    return text


def allocate(text: str, megabytes: int) -> int:
    return len([bytearray(1_000_000) for _ in range(megabytes)]) + len(text)


def long_reply(text: str) -> str:
    return text * 10_000_000


def crash(text: str) -> str:
    os.kill(os.getpid(), signal.SIGSEGV)
    return text


def echo(text: str) -> str:
    return text


def process_ids(text: str) -> tuple[int, int]:
    """The process ids of the server and of its host."""
    return os.getpid(), os.getppid()


def broken_check(text: str, *_: object, **__: object) -> CheckedSql | SqlRejected:
    def fail() -> CheckedSql:
        raise IndexError("a piece of the statement")

    return parse.verdict(text, fail)
