"""Extracts the SQL statement from a model's reply: bare, fenced, in YAML or JSON, with prose around it.

The extraction is deterministic and tolerant. It uses no `eval`, YAML library or template engine. Its result
is untrusted text and goes through the guard.
"""

import json
import re

_FENCE = re.compile(r"```[ \t]*([A-Za-z0-9_+-]*)[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_SQL_FENCES = ("sql", "sqlite", "postgresql", "postgres", "mysql", "duckdb", "")
_KEYS = ("sql", "query", "sql_query", "statement")
_YAML = re.compile(
    rf"^[ \t]*(?:{'|'.join(_KEYS)})[ \t]*:[ \t]*(?P<block>[|>][+-]?[ \t]*\n)?(?P<rest>.*)\Z",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_START = re.compile(
    r"(?:^|\n|(?<=[:：。.]))[ \t]*(?=(?:SELECT|WITH|FROM|VALUES|TABLE|\(\s*SELECT)\b)", re.IGNORECASE
)
_NEXT_KEY = re.compile(r"\n[A-Za-z_]+[ \t]*:(?!:)")
_QUOTES = {"'": "'", '"': '"'}


def read_reply(text: str) -> str:
    """The SQL in a reply, or "" if there is none. Several statements are returned as they are: the guard
    refuses them.
    """
    text = text.strip().lstrip("\ufeff")
    fenced = [(language.lower(), body.strip()) for language, body in _FENCE.findall(text)]
    for languages in (_SQL_FENCES[:-1], ("json", "yaml", "yml", "")):
        for language, body in fenced:
            if language in languages:
                sql = _unfenced(body)
                if sql:
                    return sql
    return _unfenced(text)


def _unfenced(text: str) -> str:
    for read in (_from_json, _from_yaml, _from_prose):
        sql = read(text)
        if sql:
            return sql.strip()
    return ""


def _from_json(text: str) -> str:
    start = text.find("{")
    if start < 0:
        return ""
    try:
        document, _ = json.JSONDecoder(strict=False).raw_decode(text[start:])
    except (ValueError, RecursionError):
        return _from_broken_json(text[start:])
    if not isinstance(document, dict):
        return ""
    by_name = {str(key).lower(): value for key, value in document.items()}
    return next((by_name[key] for key in _KEYS if isinstance(by_name.get(key), str)), "")


def _from_broken_json(text: str) -> str:
    """Extract the string of a key from invalid JSON, such as an object with a comment or a trailing comma."""
    for key in _KEYS:
        match = re.search(rf'"{key}"\s*:\s*("(?:[^"\\]|\\.)*")', text, re.IGNORECASE | re.DOTALL)
        if match:
            try:
                return str(json.loads(match[1], strict=False))
            except ValueError:
                return ""
    return ""


def _from_yaml(text: str) -> str:
    match = _YAML.search(text)
    if not match:
        return ""
    rest = match["rest"]
    if match["block"]:
        lines = rest.split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        block: list[str] = []
        for line in lines:
            if line.strip() and len(line) - len(line.lstrip()) < max(indent, 1):
                break
            block.append(line)
        return "\n".join(block)
    value = _NEXT_KEY.split(rest)[0].strip()
    if len(value) > 1 and value[0] in _QUOTES and value[-1] == value[0]:
        return value[1:-1].replace(value[0] * 2, value[0])
    return value if _START.match("\n" + value) else ""


def _from_prose(text: str) -> str:
    """The statement begins at a line that begins like a query, and ends at `;`, a blank line or the end of
    the text. A reply that begins with another SQL command is returned too: the guard refuses it.
    """
    match = _START.search(text)
    if not match and not _looks_like_sql(text):
        return ""
    statement = text[match.end() :] if match else text
    if ";" in statement:
        head, tail = statement.split(";", 1)
        return f"{head};{tail}" if _START.search("\n" + tail.strip()) or _looks_like_sql(tail) else head
    return statement.split("\n\n", 1)[0]


_VERBS = frozenset("ALTER CREATE DELETE DROP GRANT INSERT MERGE PRAGMA SET TRUNCATE UPDATE".split())


def _looks_like_sql(text: str) -> bool:
    word = re.match(r"\s*([A-Za-z]+)", text)
    return word is not None and word[1].upper() in _VERBS
