"""Questions, the result cache, threads, user SQL, feedback and schema over HTTP."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agents.asking import rows_of
from server.serving import COUNT, Served, events_of, make_shop, scripted, served
from text2sql.types import Policy

NAMES = "SELECT name FROM customers ORDER BY name"
ANSWER = set(
    "status question answer sql columns labels rows row_count truncated chart receipt error choices "
    "suggestions result_id thread_id".split()
)
DELETE = "DELETE FROM orders WHERE status = 'open'"


def test_the_answer_is_the_object_that_the_terminal_prints(shop: Path) -> None:
    async def scenario() -> dict[str, Any]:
        async with served(shop, scripted([COUNT])) as server:
            return await server.answer()

    answer = asyncio.run(scenario())
    assert set(answer) == ANSWER
    assert (answer["status"], answer["columns"], answer["rows"]) == ("answered", ["customers"], [[3]])
    assert answer["answer"] == "There are 3 customers."
    assert (answer["receipt"]["served"], len(answer["thread_id"])) == ("", 32)


def test_a_failed_question_is_an_answer_with_an_error(shop: Path) -> None:
    async def scenario() -> list[Any]:
        async with served(shop, scripted([])) as server:
            failed = await server.answer()
            refused = await server.answer("Drop the table orders")
            return [failed["status"], failed["error"]["kind"], refused["status"]]

    assert asyncio.run(scenario()) == ["failed", "unavailable", "refused"]


def test_the_answer_is_in_the_requested_language(shop: Path) -> None:
    async def scenario() -> list[str]:
        async with served(shop, scripted([COUNT] * 3)) as server:
            return [
                (await server.answer("有多少客户？"))["answer"],
                (await server.answer(language="zh"))["answer"],
                (await server.answer(language="en"))["answer"],
            ]

    assert asyncio.run(scenario()) == ["有 3 位客户。", "共有 3 位客户。", "There are 3 customers."]


def test_the_switches_of_a_preset_are_fields_of_a_question(shop: Path) -> None:
    backend = scripted(["SELECT nothing FROM customers", COUNT, COUNT])

    async def scenario() -> list[Any]:
        async with served(shop, backend) as server:
            once = await server.answer(max_attempts=1)
            bare = await server.answer(explain=False, summary="off")
            cached = await server.answer(explain=False, summary="off")
            other = await server.answer(explain=True)
            wrong = await server.client.post("/api/v1/query/sync", json={"question": "x", "preset": "deep"})
            return [once, bare, cached, other, wrong.status_code]

    once, bare, cached, other, wrong = asyncio.run(scenario())
    assert (once["status"], once["receipt"]["attempts"]) == ("failed", 1)
    assert (bare["receipt"]["checks"], bare["answer"]) == (["guard", "ran"], "1 rows.")
    assert (cached["answer"], bool(cached["receipt"]["served"])) == ("1 rows.", True)
    assert (other["receipt"]["checks"], other["receipt"]["served"]) == (["guard", "explain", "ran"], "")
    assert wrong == 422


def test_preferences_apply_to_options_that_a_question_does_not_name(shop: Path) -> None:
    async def scenario() -> list[Any]:
        async with served(shop, scripted([COUNT] * 3)) as server:
            preferences = {"language": "zh", "mode": "database_direct", "preset": "hybrid", "model": None}
            first = await server.answer()
            stored = await server.client.put("/api/v1/preferences", json=preferences)
            refused = await server.client.put("/api/v1/preferences", json={"model": "/etc/passwd"})
            preferred = await server.answer()
            named = await server.answer(language="en", preset="default")
            return [first, stored.json(), refused.status_code, preferred, named, preferences]

    first, stored, refused, preferred, named, preferences = asyncio.run(scenario())
    assert stored == preferences
    assert 400 <= refused < 500
    assert [answer["answer"] for answer in (first, preferred, named)] == [
        "There are 3 customers.",
        "共有 3 位客户。",
        "There are 3 customers.",
    ]
    assert (preferred["receipt"]["preset"], preferred["receipt"]["mode"]) == ("hybrid", "database_direct")
    assert (named["receipt"]["preset"], preferred["receipt"]["served"]) == ("default", "")


# -- the body of LangGraph's API -----------------------------------------------------------------


def test_messages_and_pagination_are_taken_as_langgraphs_api_takes_them(shop: Path) -> None:
    human = {"role": "human", "content": "Which customers are there?"}
    parts = {"type": "human", "content": [{"type": "text", "text": "Which customers are there?"}], "id": "1"}

    async def scenario() -> list[Any]:
        async with served(shop, scripted([NAMES])) as server:
            answer = await server.answer("Which customers are there?")
            pages = []
            for number, message in enumerate([human, parts, human], 1):
                body = {"messages": [message], "pagination": {"page": number, "page_size": 2}}
                pages.append((await server.client.post("/api/v1/query/sync", json=body)).json())
            text = (await server.client.post("/api/v1/query", json=body | {"pagination": {"page": 2}})).text
            return [answer, pages, events_of(text)]

    answer, pages, events = asyncio.run(scenario())
    assert "pagination" not in answer
    assert [page["question"] for page in pages] == ["Which customers are there?"] * 3
    names = [row for page in pages for row in page["rows"]]
    assert names == answer["rows"]
    assert pages[0]["pagination"] == {
        "total_count": 3,
        "page": 1,
        "page_size": 2,
        "total_pages": 2,
        "has_next": True,
        "has_prev": False,
    }
    assert [page["row_count"] for page in pages] == [2, 1, 0]
    assert [page["pagination"]["has_next"] for page in pages] == [True, False, False]
    last = events[-1].data["answer"]
    assert (last["rows"], last["pagination"]["page_size"]) == ([], 100)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": "x", "messages": [{"role": "human", "content": "y"}]},
        {"messages": []},
        {"messages": [{"role": "assistant", "content": "y"}]},
        {"messages": [{"role": "human", "content": " "}]},
        {"question": "x", "pagination": {"page": 0}},
        {"question": "x", "pagination": {"size": 5}},
    ],
)
def test_a_body_without_one_question_is_refused(shop: Path, body: dict[str, Any]) -> None:
    async def scenario() -> tuple[int, dict[str, Any]]:
        async with served(shop, scripted([])) as server:
            response = await server.client.post("/api/v1/query", json=body)
            return response.status_code, response.json()

    status, problem = asyncio.run(scenario())
    assert status == 422
    assert problem["errors"]


# -- the result cache ----------------------------------------------------------------------------


def test_the_same_question_is_answered_from_the_cache_and_says_since_when(shop: Path) -> None:
    backend = scripted([COUNT, NAMES])

    async def scenario() -> list[dict[str, Any]]:
        async with served(shop, backend) as server:
            first = await server.answer("How many customers are there?")
            again = await server.answer("  How  many customers are there？")
            fresh = await server.answer("How many customers are there?", fresh=True)
            return [first, again, fresh]

    first, again, fresh = asyncio.run(scenario())
    assert len(backend.requests) == 2
    assert (first["receipt"]["served"], fresh["receipt"]["served"]) == ("", "")
    assert again["receipt"]["served"].endswith("+00:00")
    assert (again["rows"], again["result_id"]) == (first["rows"], first["result_id"])
    assert again["thread_id"] != first["thread_id"]


def test_a_stream_from_the_cache_ends_with_the_answer(shop: Path) -> None:
    async def scenario() -> list[str]:
        async with served(shop, scripted([COUNT])) as server:
            await server.answer()
            ask = {"question": "How many customers are there?"}
            events = events_of((await server.client.post("/api/v1/query", json=ask)).text)
            assert events[-1].data["answer"]["thread_id"] == events[0].data["thread_id"]
            return [event.name for event in events]

    assert asyncio.run(scenario()) == ["started", "finished"]


def test_a_follow_up_refers_to_the_cached_answer_only(shop: Path) -> None:
    backend = scripted([COUNT, "SELECT level FROM customers", "SELECT city_id FROM customers"])

    async def scenario() -> dict[str, Any]:
        async with served(shop, backend) as server:
            first = await server.answer()
            await server.answer("and by level?", thread_id=first["thread_id"])
            cached = await server.answer()
            assert cached["receipt"]["served"]
            await server.answer("and by city?", thread_id=cached["thread_id"])
            turns: dict[str, Any] = await server.get(f"/api/v1/threads/{cached['thread_id']}")
            return turns

    turns = asyncio.run(scenario())["turns"]
    assert [turn["question"] for turn in turns] == ["How many customers are there?", "and by city?"]
    items = [message.content for message in backend.requests[2].messages]
    assert items[1] == "How many customers are there?"
    assert not any("level" in item for item in items[2:])


@pytest.mark.parametrize(
    "more",
    [
        {"language": "zh"},
        {"preset": "light"},
        {"mode": "database_direct"},
        {"question": "how many customers are there?"},
    ],
)
@pytest.mark.fault("A06")
def test_everything_that_may_change_the_answer_is_part_of_the_cache_key(
    shop: Path, more: dict[str, str]
) -> None:
    async def scenario() -> str:
        async with served(shop, scripted([COUNT] * 2)) as server:
            await server.answer()
            ask = {"question": "How many customers are there?", **more}
            return str((await server.answer(**ask))["receipt"]["served"])

    assert asyncio.run(scenario()) == ""


@pytest.mark.fault("D25", "D26")
def test_a_changed_schema_a_deleted_thread_and_time_end_what_is_cached(shop: Path) -> None:
    async def scenario() -> list[str]:
        async with served(shop, scripted([COUNT] * 4), cache_lifetime=0.3) as server:
            first = await server.answer()
            deleted = await server.client.delete(f"/api/v1/threads/{first['thread_id']}")
            assert deleted.status_code == 204
            second = await server.answer()
            make_shop(shop, "CREATE TABLE more (id INTEGER)")
            await (await server.here.sources.named(None).app.resources()).catalog_cache.refresh()
            third = await server.answer()
            await asyncio.sleep(0.35)
            return [item["receipt"]["served"] for item in (second, third, await server.answer())]

    assert asyncio.run(scenario()) == ["", "", ""]


def test_a_failure_is_not_cached(shop: Path) -> None:
    async def scenario() -> list[str]:
        async with served(shop, scripted([*["SELECT shoe_size FROM customers"] * 2, COUNT])) as server:
            return [(await server.answer())["status"], (await server.answer())["status"]]

    assert asyncio.run(scenario()) == ["failed", "answered"]


# -- allowed options -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "status", "kind"),
    [
        ({"model": "openai:gpt-x"}, 422, "usage.model_offered"),
        ({"model": "/etc/passwd.gguf"}, 422, "usage.model_offered"),
        ({"source": "nope"}, 404, "usage.source"),
        ({"question": "x" * 3_000}, 422, "usage.question_long"),
        ({"question": ""}, 422, "usage.request"),
        ({"mode": "sideways"}, 422, "usage.request"),
        ({"preset": "nope"}, 422, "usage.request"),
        ({"seconds": -1}, 422, "usage.request"),
        ({"seconds": 1e999}, 422, "usage.request"),
        ({"shoe_size": 1}, 422, "usage.request"),
        ({"thread_id": ""}, 422, "usage.request"),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/query", "/api/v1/query/sync"])
def test_an_invalid_question_is_a_problem(
    shop: Path, path: str, more: dict[str, Any], status: int, kind: str
) -> None:
    async def scenario() -> tuple[int, str, str]:
        async with served(shop, scripted([COUNT])) as server:
            body = json.dumps({"question": "How many customers are there?", **more})
            response = await server.client.post(
                path, content=body, headers={"Content-Type": "application/json"}
            )
            return response.status_code, response.json()["kind"], response.headers["content-type"]

    assert asyncio.run(scenario()) == (status, kind, "application/problem+json")


def test_only_listed_models_may_be_requested(shop: Path) -> None:
    async def scenario() -> tuple[Any, str]:
        async with served(shop, scripted([COUNT]), models="openai:gpt-x, local") as server:
            return await server.get("/api/v1/models"), (await server.answer(model="scripted"))["status"]

    models, status = asyncio.run(scenario())
    assert models == {"models": ["scripted", "openai:gpt-x", "local"], "default": "scripted"}
    assert status == "answered"


# -- several sources -----------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["none", "shared"])
def test_threads_and_results_stay_with_their_source(tmp_path: Path, memory: str) -> None:
    """With one memory for both, or one each: a result is never paged on another database."""
    first_shop = make_shop(
        tmp_path / "one.db", "CREATE TABLE cats (n INT); INSERT INTO cats VALUES (1), (2);"
    )
    second_shop = make_shop(
        tmp_path / "two.db", "CREATE TABLE cats (n INT); INSERT INTO cats VALUES (7), (8), (9);"
    )
    backend = scripted([], last="SELECT n FROM cats ORDER BY n")
    location = str(tmp_path / "memory.db") if memory == "shared" else "none"

    async def scenario() -> list[Any]:
        async with served(
            {"one": str(first_shop), "two": str(second_shop)}, backend, memory=location
        ) as server:
            first = await server.answer("Which cats are there?")
            second = await server.answer("Which cats are there?", source="two")
            pages = [
                (await server.get(f"/api/v1/results/{answer['result_id']}"))["rows"]
                for answer in (first, second)
            ]
            again = await server.answer("and those cats?", thread_id=second["thread_id"])
            listed = await server.get("/api/v1/threads")
            sources = await server.get("/api/v1/sources")
            schema = await server.get("/api/v1/schema", source="two")
            return [pages, again["rows"], len(listed["threads"]), sources, schema["tables"][0]["name"]]

    pages, again, threads, sources, table = asyncio.run(scenario())
    assert pages == [[[1], [2]], [[7], [8], [9]]]
    assert again == [[7], [8], [9]], "a thread goes on with the database that it is about"
    assert (threads, table) == (2, "cats")
    assert sources == {
        "sources": [{"name": name, "dialect": "sqlite", "product": "SQLite"} for name in ("one", "two")],
        "default": "one",
    }


# -- threads -------------------------------------------------------------------------------------


def test_threads_are_listed_read_rolled_back_and_deleted(shop: Path) -> None:
    async def scenario() -> None:
        async with served(shop, scripted([COUNT, "SELECT level FROM customers"])) as server:
            thread = (await server.answer())["thread_id"]
            await server.answer("and by level?", thread_id=thread)
            listed = (await server.get("/api/v1/threads"))["threads"]
            assert [(item["thread_id"], item["title"], item["turns"]) for item in listed] == [
                (thread, "How many customers are there?", 2)
            ]
            turns = (await server.get(f"/api/v1/threads/{thread}"))["turns"]
            assert [(turn["question"], turn["status"]) for turn in turns] == [
                ("How many customers are there?", "answered"),
                ("and by level?", "answered"),
            ]
            back = await server.client.post(f"/api/v1/threads/{thread}/rollback", json={"turns": 1})
            assert back.json() == {"turns_left": 1}
            assert len((await server.get(f"/api/v1/threads/{thread}"))["turns"]) == 1
            assert (await server.client.delete(f"/api/v1/threads/{thread}")).status_code == 204
            assert (await server.get(f"/api/v1/threads/{thread}", 404))["kind"] == "usage.thread"
            assert (await server.get("/api/v1/threads")) == {"threads": []}

    asyncio.run(scenario())


def test_a_thread_is_read_with_its_source_rows_and_charts(tmp_path: Path) -> None:
    """With another database, the error names the required source."""
    one = make_shop(
        tmp_path / "one.db", "CREATE TABLE cats (c TEXT, n INT); INSERT INTO cats VALUES ('a', 1);"
    )
    two = make_shop(tmp_path / "two.db", "CREATE TABLE dogs (n INT);")
    backend = scripted([], last="SELECT c AS cat, n FROM cats")
    memory = str(tmp_path / "memory.db")

    async def scenario() -> None:
        async with served({"two": str(two), "one": str(one)}, backend, memory=memory) as server:
            first = await server.answer("Which cats are there?", source="one")
            path = f"/api/v1/threads/{first['thread_id']}"
            result = await server.get(path)
            assert (result["source"], result["turns"]) == ("one", [first])
        async with served({"two": str(two)}, backend, memory=memory) as server:
            problem = await server.get(path, 404)
            assert problem["kind"] == "usage.thread_source"
            assert "SQLite one.db" in problem["detail"]
            assert str(tmp_path) not in str(problem)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/v1/threads/nope", None),
        ("DELETE", "/api/v1/threads/nope", None),
        ("POST", "/api/v1/threads/nope/rollback", {"turns": 1}),
        ("POST", "/api/v1/threads/nope/resume", {}),
        ("POST", "/api/v1/threads/nope/resume", {"confirm": True}),
        ("GET", "/api/v1/results/nope", None),
        ("GET", "/api/v1/results/nope/export", None),
        ("GET", "/api/v1/results/nope/chart", None),
        ("GET", "/api/v1/results/nope/chart.png", None),
        ("GET", "/api/v1/query/nope", None),
        ("GET", "/api/v1/schema?source=nope", None),
    ],
)
def test_unknown_ids_are_404(shop: Path, method: str, path: str, body: Any) -> None:
    async def scenario() -> int:
        async with served(shop, scripted([])) as server:
            return (await server.client.request(method, path, json=body)).status_code

    assert asyncio.run(scenario()) == 404


@pytest.mark.fault("C06")
def test_a_write_waits_for_confirmation_and_runs_once(shop: Path) -> None:
    async def scenario() -> None:
        async with served(shop, scripted([DELETE, DELETE]), allow_writes=True) as server:
            waits = await server.answer("Delete the open orders")
            assert (waits["status"], waits["row_count"]) == ("confirm", 1)
            assert rows_of(shop, "SELECT count(*) FROM orders") == [(3,)]
            address = f"/api/v1/threads/{waits['thread_id']}/resume"
            events = events_of((await server.client.post(address, json={"confirm": True})).text)
            assert (events[0].name, events[-1].data["answer"]["status"]) == ("started", "answered")
            again = await server.client.post(
                address, json={"confirm": True}, headers={"Accept": "application/json"}
            )
            assert again.json()["status"] == "answered"
            assert rows_of(shop, "SELECT count(*) FROM orders") == [(2,)]

    asyncio.run(scenario())


def test_confirming_without_a_waiting_write_is_a_conflict(shop: Path) -> None:
    async def scenario() -> tuple[int, str]:
        async with served(shop, scripted([COUNT])) as server:
            thread = (await server.answer())["thread_id"]
            result = await server.client.post(f"/api/v1/threads/{thread}/resume", json={"confirm": True})
            return result.status_code, result.json()["kind"]

    assert asyncio.run(scenario()) == (409, "usage.nothing_waits")


def test_a_thread_with_nothing_left_to_do_gives_its_last_answer(shop: Path) -> None:
    async def scenario() -> dict[str, Any]:
        async with served(shop, scripted([COUNT])) as server:
            thread = (await server.answer())["thread_id"]
            result = await server.client.post(
                f"/api/v1/threads/{thread}/resume", json={}, headers={"Accept": "application/json"}
            )
            answer: dict[str, Any] = result.json()
            return answer

    assert asyncio.run(scenario())["rows"] == [[3]]


@pytest.mark.parametrize("allowed", [True, False])
def test_a_request_can_refuse_writes_but_not_allow_them(shop: Path, allowed: bool) -> None:
    async def scenario() -> str:
        async with served(shop, scripted([DELETE] * 3), allow_writes=not allowed) as server:
            return str((await server.answer("Delete the open orders", allow_writes=allowed))["status"])

    assert asyncio.run(scenario()) == "refused"


# -- one's own statement, and feedback -----------------------------------------------------------


async def _own(server: Served, sql: str, **more: Any) -> dict[str, Any]:
    response = await server.client.post("/api/v1/sql", json={"sql": sql, **more})
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


def test_a_users_statement_passes_the_guard_and_can_be_paged(shop: Path) -> None:
    async def scenario() -> None:
        policy = Policy({"customers": ("id", "name")})
        async with served(shop, scripted([]), policy, row_limit=2) as server:
            answer = await _own(server, NAMES)
            assert set(answer) == ANSWER
            assert (answer["status"], answer["rows"], answer["truncated"]) == (
                "answered",
                [["Ann"], ["Bo"]],
                True,
            )
            page = await server.get(f"/api/v1/results/{answer['result_id']}", page=2, page_size=2)
            assert (page["rows"], page["total_count"]) == ([["王芳"]], 3)
            for sql, rule in (("DELETE FROM orders", "not_a_query"), ("SELECT * FROM orders", "table")):
                refused = await _own(server, sql)
                assert (refused["status"], refused["error"]["kind"]) == ("refused", rule)
                assert refused["error"]["hint"]

    asyncio.run(scenario())


def test_good_feedback_is_a_verified_pair_and_bad_feedback_takes_it_back(shop: Path) -> None:
    pair = {"question": "How many customers are there?", "sql": COUNT}

    async def scenario() -> list[Any]:
        async with served(shop, scripted([])) as server:
            resources = await server.here.sources.named(None).app.resources()

            async def recalled() -> list[str]:
                return [
                    item.sql
                    for _, item in await resources.memory.recall(
                        resources.catalog_cache.key, pair["question"]
                    )
                ]

            async def rate(**more: Any) -> int:
                return (await server.client.post("/api/v1/feedback", json={**pair, **more})).status_code

            seen: list[Any] = [await rate(good=True), await recalled()]
            seen += [await rate(good=False, comment="不对"), await recalled()]
            seen += [await rate(good=True, sql="DROP TABLE orders")]
            seen += [sorted(str(item["comment"]) for item in await resources.memory.feedback(""))]
            return seen

    assert asyncio.run(scenario()) == [204, [COUNT], 204, [], 422, ["", "不对"]]


def test_the_schema_is_what_the_policy_shows(shop: Path) -> None:
    async def scenario() -> Any:
        async with served(shop, scripted([]), Policy({"cities": ("name",)})) as server:
            return await server.get("/api/v1/schema")

    schema = asyncio.run(scenario())
    assert (schema["dialect"], schema["default_schema"]) == ("sqlite", "main")
    assert [
        (table["name"], [column["name"] for column in table["columns"]]) for table in schema["tables"]
    ] == [("cities", ["name"])]
