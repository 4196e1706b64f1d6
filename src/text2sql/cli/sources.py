"""Load what command line options name: databases, policy files, claims."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from text2sql.config import from_environment
from text2sql.database import Accounts, Database, open_database, read_accounts
from text2sql.errors import UsageError
from text2sql.sql import policy_for, read_policies
from text2sql.sql.dialects import GRAMMARS
from text2sql.types import Policies, Policy


@contextmanager
def open_source(source: str | None) -> Iterator[Database]:
    """Open the database of the command line, or else of the environment."""
    settings = from_environment()
    with open_database(source or settings.db, settings) as database:
        yield database


def policy_from(path: str | None, roles: Sequence[str] = (), claims: Sequence[str] = ()) -> Policy | None:
    """The policy of a user with these roles and claims (`name=value`)."""
    return None if path is None else policy_for(policies_from(path), roles, dict(map(read_claim, claims)))


def policies_from(path: str) -> Policies:
    text = _text_of(path, "usage.policy_file")
    try:
        return read_policies(text)
    except RecursionError as error:
        raise UsageError("usage.policy", problem="nested too deeply") from error


def accounts_from(
    path: str, addresses: Mapping[str, str], policies: Mapping[str, Policies]
) -> dict[str, Accounts]:
    text = _text_of(path, "usage.accounts_file")
    return read_accounts(text, addresses, {name: policies[name].roles for name in policies})


def can_be_read_by_others(path: str) -> bool:
    return os.name == "posix" and bool(Path(path).stat().st_mode & 0o077)


def _text_of(path: str, message_key: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        detail = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)
        raise UsageError(
            message_key, path=path, detail=detail
        ) from None  # the cause may contain file contents


def read_claim(claim: str) -> tuple[str, object]:
    """Parse `name=value`. The value is a JSON number, boolean or list, or else a string."""
    name, sign, value = claim.partition("=")
    if not name or not sign:
        raise UsageError("usage.claim", claim=claim)
    try:
        parsed = json.loads(value)
    except ValueError:
        return name, value
    return name, parsed if isinstance(parsed, (str, int, float, list)) else value


def known_dialect(name: str) -> str:
    if name not in GRAMMARS:
        raise UsageError("usage.dialect", dialect=name, dialects=", ".join(GRAMMARS))
    return name
