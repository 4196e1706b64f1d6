"""Reading a model's reply: the one statement in bare SQL, a fence, YAML or JSON, with talk around it.

Deterministic and tolerant; never `eval`, never a YAML or template engine. What comes out is still hostile
text: it goes to the guard like everything else.
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
    """The SQL in a reply, or "" where there is none. Of several statements the whole text is returned:
    that there must be exactly one is the guard's to say.
    """
    text = text.strip().lstrip("\ufeff")
    fenced = [(language.lower(), body.strip()) for language, body in _FENCE.findall(text)]
    for languages in (_SQL_FENCES[:-1], ("json", "yaml", "yml", "")):
        for language, body in fenced:
            if language in languages:
                found = _unfenced(body)
                if found:
                    return found
    return _unfenced(text)


def _unfenced(text: str) -> str:
    for read in (_from_json, _from_yaml, _from_talk):
        found = read(text)
        if found:
            return found.strip()
    return ""


def _from_json(text: str) -> str:
    start = text.find("{")
    if start < 0:
        return ""
    try:
        held, _ = json.JSONDecoder(strict=False).raw_decode(text[start:])
    except (ValueError, RecursionError):
        return _from_broken_json(text[start:])
    if not isinstance(held, dict):
        return ""
    by_name = {str(key).lower(): value for key, value in held.items()}
    return next((by_name[key] for key in _KEYS if isinstance(by_name.get(key), str)), "")


def _from_broken_json(text: str) -> str:
    """A trailing comma or a comment breaks the object; the string of the one key is still whole."""
    for key in _KEYS:
        found = re.search(rf'"{key}"\s*:\s*("(?:[^"\\]|\\.)*")', text, re.IGNORECASE | re.DOTALL)
        if found:
            try:
                return str(json.loads(found[1], strict=False))
            except ValueError:
                return ""
    return ""


def _from_yaml(text: str) -> str:
    found = _YAML.search(text)
    if not found:
        return ""
    rest = found["rest"]
    if found["block"]:
        lines = rest.split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        kept: list[str] = []
        for line in lines:
            if line.strip() and len(line) - len(line.lstrip()) < max(indent, 1):
                break
            kept.append(line)
        return "\n".join(kept)
    value = _NEXT_KEY.split(rest)[0].strip()
    if len(value) > 1 and value[0] in _QUOTES and value[-1] == value[0]:
        return value[1:-1].replace(value[0] * 2, value[0])
    return value if _START.match("\n" + value) else ""


def _from_talk(text: str) -> str:
    """The statement begins at a line that begins like one, and ends at `;`, a blank line or the end. A reply
    that is no query from its first word on is returned too: that it may not run is the guard's to say.
    """
    found = _START.search(text)
    if not found and not _looks_like_sql(text):
        return ""
    statement = text[found.end() :] if found else text
    if ";" in statement:
        head, tail = statement.split(";", 1)
        return f"{head};{tail}" if _START.search("\n" + tail.strip()) or _looks_like_sql(tail) else head
    return statement.split("\n\n", 1)[0]


_VERBS = frozenset("ALTER CREATE DELETE DROP GRANT INSERT MERGE PRAGMA SET TRUNCATE UPDATE".split())


def _looks_like_sql(text: str) -> bool:
    word = re.match(r"\s*([A-Za-z]+)", text)
    return word is not None and word[1].upper() in _VERBS
