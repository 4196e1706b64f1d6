"""What a command is given, turned into values: settings, a policy file, a database."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from text2sql.config import from_environment
from text2sql.database import Database, open_database
from text2sql.errors import UsageError
from text2sql.sql import policy_for, read_policies
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import Policies, Policy


@contextmanager
def opened(source: str | None) -> Iterator[Database]:
    """The database that was named on the command line, else in the environment."""
    settings = from_environment()
    with open_database(source or settings.db, settings) as database:
        yield database


def policy_from(path: str | None, roles: Sequence[str] = (), claims: Sequence[str] = ()) -> Policy | None:
    """What somebody with these roles and claims, `name=value`, may see."""
    return None if path is None else policy_for(policies_from(path), roles, dict(map(read_claim, claims)))


def policies_from(path: str) -> Policies:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        detail = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)
        raise UsageError("usage.policy_file", path=path, detail=detail) from error
    try:
        return read_policies(text)
    except RecursionError as error:
        raise UsageError("usage.policy", problem="nested too deeply") from error


def read_claim(given: str) -> tuple[str, object]:
    """A number, a truth or a list as JSON has them; anything else is a text."""
    name, sign, value = given.partition("=")
    if not name or not sign:
        raise UsageError("usage.claim", claim=given)
    try:
        held = json.loads(value)
    except ValueError:
        return name, value
    return name, held if isinstance(held, (str, int, float, list)) else value


def known_dialect(name: str) -> str:
    if name not in GRAMMARS:
        raise UsageError("usage.dialect", dialect=name, dialects=", ".join(GRAMMARS))
    return name
