"""Verified question-SQL pairs as files that a team reviews and shares: header comments, an empty line, the
query.

    -- question: How many customers live in Paris?
    -- question: 巴黎有多少客户？
    -- dialect: sqlite
    -- tables: customers

    SELECT count(*) FROM customers WHERE city = 'Paris'

Every `question` line is another wording of the same question. A file without `source` applies to all
databases.
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
from text2sql.memory.records import Pair
from text2sql.text_normalization import normalised, words

log = logging.getLogger(__name__)

MOST_BYTES = 200_000  # of one file; larger files are ignored
_HEAD = re.compile(r"--\s*(question|dialect|source|tables|user|created):(.*)", re.IGNORECASE)
_NAME_CHARACTERS = 40  # from the question in a file's name: at most 160 bytes of the usual 255


def one_line(text: str) -> str:
    """Make text safe for a comment or a title: one line, without unprintable characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def pair_key(pair: Pair) -> str:
    """A question has one query per database: a newer one replaces it."""
    identity = "\0".join((pair.source, normalised(pair.question)))
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def file_name(pair: Pair) -> str:
    """A readable name of letters, digits and hyphens only, whatever the question contains."""
    slug = "-".join(words(pair.question))[:_NAME_CHARACTERS].strip("-")
    return f"{slug or 'pair'}-{pair_key(pair)[:10]}.sql"


def write_pair(folder: Path, pair: Pair) -> Path:
    """Write atomically: a reader never sees half a file."""
    path = folder / file_name(pair)
    temporary = folder / f".{secrets.token_hex(8)}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with temporary.open("x", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(_text(pair))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.pairs_dir", path=str(folder), detail=detail) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return path


def _text(pair: Pair) -> str:
    created = datetime.fromtimestamp(pair.created, UTC).isoformat(timespec="seconds") if pair.created else ""
    header = {
        "question": pair.question,
        "dialect": pair.dialect,
        "source": pair.source,
        "tables": ", ".join(pair.tables),
        "user": pair.user,
        "created": created,
    }
    lines = [f"-- {name}: {one_line(value)}" for name, value in header.items() if value]
    return "\n".join([*lines, "", pair.sql.strip(), ""])


def read_pairs(text: str) -> list[Pair]:
    """Return one pair per `question` line; an empty list without a question or a query."""
    lines = text.removeprefix("\ufeff").split("\n")
    questions: list[str] = []
    fields: dict[str, str] = {}
    while lines and (header := _HEAD.fullmatch(lines[0].strip())):
        name, value = header[1].lower(), header[2].strip()
        if name == "question":
            questions.append(value)
        fields[name] = value
        lines.pop(0)
    sql = "\n".join(lines).strip()
    if not sql:
        return []
    tables = tuple(name.strip() for name in fields.get("tables", "").split(",") if name.strip())
    created = _seconds(fields.get("created", ""))
    dialect, source, user = (fields.get(name, "") for name in ("dialect", "source", "user"))
    return [Pair(question, sql, dialect, source, tables, user, created) for question in questions if question]


def _seconds(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


class PairFolder:
    """The files of a folder; a file is read again only if it has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cache: dict[str, tuple[tuple[int, int], Sequence[Pair]]] = {}

    def pairs(self) -> list[Pair]:
        files = dict(self._files())
        self._cache = files
        return [pair for _, pairs in files.values() for pair in pairs]

    def _files(self) -> Iterator[tuple[str, tuple[tuple[int, int], Sequence[Pair]]]]:
        try:
            entries = sorted(os.scandir(self.folder), key=lambda entry: entry.name)
        except OSError as error:
            log.info("no pairs are read from %s: %s", self.folder, error.strerror)
            return
        for entry in entries:
            # A symbolic link could point anywhere, and its target's content would be put into a prompt.
            if not entry.name.endswith(".sql") or not entry.is_file(follow_symlinks=False):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
                stamp = (status.st_mtime_ns, status.st_size)
                cached = self._cache.get(entry.name)
                yield (
                    entry.name,
                    cached if cached and cached[0] == stamp else (stamp, _read(entry.path, stamp[1])),
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
