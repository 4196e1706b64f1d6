"""Reads a model's reply: the SQL statement, bare, fenced, in YAML or JSON, with prose around it; or why there
is none.

A model declines in the fields of its structured output, or in a first line such as `-- missing: refunds`.
The parser is deterministic and tolerant. It uses no `eval`, YAML library or template engine. Its result
is untrusted text and goes through the guard.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

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


Problem: TypeAlias = Literal["", "missing_database_info", "ambiguous_question"]

_DECLINED = re.compile(
    r"\A\W{0,8}(?:```\w{0,12}\s*)?\W{0,8}(?P<problem>missing|ambiguous)\s*[:：]\s*(?P<words>[^\n]+)",
    re.IGNORECASE,
)
_PROBLEMS: dict[str, Problem] = {
    "missing": "missing_database_info",
    "ambiguous": "ambiguous_question",
    "missing_database_info": "missing_database_info",
    "ambiguous_question": "ambiguous_question",
}


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A statement, or the model's reason for writing none."""

    sql: str = ""
    problem: Problem = ""
    explanation: str = ""


def parse_reply(text: str) -> ModelReply:
    """Several statements are returned as they are: the guard refuses them."""
    text = text.strip().lstrip("\ufeff")
    if declined := _DECLINED.match(text):
        words = declined["words"].strip().strip("`*/").strip()
        return ModelReply("", _PROBLEMS[declined["problem"].lower()], words)
    fenced = [(language.lower(), body.strip()) for language, body in _FENCE.findall(text)]
    sql_first = sorted(fenced, key=lambda block: block[0] not in _SQL_FENCES[:-1])
    bodies = [body for language, body in sql_first if language in (*_SQL_FENCES, "json", "yaml", "yml")]
    replies = [_parse(body) for body in (*bodies, text)]
    return next((reply for reply in replies if reply.sql), None) or next(
        (reply for reply in replies if reply.problem), replies[-1]
    )


def read_reply(text: str) -> str:
    """The SQL in a reply, or "" if there is none."""
    return parse_reply(text).sql


def _parse(text: str) -> ModelReply:
    start = text.find("{")
    fields = _json_fields(text[start:]) if start >= 0 else {}
    if fields.keys() & {*_KEYS, "problem"}:  # a word of its explanation is no statement
        sql = next((fields[key] for key in _KEYS if isinstance(fields.get(key), str)), "")
        problem = _PROBLEMS.get(str(fields.get("problem", "")).lower(), "")
        return ModelReply(sql.strip(), problem, str(fields.get("explanation") or ""))
    sql = _from_broken_json(text[start:]) if start >= 0 and not fields else ""
    sql = sql or _from_yaml(text) or _from_prose(text)
    return ModelReply(sql.strip(), "", "" if fields else text)


def _json_fields(text: str) -> dict[str, Any]:
    """The object that the text begins with, its names in lower case; empty if there is none."""
    try:
        document, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return {str(key).lower(): value for key, value in document.items()} if isinstance(document, dict) else {}


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
