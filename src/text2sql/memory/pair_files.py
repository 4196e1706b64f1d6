"""Verified pairs as files that a team reviews and shares: a head of comments, an empty line, the query.

    -- question: How many customers live in Paris?
    -- question: 巴黎有多少客户？
    -- dialect: sqlite
    -- tables: customers

    SELECT count(*) FROM customers WHERE city = 'Paris'

Every `question` line is a way to ask for the same query. A file without `source` serves every database.
"""

import hashlib
import logging
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from text2sql.errors import UsageError
from text2sql.memory.kept import Pair
from text2sql.wording import normalised, words

log = logging.getLogger(__name__)

MOST_BYTES = 200_000  # of one file; a larger one is no pair
_HEAD = re.compile(r"--\s*(question|dialect|source|tables|user|created):(.*)", re.IGNORECASE)
_NAME_CHARACTERS = 40  # of a file's name that come from the question: at most 160 bytes of the usual 255


def one_line(text: str) -> str:
    """What stands in a comment or a title must not end it, and cannot be seen to do anything else."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def pair_key(pair: Pair) -> str:
    """One question of one database has one query: a better one takes its place."""
    told = "\0".join((pair.source, normalised(pair.question)))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def file_name(pair: Pair) -> str:
    """Readable, and made of letters, digits and hyphens alone whatever the question holds."""
    said = "-".join(words(pair.question))[:_NAME_CHARACTERS].strip("-")
    return f"{said or 'pair'}-{pair_key(pair)[:10]}.sql"


def write_pair(folder: Path, pair: Pair) -> Path:
    """Whole or not at all: a reader never sees half a file."""
    path = folder / file_name(pair)
    new = folder / f".{secrets.token_hex(8)}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with new.open("x", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(_text(pair))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.pairs_dir", path=str(folder), detail=detail) from error
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)
    return path


def _text(pair: Pair) -> str:
    made = datetime.fromtimestamp(pair.created, UTC).isoformat(timespec="seconds") if pair.created else ""
    head = {
        "question": pair.question,
        "dialect": pair.dialect,
        "source": pair.source,
        "tables": ", ".join(pair.tables),
        "user": pair.user,
        "created": made,
    }
    lines = [f"-- {name}: {one_line(value)}" for name, value in head.items() if value]
    return "\n".join([*lines, "", pair.sql.strip(), ""])


def read_pairs(text: str) -> list[Pair]:
    """One pair for each way to ask. None if there is no question or no query in it."""
    lines = text.removeprefix("\ufeff").split("\n")
    questions: list[str] = []
    facts: dict[str, str] = {}
    while lines and (told := _HEAD.fullmatch(lines[0].strip())):
        name, value = told[1].lower(), told[2].strip()
        if name == "question":
            questions.append(value)
        facts[name] = value
        lines.pop(0)
    sql = "\n".join(lines).strip()
    if not sql:
        return []
    tables = tuple(one.strip() for one in facts.get("tables", "").split(",") if one.strip())
    made = _seconds(facts.get("created", ""))
    dialect, source, user = (facts.get(name, "") for name in ("dialect", "source", "user"))
    return [Pair(question, sql, dialect, source, tables, user, made) for question in questions if question]


def _seconds(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


class PairFolder:
    """The files of a folder, each read again only when it has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, tuple[tuple[int, int], Sequence[Pair]]] = {}

    def pairs(self) -> list[Pair]:
        known = dict(self._files())
        self._known = known
        return [pair for _, pairs in known.values() for pair in pairs]

    def _files(self) -> Iterator[tuple[str, tuple[tuple[int, int], Sequence[Pair]]]]:
        try:
            entries = sorted(os.scandir(self.folder), key=lambda entry: entry.name)
        except OSError as error:
            log.info("no pairs are read from %s: %s", self.folder, error.strerror)
            return
        for entry in entries:
            # A link could lead anywhere, and what it leads to would end in a prompt.
            if not entry.name.endswith(".sql") or not entry.is_file(follow_symlinks=False):
                continue
            try:
                state = entry.stat(follow_symlinks=False)
                stamp = (state.st_mtime_ns, state.st_size)
                before = self._known.get(entry.name)
                yield (
                    entry.name,
                    before if before and before[0] == stamp else (stamp, _read(entry.path, stamp[1])),
                )
            except OSError as error:
                log.warning("%s is left out: %s", entry.path, error.strerror)


def _read(path: str, size: int) -> Sequence[Pair]:
    if size > MOST_BYTES:
        log.warning("%s is left out: more than %d bytes", path, MOST_BYTES)
        return ()
    pairs = read_pairs(Path(path).read_text(encoding="utf-8", errors="replace"))
    if not pairs:
        log.warning("%s is left out: no `-- question:` line with a query after it", path)
    return pairs
