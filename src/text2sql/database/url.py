"""Parses a data source: the URL of a server, the URL of a file, or the path of a file."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from text2sql.database.dialects import BY_NAME, BY_SCHEME, BY_SUFFIX, FACTS, Facts
from text2sql.database.source import Source
from text2sql.errors import UsageError
from text2sql.file_header import first_bytes

# A scheme has at least two characters: `C:\shop.db` is a path.
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]+)://(?P<rest>.*)", re.DOTALL)
_SECRET_OPTION = re.compile(r"(?i)([?&][^=&#]*(?:passw|secret|token|pwd|key)[^=&#]*=)[^&#]*")
_HEADER_BYTES = 64  # contains every signature


def read_source(text: str) -> Source:
    """Parse the user's text and validate it as far as possible without opening the source."""
    text = text.strip()
    if not text:
        raise UsageError("usage.db_missing")
    url = _URL.fullmatch(text)
    if url is None:
        return _file_source(text, None)
    facts = BY_SCHEME.get(url["scheme"].lower())
    if facts is None:
        raise UsageError("usage.db_scheme", scheme=url["scheme"], schemes=", ".join(sorted(BY_SCHEME)))
    return _file_url(url["rest"], facts) if facts.is_file else _server_source(text, facts)


def source_key(text: str) -> str:
    """Return the identity of a source in stores and threads. A file has one key, however it was written:
    relative, absolute, through links, as a URL. A server's key is its URL without the password.
    """
    source = read_source(text)
    options = f"?{urlencode(sorted(source.options.items()))}" if _is_data(source) and source.options else ""
    return f"{source.dialect}:{source.path or redacted(text.strip())}{options}"


def redacted(text: str) -> str:
    """Return the text without its password, for logs and messages."""
    url = _URL.fullmatch(text.strip())
    if url is None:
        return text
    authority, slash, tail = url["rest"].partition("/")
    # The last @ ends the account: an unescaped password may contain others, even a slash.
    if "@" in tail.partition("?")[0] and ":" in authority and "@" not in authority:
        authority, slash, tail = url["rest"].rpartition("@")[0] + "@", "", url["rest"].rpartition("@")[2]
    account, at, host = authority.rpartition("@")
    if ":" in account:
        account = f"{account.partition(':')[0]}:***"
    return _SECRET_OPTION.sub(r"\1***", f"{url['scheme']}://{account}{at}{host}{slash}{tail}")


def _server_source(text: str, facts: Facts) -> Source:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # a port that is not a number, an unbalanced bracket
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
    """SQLAlchemy's form: `sqlite:///x.db` is relative, `sqlite:////x.db` is absolute."""
    address, _, query = rest.partition("?")
    authority, slash, path = address.partition("/")
    if authority or not slash or not path or path == ":memory:":
        raise UsageError("usage.db_file_url", scheme=facts.schemes[0], product=facts.product)
    return _file_source(unquote(path), facts, dict(parse_qsl(query)))


def _file_source(text: str, expected: Facts | None, options: Mapping[str, str] | None = None) -> Source:
    path = Path(text).expanduser()
    if "\0" not in text and "?" in text and options is None and not path.exists():
        text, _, query = text.rpartition("?")  # options of a data file: `sales.csv?dates=dmy`
        path, options = Path(text).expanduser(), dict(parse_qsl(query, keep_blank_values=True))
    if "\0" in text or not path.exists():
        raise UsageError("usage.db_file_missing", path=text)
    if path.is_dir():
        return _folder_source(path, text, expected, options)
    facts = _detect_format(path, text)
    if expected is not None and facts is not expected:
        raise UsageError("usage.db_other_kind", path=text, expected=expected.product, product=facts.product)
    return Source(dialect=facts.name, path=path.resolve(), options=dict(options or {}))


def _folder_source(
    path: Path, text: str, expected: Facts | None, options: Mapping[str, str] | None
) -> Source:
    """A folder of data files is one source."""
    engine = BY_NAME["duckdb"]
    try:
        has_data = any(each.suffix.lower() in engine.converted for each in path.iterdir())
    except OSError as error:
        raise UsageError("usage.db_unreadable", path=text, detail=error.strerror or "") from error
    if not has_data or expected not in (None, engine):
        raise UsageError("usage.db_directory", path=text)
    return Source(dialect=engine.name, path=path.resolve(), options=dict(options or {}))


def _is_data(source: Source) -> bool:
    return source.path is not None and (
        source.path.is_dir() or source.path.suffix.lower() in BY_NAME[source.dialect].converted
    )


def _detect_format(path: Path, text: str) -> Facts:
    """Detect the format by the file's signature, or by its suffix if the format has none."""
    try:
        header = first_bytes(path, _HEADER_BYTES)
    except OSError as error:
        raise UsageError("usage.db_unreadable", path=text, detail=error.strerror or "") from error
    for facts in FACTS:
        signature = facts.signature
        if (
            signature is not None
            and header[signature.offset : signature.offset + len(signature.magic)] == signature.magic
        ):
            return facts
    by_suffix = BY_SUFFIX.get(path.suffix.lower())
    if by_suffix is not None and (
        path.suffix.lower() in by_suffix.converted or _is_empty_sqlite(header, by_suffix)
    ):
        return by_suffix
    raise UsageError("usage.db_not_a_database", path=text)


def _is_empty_sqlite(header: bytes, facts: Facts) -> bool:
    """A SQLite database without any object is an empty file."""
    return not header and facts.signature is not None and facts.signature.offset == 0
