"""Users see only their own data, limited by roles and claims."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from server.people import TOKENS, bearer, token, with_key
from server.serving import COUNT, Served, follow, make_shop, scripted, served
from text2sql.sql import read_policies

POLICY = read_policies(
    json.dumps(
        {
            "roles": {
                "clerk": {"tables": {"customers": ["id", "name"]}},
                "north": {
                    "tables": {"customers": ["id", "name", "level"], "cities": ["id", "name"]},
                    "rows": {"customers": "level = :level"},
                },
            }
        }
    )
)
NAMES = "SELECT name FROM customers ORDER BY name"


def keyed(tmp_path: Path, **more: Any) -> dict[str, Any]:
    return {"auth": "keys", "memory": str(tmp_path / "m.db"), **more}


async def ask_as(server: Served, who: dict[str, str], question: str, **more: Any) -> dict[str, Any]:
    body = {"question": question, **more}
    response = await server.client.post("/api/v1/query/sync", json=body, headers=who)
    assert response.status_code == 200, response.text
    payload: dict[str, Any] = response.json()
    return payload


# Requests with another user's ids; the response must be the same as for unknown ids.
WALK = [
    ("GET", "/api/v1/threads/{thread}", None),
    ("DELETE", "/api/v1/threads/{thread}", None),
    ("POST", "/api/v1/threads/{thread}/rollback", {"turns": 1}),
    ("POST", "/api/v1/threads/{thread}/resume", {}),
    ("POST", "/api/v1/threads/{thread}/resume", {"confirm": True}),
    ("GET", "/api/v1/results/{result}", None),
    ("GET", "/api/v1/results/{result}?sort=name", None),
    ("GET", "/api/v1/results/{result}/export?format=csv", None),
    ("GET", "/api/v1/results/{result}/export?format=xlsx", None),
    ("GET", "/api/v1/results/{result}/export?format=parquet", None),
    ("GET", "/api/v1/results/{result}/export?format=json", None),
    ("GET", "/api/v1/results/{result}/chart", None),
    ("GET", "/api/v1/results/{result}/chart.svg", None),
    ("GET", "/api/v1/query/{stream}", None),
    ("POST", "/api/v1/feedback", {"question": "x", "sql": NAMES, "good": False, "result_id": "{result}"}),
]


@pytest.mark.fault("A04")
def test_another_users_ids_are_no_ids_on_any_address(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with served(shop, scripted([NAMES]), **keyed(tmp_path)) as server:
            ann, bob = [await with_key(server, name) for name in ("ann", "bob")]
            ask = server.client.stream("POST", "/api/v1/query", json={"question": "who?"}, headers=ann)
            events = await follow(server.client, ask)
            answer = events[-1].data["answer"]
            assert answer["row_count"] == 3
            own = {
                "thread": answer["thread_id"],
                "result": answer["result_id"],
                "stream": events[0].data["stream_id"],
            }
            none = {"thread": "0" * 32, "result": "A" * 32, "stream": "0" * 32}
            for method, path, body in WALK:
                items = [await _response(server, bob, method, path, body, ids) for ids in (own, none)]
                assert items[0] == items[1], path
                assert items[0][0] == 404, (path, items)
            listed = await server.client.get("/api/v1/threads", headers=bob)
            assert listed.json() == {"threads": []}
            # A thread of that name is bob's own, and leans on nothing of ann's.
            mine = await ask_as(server, bob, "who?", thread_id=own["thread"])
            assert mine["thread_id"] == own["thread"]
            assert mine["result_id"] != own["result"]
            history = await server.client.get(f"/api/v1/threads/{own['thread']}", headers=ann)
            assert len(history.json()["turns"]) == 1

    asyncio.run(scenario())


async def _response(
    server: Served, who: dict[str, str], method: str, path: str, body: Any, ids: dict[str, str]
) -> tuple[int, Any]:
    sent = json.loads(json.dumps(body).replace("{result}", ids["result"])) if body is not None else None
    response = await server.client.request(method, path.format(**ids), json=sent, headers=who)
    problem = json.loads(response.text.replace(ids["thread"], "ID"))
    problem.pop("request_id", None)
    return response.status_code, problem


@pytest.mark.fault("A06", "A08")
def test_the_result_cache_and_verified_pairs_belong_to_their_user(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        backend = scripted([COUNT, "SELECT 7 AS n", "SELECT 8 AS n", "SELECT 9 AS n"])
        async with served(shop, backend, **keyed(tmp_path)) as server:
            ann, bob = [await with_key(server, name) for name in ("ann", "bob")]
            first = await ask_as(server, ann, "how many customers are there?")
            again = await ask_as(server, ann, "how many customers are there?")
            assert (first["receipt"]["served"], bool(again["receipt"]["served"])) == ("", True)
            other = await ask_as(server, bob, "how many customers are there?")
            assert (other["receipt"]["served"], other["rows"]) == ("", [[7]])
            good = {"question": "the secret of ann?", "sql": "SELECT 41 AS n", "good": True}
            result = await server.client.post("/api/v1/feedback", json=good, headers=ann)
            assert result.status_code == 204
            assert (await ask_as(server, ann, "the secret of ann?"))["rows"] == [[41]]
            assert (await ask_as(server, bob, "the secret of ann?"))["rows"] == [[8]]
            assert "41" not in json.dumps([request.messages for request in backend.requests], default=str)

    asyncio.run(scenario())


def test_a_role_sees_its_tables_and_columns_and_no_others(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        backend = scripted(["SELECT level FROM customers", "SELECT name, level FROM customers"])
        options = keyed(tmp_path, policies={"shop": POLICY})
        async with served(shop, backend, **options) as server:
            clerk = await with_key(server, "ann", "clerk")
            north = await with_key(server, "bob", "north", level="gold")
            unprivileged = await with_key(server, "eve")
            schema = (await server.client.get("/api/v1/schema", headers=clerk)).json()
            assert [(table["name"], len(table["columns"])) for table in schema["tables"]] == [
                ("customers", 2)
            ]
            schema = (await server.client.get("/api/v1/schema", headers=north)).json()
            assert {table["name"] for table in schema["tables"]} == {"customers", "cities"}
            sources = (await server.client.get("/api/v1/sources", headers=unprivileged)).json()
            assert sources == {"sources": [], "default": ""}
            for path in ("/api/v1/schema", "/api/v1/schema?source=shop"):
                assert (await server.client.get(path, headers=unprivileged)).status_code == 404
            own = {"sql": "SELECT level FROM customers"}
            refused = (await server.client.post("/api/v1/sql", json=own, headers=clerk)).json()
            assert refused["status"] == "refused"
            # One pool and one memory, however many may see different things.
            apps = [source.app for source in server.here.all_sources]
            views = [view.app for view in next(iter(server.here.all_sources))._views.values()]
            assert len(views) == 2
            pools = {id((await app.resources()).database.database) for app in (*views, apps[0])}
            assert len(pools) == 1
            assert {(await view.resources()).memory for view in views} == {(await apps[0].resources()).memory}

    asyncio.run(scenario())


def test_users_with_the_same_policy_share_a_view_but_no_thread(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        options = keyed(tmp_path, policies={"shop": POLICY})
        async with served(shop, scripted([NAMES, NAMES]), **options) as server:
            ann, bob = [await with_key(server, name, "clerk") for name in ("ann", "bob")]
            answers = [await ask_as(server, who, "who is a customer?") for who in (ann, bob)]
            assert len(next(iter(server.here.all_sources))._views) == 1
            assert answers[0]["rows"] == answers[1]["rows"]
            listed = [(await server.client.get("/api/v1/threads", headers=who)).json() for who in (ann, bob)]
            assert [len(item["threads"]) for item in listed] == [1, 1]
            assert listed[0] != listed[1]

    asyncio.run(scenario())


def test_results_stored_under_another_role_are_not_accessible(shop: Path) -> None:
    """The same user with another token: stored rows must not be accessible on any route."""

    async def scenario() -> None:
        backend = scripted(["SELECT name, level FROM customers ORDER BY id"])
        async with served(shop, backend, **TOKENS, policies={"shop": POLICY}) as server:
            north = bearer(token("ann", roles=["north"], level="gold"))
            clerk = bearer(token("ann", roles=["clerk"]))
            answer = await ask_as(server, north, "which level has each customer?")
            assert answer["status"] == "answered"
            for path in ("", "/export?format=csv", "/chart"):
                address = f"/api/v1/results/{answer['result_id']}{path}"
                assert (await server.client.get(address, headers=clerk)).status_code == 404, path
            resumed = await server.client.post(
                f"/api/v1/threads/{answer['thread_id']}/resume",
                json={},
                headers={**clerk, "Accept": "application/json"},
            )
            assert resumed.json()["rows"] == []
            again = await ask_as(server, north, "which level has each customer?")
            assert again["receipt"]["served"]

    asyncio.run(scenario())


@pytest.mark.parametrize("claim", ["b", ["b"], "b c", ["b", 7]])
@pytest.mark.fault("A05")
def test_a_user_can_be_limited_to_some_sources(tmp_path: Path, claim: Any) -> None:
    sources = {name: str(make_shop(tmp_path / f"{name}.db")) for name in "ab"}

    async def scenario() -> None:
        async with served(sources, scripted([COUNT]), **TOKENS) as server:
            headers = bearer(token("ann", sources=claim))
            listed = (await server.client.get("/api/v1/sources", headers=headers)).json()
            assert ([source["name"] for source in listed["sources"]], listed["default"]) == (["b"], "b")
            for name in ("a", "nope"):
                body = {"question": "how many?", "source": name}
                result = await server.client.post("/api/v1/query/sync", json=body, headers=headers)
                assert result.status_code == 404
                assert result.json()["detail"] == f"There is no source “{name}”."
            assert (await ask_as(server, headers, "how many customers?"))["rows"] == [[3]]

    asyncio.run(scenario())


@pytest.mark.fault("A07")
def test_row_policies_apply_to_every_endpoint_that_returns_rows(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        backend = scripted([], last="SELECT name, level FROM customers ORDER BY id")
        async with served(shop, backend, **keyed(tmp_path, policies={"shop": POLICY})) as server:
            for level, name in (("gold", "Ann"), ("silver", "王芳")):
                who = await with_key(server, level, "north", level=level)
                answer = await ask_as(server, who, "who is a customer?")
                assert answer["rows"] == [[name, level]]
                path = f"/api/v1/results/{answer['result_id']}"
                page = (await server.client.get(path, headers=who)).json()
                assert (page["rows"], page["total_count"]) == ([[name, level]], 1)
                exported = await server.client.get(f"{path}/export?format=json", headers=who)
                assert exported.json()["rows"] == [[name, level]]
                own = {"sql": "SELECT count(*) AS n FROM customers"}
                counted = (await server.client.post("/api/v1/sql", json=own, headers=who)).json()
                assert counted["rows"] == [[1]]
                again = await ask_as(server, who, "who is a customer?")
                assert (again["rows"], bool(again["receipt"]["served"])) == ([[name, level]], True)
            prompts = json.dumps([request.messages for request in backend.requests[:1]], default=str)
            assert "silver" not in prompts  # what others' rows hold is in no sample of a prompt

    asyncio.run(scenario())
