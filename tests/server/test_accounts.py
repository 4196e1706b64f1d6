"""Database accounts per role on PostgreSQL: which account runs which query."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from faults.asking import admin
from faults.conftest import or_missing
from server.people import bearer, with_key
from server.serving import Served, scripted, served, until
from server.test_serve import Program
from servers import postgres
from terminal import SCRIPT, run
from text2sql.client.async_client import AsyncText2SQL
from text2sql.database.grants import PASSWORD, grants
from text2sql.errors import PermissionDenied
from text2sql.server.identity import Identity
from text2sql.sql import read_policies, readable_by_all_roles, readable_by_roles
from text2sql.types import CheckedSql, CheckedWrite

pytestmark = pytest.mark.slow

DOCUMENT = """{"roles": {
  "clerk": {"tables": {"customers": ["id", "name"]}},
  "helper": {"tables": {"customers": ["id", "name"]}},
  "manager": {"tables": {"customers": ["id", "name", "salary"]}}
}}"""
POLICIES = {"shop": read_policies(DOCUMENT)}
NAMES, SALARIES = "SELECT name FROM customers ORDER BY name", "SELECT sum(salary) AS total FROM customers"
ME = CheckedSql("SELECT current_user", "postgres")  # nothing of this went through the guard
HIDDEN = CheckedSql("SELECT salary FROM customers", "postgres")


class Shop:
    def __init__(self, url: str) -> None:
        self.admin_url = url
        admin(url, "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, salary INTEGER)")
        admin(url, "INSERT INTO customers VALUES (1, 'Ann', 10), (2, 'Bob', 20), (3, 'Eve', 30)")
        policies = POLICIES["shop"]
        self.shared = self._account("reader", grants(readable_by_all_roles(policies), "postgres", "reader"))
        clerk = self._account("clerk", grants(readable_by_roles(policies, ["clerk"]), "postgres", "clerk"))
        admin(url, "GRANT UPDATE ON customers TO reader")
        self.accounts = {"shop": {("clerk",): clerk}}

    def _account(self, name: str, statements: str) -> str:
        password = secrets.token_hex(8)
        admin(self.admin_url, statements.replace(PASSWORD, password))
        url = urlsplit(self.admin_url)
        return url._replace(netloc=f"{name}:{password}@{url.netloc.rpartition('@')[2]}").geturl()

    def connections(self, account: str) -> int:
        sql = f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{account}'"
        return int(admin(self.admin_url, sql)[0][0])

    async def has(self, account: str, count: int) -> None:
        """PostgreSQL ends a connection shortly after its client has closed it."""
        await until(lambda: self.connections(account) == count)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with or_missing(), postgres() as server:
        yield Shop(server.url)


def with_server(
    shop: Shop, folder: Path, test: Callable[[Served], Awaitable[None]], lines: list[str], **more: Any
) -> None:
    async def scenario() -> None:
        settings: dict[str, Any] = {"auth": "keys", "memory": str(folder / "memory.db"), "policies": POLICIES}
        sources = {"shop": shop.shared}
        async with served(sources, scripted(lines), accounts=shop.accounts, **settings, **more) as server:
            await test(server)

    asyncio.run(scenario())


def app_for(server: Served, *roles: str) -> AsyncText2SQL:
    return server.here.all_sources.seen_by(Identity("key:test", roles)).named("shop").app


async def user_of(app: AsyncText2SQL) -> str:
    return str((await (await app.resources()).database.run(ME)).rows[0][0])


async def ask_as(server: Served, who: dict[str, str], question: str) -> tuple[str, Any]:
    response = await server.client.post("/api/v1/query/sync", json={"question": question}, headers=who)
    assert response.status_code == 200, response.text
    answer = response.json()
    return answer["status"], answer["rows"]


def test_the_server_denies_a_role_what_it_does_not_see_without_the_guard(shop: Shop, tmp_path: Path) -> None:
    async def test(server: Served) -> None:
        database = (await app_for(server, "clerk").resources()).database
        assert len((await database.run(CheckedSql(NAMES, "postgres"))).rows) == 3
        with pytest.raises(PermissionDenied):
            await database.run(HIDDEN)
        with pytest.raises(PermissionDenied):
            await database.explain(HIDDEN)
        with pytest.raises(PermissionDenied):
            async with database.stream(HIDDEN):
                pass
        shared = (await app_for(server, "manager").resources()).database
        assert len((await shared.run(HIDDEN)).rows) == 3

    with_server(shop, tmp_path, test, [])


@pytest.mark.parametrize(
    ("roles", "account"),
    [
        (("clerk",), "clerk"),
        (("unknown", "clerk", "clerk"), "clerk"),
        (("manager",), "reader"),
        (("clerk", "manager"), "reader"),  # the account of one of them cannot read for both
        (("helper",), "reader"),  # sees the same as a clerk
        (("clerk", "helper"), "reader"),
    ],
)
def test_the_account_is_chosen_by_the_exact_set_of_known_roles(
    shop: Shop, tmp_path: Path, roles: tuple[str, ...], account: str
) -> None:
    async def test(server: Served) -> None:
        assert await user_of(app_for(server, "clerk")) == "clerk"  # first: its view is not for the others
        app = app_for(server, *roles)
        assert await user_of(app) == account
        apart = app.apart(server.here.settings)  # as an evaluation has it
        try:
            assert await user_of(apart) == account
        finally:
            await apart.close()

    with_server(shop, tmp_path, test, [])


def test_people_ask_by_http_each_on_their_account(shop: Shop, tmp_path: Path) -> None:
    """Connections are opened on demand and closed with the server."""

    async def test(server: Served) -> None:
        clerk = await with_key(server, "ann", "clerk")
        manager = await with_key(server, "bob", "manager")
        assert await ask_as(server, manager, "What do we pay in all?") == ("answered", [[60]])
        await shop.has("clerk", 0)
        assert await ask_as(server, clerk, "Which customers are there?") == (
            "answered",
            [["Ann"], ["Bob"], ["Eve"]],
        )
        assert shop.connections("clerk") == 1
        own = await server.client.post("/api/v1/sql", json={"sql": HIDDEN.sql}, headers=clerk)
        assert own.json()["status"] == "refused"
        metrics = await with_key(server, "op", "operator")
        text = (await server.client.get("/metrics", headers=metrics)).text
        both = 1 + shop.connections("reader")
        assert f'text2sql_pool_connections{{source="shop",state="open"}} {both}.0' in text

    with_server(shop, tmp_path, test, [SALARIES, NAMES], values_wait=20.0)
    for account in ("clerk", "reader"):
        asyncio.run(shop.has(account, 0))


def test_catalog_values_and_writes_stay_on_the_shared_account(shop: Shop, tmp_path: Path) -> None:
    async def test(server: Served) -> None:
        app = app_for(server, "clerk")
        resources = await app.resources()
        await app.refresh()
        known = await resources.catalog_cache.schema_context()
        assert [column.name for column in known.catalog.tables[0].columns] == ["id", "name"]
        assert known.values.find("eve")
        write = CheckedWrite(
            "UPDATE customers SET name = name WHERE id = 1", "postgres", "customers", "update", "k"
        )
        assert await resources.database.rehearse(write) == 1
        await shop.has("clerk", 0)
        catalog = await app_for(server, "manager").catalog()  # from the store that a clerk's view has filled
        assert [column.name for column in catalog.tables[0].columns] == ["id", "name", "salary"]

    with_server(shop, tmp_path, test, [], values_wait=20.0)


def test_the_pool_of_an_account_is_bounded(shop: Shop, tmp_path: Path) -> None:
    slow = "SELECT sum(x * y) FROM generate_series(1, 400) x, generate_series(1, 400) y"

    async def test(server: Served) -> None:
        database = (await app_for(server, "clerk").resources()).database
        pool = server.here.all_sources.named("shop").app.app_resources.databases[1]
        running = asyncio.gather(*(database.run(CheckedSql(slow, "postgres")) for _ in range(12)))
        counts = []
        while not running.done():
            counts.append(pool.open_count)
            await asyncio.sleep(0.005)
        await running
        assert max(counts) == 2
        await shop.has("clerk", 1)

    with_server(shop, tmp_path, test, [], account_pool_size=1, pool_overflow=1)


def test_the_real_program_hands_the_accounts_to_its_processes(shop: Shop, tmp_path: Path) -> None:
    policy, accounts = tmp_path / "policy.json", tmp_path / "accounts.json"
    policy.write_text(DOCUMENT)
    accounts.write_text(json.dumps({"shop": {"clerk": shop.accounts["shop"][("clerk",)]}}))
    accounts.chmod(0o600)
    own = {"TEXT2SQL_MEMORY": str(tmp_path / "memory.db"), "TEXT2SQL_AUTH": "keys"}
    runs = [run("serve", "keys", "add", role, "--role", role, env=own) for role in ("clerk", "manager")]
    clerk, manager = (bearer(ended.out.strip()) for ended in runs)
    words = ["serve", "--db", f"shop={shop.shared}", "--policy", str(policy), "--accounts", str(accounts)]
    command = [str(SCRIPT), *words, "--port", "0", "--workers", "2"]
    environment = {**os.environ, **own}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            program = Program(process)
            asyncio.run(shop.has("clerk", 0))
            count = "SELECT count(*) AS n FROM customers"
            for who, sql, number, connections in ((manager, SALARIES, 60, 0), (clerk, count, 3, 1)):
                url = f"{program.address}/api/v1/sql"
                answer = httpx.post(url, json={"sql": sql}, headers=who, timeout=60).json()
                assert answer["rows"] == [[number]]
                assert shop.connections("clerk") == connections
            code, _ = program.end(signal.SIGTERM)
        finally:
            process.kill()
    assert code == 0
    asyncio.run(shop.has("clerk", 0))
    assert str(urlsplit(shop.accounts["shop"][("clerk",)]).password) not in json.dumps(program.lines)
