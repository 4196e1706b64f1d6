"""One account per role: without the guard, the server denies what the role must not see."""

import secrets
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from contract.engine_databases import EngineDatabase
from text2sql.config import Settings
from text2sql.database import open_database
from text2sql.database.grants import PASSWORD, grants
from text2sql.errors import PermissionDenied
from text2sql.sql import read_policies, readable_by_roles

DOCUMENT = """{
  "tables": {"customers": ["id"]},
  "roles": {
    "sales": {"tables": {"customers": ["name"], "orders": ["id"]}, "rows": {"orders": "amount > 0"}},
    "stock": {"tables": {"parts": ["a", "name"]}}
  },
  "default_schema": {"mysql": "DATABASE"}
}"""
SHOWN = {
    "sales": ("SELECT id, name FROM customers", "SELECT id FROM orders WHERE amount > 0"),
    "stock": ("SELECT id FROM customers", "SELECT a, name FROM parts"),
}
HIDDEN = {
    "sales": (
        "SELECT city FROM customers",
        "SELECT 1 FROM customers ORDER BY born",
        "SELECT note FROM orders",
        "SELECT count(*) FROM parts",
        "SELECT id FROM customers WHERE EXISTS (SELECT 1 FROM parts)",
        "SELECT c.id FROM (orders o JOIN customers c ON c.city > '5')",
    ),
    "stock": ("SELECT name FROM customers", "SELECT 1 FROM orders", "SELECT b FROM parts"),
}


@pytest.fixture
def accounts(engine_db: EngineDatabase) -> Iterator[dict[str, str]]:
    """Role → the URL of its account."""
    if engine_db.dialect not in ("postgres", "mysql"):
        pytest.skip(f"{engine_db.facts.product}: grants are printed for PostgreSQL and MySQL")
    url = urlsplit(engine_db.url)
    policies = read_policies(DOCUMENT.replace("DATABASE", url.path.strip("/")))
    urls: dict[str, str] = {}
    names: list[str] = []
    try:
        for role in policies.roles:
            name, password = f"t2s_{role}_{secrets.token_hex(3)}", secrets.token_hex(8)
            names.append(name)
            text = grants(readable_by_roles(policies, [role]), engine_db.dialect, name).replace(
                PASSWORD, password
            )
            for statement in text.split(";\n") if engine_db.dialect == "mysql" else [text]:
                if statement.strip():
                    engine_db.admin(statement)
            netloc = f"{name}:{password}@{url.netloc.rpartition('@')[2]}"
            urls[role] = url._replace(netloc=netloc).geturl()
        yield urls
    finally:
        for name in names:
            if engine_db.dialect == "mysql":
                engine_db.admin(f"DROP USER IF EXISTS {name}@'%'")
                continue
            for role in (name, f"{name}_others"):
                engine_db.admin(f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_each_account_reads_its_role_and_nothing_else(
    accounts: dict[str, str], engine_db: EngineDatabase
) -> None:
    for role, url in accounts.items():
        with open_database(url, Settings(time_limit=20.0, pool_size=1)) as database:
            for sql in SHOWN[role]:
                database.run(engine_db.checked(sql))
            for sql in HIDDEN[role]:
                with pytest.raises(PermissionDenied):
                    database.run(engine_db.checked(sql))


def test_an_account_is_not_put_into_the_group_of_all_others(
    accounts: dict[str, str], engine_db: EngineDatabase
) -> None:
    if engine_db.dialect != "postgres":
        pytest.skip("MySQL's grants make no group")
    rows = engine_db.admin(
        "SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member "
        "WHERE r.rolname LIKE 't2s\\_sales%' AND r.rolname NOT LIKE '%others'"
    )
    assert rows == [(0,)]
