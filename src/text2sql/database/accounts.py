"""Reads the file of `text2sql serve --accounts`, which maps roles to the database account that runs their
queries.

    {"shop": {"clerk": "postgresql://clerk:…@db/shop", "clerk+manager": "postgresql://…@db/shop"}}

The file contains passwords, so no error message quotes it, not even a URL that was written where a name
belongs.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from text2sql.database.dialects import BY_NAME
from text2sql.database.source import Source
from text2sql.database.url import read_source
from text2sql.errors import UsageError

Accounts: TypeAlias = Mapping[tuple[str, ...], str]  # a user's roles, sorted → the account's URL

# Substrings of option names that identify an account: `sslcert`, `credentials`, Snowflake's `role`.
_CREDENTIALS = ("user", "passw", "passfile", "cert", "key", "credential", "wallet", "role")


def read_accounts(
    text: str, addresses: Mapping[str, str], roles: Mapping[str, Collection[str]]
) -> dict[str, Accounts]:
    """Return the accounts of each source. `roles` are the roles of its policy; other roles are rejected."""
    try:
        document = json.loads(text, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        detail = str(error) if isinstance(error, ValueError) else "nested too deeply"
        raise UsageError("usage.accounts_json", detail=detail) from None  # the cause holds the whole text
    if not isinstance(document, dict):
        raise UsageError("usage.accounts_object", place="{ }")
    for name in document:
        if name not in addresses:
            raise UsageError("usage.accounts_source", name=_redacted_name(name), sources=", ".join(addresses))
    return {
        name: _accounts(name, entries, read_source(addresses[name]), roles.get(name, ()))
        for name, entries in document.items()
    }


def _accounts(name: str, entries: Any, shared: Source, roles: Collection[str]) -> Accounts:
    if not isinstance(entries, dict):
        raise UsageError("usage.accounts_object", place=name)
    product = BY_NAME[shared.dialect].product
    if shared.path is not None:
        raise UsageError("usage.accounts_file_source", source=name, product=product)
    accounts: dict[tuple[str, ...], str] = {}
    for key, url in entries.items():
        for role in key.split("+"):
            if role not in roles:
                shown = role if _redacted_name(key) == key else _redacted_name(key)
                known = ", ".join(roles) or "-"
                raise UsageError("usage.accounts_role", source=name, name=shown, roles=known)
        role_set = tuple(sorted(set(key.split("+"))))
        if role_set in accounts:
            raise UsageError("usage.accounts_twice", name=key)
        if not _is_same_database(url, shared):
            facts = {"source": name, "roles": key, "product": product, "place": shared.name}
            raise UsageError("usage.accounts_url", **facts)
        accounts[role_set] = url
    return accounts


def _is_same_database(url: Any, shared: Source) -> bool:
    """Whether the URL names the same database, whatever the account."""
    try:
        return isinstance(url, str) and _without_credentials(read_source(url)) == _without_credentials(shared)
    except UsageError:  # its message may quote the password
        return False


def _without_credentials(source: Source) -> Source:
    options = {
        name: value
        for name, value in source.options.items()
        if not any(part in name.lower() for part in _CREDENTIALS)
    }
    return replace(source, user="", password="", options=options)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError("usage.accounts_twice", name=_redacted_name(name))
    return dict(pairs)


def _redacted_name(text: str) -> str:
    """Hide a URL that was written where a name belongs: it may contain a password."""
    return "…" if "://" in text or "@" in text else text[:100]
