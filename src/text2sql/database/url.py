"""Text to source: a URL of a server, a URL of a file, or the bare path of a file."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from text2sql.database.dialects import BY_SCHEME, BY_SUFFIX, FACTS, Facts
from text2sql.database.source import Source
from text2sql.errors import UsageError

# A scheme has at least two characters: `C:\shop.db` is a path.
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]+)://(?P<rest>.*)", re.DOTALL)
_SECRET_OPTION = re.compile(r"(?i)([?&][^=&#]*(?:passw|secret|token|pwd|key)[^=&#]*=)[^&#]*")
_HEAD = 64  # bytes that hold every signature


def read_source(text: str) -> Source:
    """What the user wrote, taken apart and checked as far as it can be without opening it."""
    text = text.strip()
    if not text:
        raise UsageError("usage.db_missing")
    url = _URL.fullmatch(text)
    if url is None:
        return _file(text, None)
    facts = BY_SCHEME.get(url["scheme"].lower())
    if facts is None:
        raise UsageError("usage.db_scheme", scheme=url["scheme"], schemes=", ".join(sorted(BY_SCHEME)))
    return _file_url(url["rest"], facts) if facts.is_file else _server(text, facts)


def redacted(text: str) -> str:
    """The same text without its password, for logs and messages."""
    url = _URL.fullmatch(text.strip())
    if url is None:
        return text
    authority, slash, tail = url["rest"].partition("/")
    # The last @ ends the account: a password that was not escaped may hold others, even a slash.
    if "@" in tail.partition("?")[0] and ":" in authority and "@" not in authority:
        authority, slash, tail = url["rest"].rpartition("@")[0] + "@", "", url["rest"].rpartition("@")[2]
    account, at, host = authority.rpartition("@")
    if ":" in account:
        account = f"{account.partition(':')[0]}:***"
    return _SECRET_OPTION.sub(r"\1***", f"{url['scheme']}://{account}{at}{host}{slash}{tail}")


def _server(text: str, facts: Facts) -> Source:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # a port that is no number, a bracket without its other half
        # `from None`: the standard library's message quotes a password that it took for a port
        raise UsageError("usage.db_url", url=redacted(text), product=facts.product) from None
    if not parts.hostname and "host" not in dict(parse_qsl(parts.query)):
        raise UsageError("usage.db_url", url=redacted(text), product=facts.product)
    return Source(
        dialect=facts.name,
        host=unquote(parts.hostname or ""),
        port=port or facts.port,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=unquote(parts.path.removeprefix("/")),
        options=dict(parse_qsl(parts.query, keep_blank_values=True)),
    )


def _file_url(rest: str, facts: Facts) -> Source:
    """SQLAlchemy's form: `sqlite:///x.db` is relative, `sqlite:////x.db` absolute."""
    place, _, query = rest.partition("?")
    authority, slash, path = place.partition("/")
    if authority or not slash or not path or path == ":memory:":
        raise UsageError("usage.db_file_url", scheme=facts.schemes[0], product=facts.product)
    return _file(unquote(path), facts, dict(parse_qsl(query)))


def _file(text: str, expected: Facts | None, options: Mapping[str, str] | None = None) -> Source:
    path = Path(text).expanduser()
    if "\0" in text or not path.exists():
        raise UsageError("usage.db_file_missing", path=text)
    if path.is_dir():
        raise UsageError("usage.db_directory", path=text)
    facts = _kind(path, text)
    if expected is not None and facts is not expected:
        raise UsageError("usage.db_other_kind", path=text, expected=expected.product, product=facts.product)
    return Source(dialect=facts.name, path=path.resolve(), options=dict(options or {}))


def _kind(path: Path, text: str) -> Facts:
    """What a file is, by its first bytes; by its suffix where the format has no such bytes."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise UsageError("usage.db_unreadable", path=text, detail=error.strerror or "") from error
    for facts in FACTS:
        mark = facts.signature
        if mark is not None and head[mark.offset : mark.offset + len(mark.magic)] == mark.magic:
            return facts
    by_suffix = BY_SUFFIX.get(path.suffix.lower())
    if by_suffix is not None and (
        path.suffix.lower() in by_suffix.converted or _empty_sqlite(head, by_suffix)
    ):
        return by_suffix
    raise UsageError("usage.db_not_a_database", path=text)


def _empty_sqlite(head: bytes, facts: Facts) -> bool:
    """A SQLite database in which nothing was ever made is a file of no bytes."""
    return not head and facts.signature is not None and facts.signature.offset == 0
