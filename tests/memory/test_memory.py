"""The memory's data, on each kind of storage."""

import asyncio
import math
import time
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.helpers import big_catalog, graph, thread, within
from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.memory import Memory, Pair, QuestionMetrics, Spread, Stats, StoredResult, open_memory, scoped
from text2sql.memory.encoding import dump_catalog, dump_result, label, load_catalog, load_result
from text2sql.memory.error_mapping import serializer
from text2sql.types import (
    CheckedSql,
    ColumnProfile,
    DatabaseProfile,
    InferredJoin,
    QueryResult,
    ResultColumn,
    Row,
    TableProfile,
    Usage,
    Value,
)

# Every kind of value, and every text that an engine's JSON or text type is known to refuse.
ROW: Row = (
    None,
    True,
    0,
    -(2**63),
    2**80,
    1.5,
    -0.0,
    1e308,
    "",
    "中文 😀",
    "a\x00b\ud800",
    [1, [None]],
    {"k": ["v"]},
)
RESULT = StoredResult("SELECT 1", "sqlite", (ResultColumn("a", "INT"), ResultColumn("a", "")), (ROW, ()), 2)


def undated(result: StoredResult | None) -> StoredResult | None:
    return result and replace(result, created=0.0)


def test_a_result_comes_back_as_it_was_and_only_to_its_owner(settings: Settings) -> None:
    async def work(memory: Memory) -> None:
        name = await memory.keep_result("ann", "t", RESULT)
        other = await memory.keep_result("ann", "t", RESULT)
        assert name != other
        assert len(name) >= 32
        assert undated(await memory.result("ann", name)) == RESULT
        for stranger in ("bob", "", "ann ", "ANN", "ann/t", "%"):
            assert await memory.result(stranger, name) is None
        assert await memory.result("ann", name[:-1]) is None
        assert await memory.result("ann", "' OR 1=1 --\x00") is None

    within(settings, work)


def test_a_result_has_a_lifetime_and_is_swept(settings: Settings) -> None:
    async def work(memory: Memory) -> None:
        name = await memory.keep_result("ann", "t", RESULT)
        assert await memory.result("ann", name) is not None
        time.sleep(0.25)
        assert await memory.result("ann", name) is None
        assert await memory.sweep() == 1
        assert await memory.sweep() == 0

    within(replace(settings, result_lifetime=0.2), work)


def test_old_results_are_swept_when_a_memory_is_opened(shared: Settings) -> None:
    within(replace(shared, result_lifetime=0.001), lambda memory: memory.keep_result("ann", "t", RESULT))
    time.sleep(0.01)
    assert within(shared, lambda memory: memory.sweep()) == 0


def test_a_stored_result_is_truncated_to_the_limit_and_marked(settings: Settings) -> None:
    rows = tuple((number,) for number in range(5))
    query = CheckedSql("SELECT n FROM t", "sqlite")
    result = StoredResult.of(query, QueryResult((ResultColumn("n", "INT"),), rows), "f1")
    assert (result.row_count, result.truncated) == (5, False)

    async def work(memory: Memory) -> StoredResult | None:
        return await memory.result("u", await memory.keep_result("u", "t", result))

    stored = within(replace(settings, result_keep_rows=3), work)
    assert undated(stored) == replace(result, rows=rows[:3], truncated=True)
    assert stored is not None
    assert abs(stored.created - time.time()) < 60


def test_threads_are_listed_and_forgotten_by_their_user_alone(settings: Settings) -> None:
    async def work(memory: Memory) -> None:
        first = await memory.turn("ann", "t1", "How many\n customers? " + "x" * 200)
        await memory.turn("ann", "t2", "中文")
        await memory.turn("ann", "t1", "another question")
        await memory.turn("ann.b", "t1", "not ann's")
        listed = await memory.threads("ann")
        assert [(thread.thread_id, thread.title, thread.turns) for thread in listed] == [
            ("t1", first.title, 2),
            ("t2", "中文", 1),
        ]
        assert first.title == ("How many customers? " + "x" * 200)[:80]
        running = graph(memory)
        for user in ("ann", "bob"):
            await running.ainvoke({"now": user}, thread(user, "t1"))
        name = await memory.keep_result("ann", "t1", RESULT)
        await memory.forget("bob", "t1")
        assert len(await memory.threads("ann")) == 2
        assert (await running.aget_state(thread("ann", "t1"))).values["said"] == ["ann"]
        await memory.forget("ann", "t1")
        assert [thread.thread_id for thread in await memory.threads("ann")] == ["t2"]
        assert (await running.aget_state(thread("ann", "t1"))).values == {}
        assert await memory.result("ann", name) is None
        assert [thread.title for thread in await memory.threads("ann.b")] == ["not ann's"]

    within(settings, work)


def test_a_closed_memory_leaves_no_task_in_its_loop(settings: Settings) -> None:
    async def run() -> set[str]:
        async with open_memory(settings) as memory:
            await memory.turn("ann", "t1", "How many?")
        return {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}

    assert asyncio.run(run()) == set()


def test_a_thread_continues_in_the_next_program(shared: Settings) -> None:
    async def say(memory: Memory) -> list[str]:
        done = await graph(memory).ainvoke({"now": "hello"}, thread("ann", "t"))
        return list(done["said"])

    assert within(shared, say) == ["hello"]
    assert within(shared, say) == ["hello", "hello"]


HOSTILE = st.text(alphabet=st.sampled_from([*"ab./%*_?[]:|\x00 ", "中", "\ud800"]), max_size=6)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_no_two_users_threads_share_an_id(user: str, name: str, other_user: str, other_name: str) -> None:
    same = (user, name) == (other_user, other_name)
    assert (scoped(user, name) == scoped(other_user, other_name)) == same
    assert label(user)
    assert not set(label(user)) & set("./*?[]_\x00 ") - {"_"}
    assert label(user).isascii()


def test_other_processes_see_that_a_catalog_was_saved_again(shared: Settings) -> None:
    async def work(memory: Memory) -> list[str]:
        before = await memory.edition("shop")
        edition = await memory.save_catalog("shop", big_catalog(1, 1))
        return [before, edition, await memory.edition("shop"), await memory.edition("zoo")]

    first, second = within(shared, work), within(shared, work)
    assert (first[0], first[3]) == ("", "")
    assert first[1] == first[2] == second[0] != second[1] == second[2]


def test_a_profile_comes_back_equal_for_its_own_catalog_only(settings: Settings) -> None:
    column = ColumnProfile("price", "amount", 2, 0.5, 1.5, 2, ((1.5, 3), (2, 1)), "number:$1,234.56", "USD")
    table = TableProfile("goods", 4, 4, (column, ColumnProfile("name")))
    joins = (InferredJoin("goods", "shop_id", "shops", "id", 0.99),)
    profile = DatabaseProfile(
        "print", (table,), joins, is_complete=False, read_at="2026-01-01T00:00:00+00:00"
    )

    async def work(memory: Memory) -> None:
        await memory.save_profile("shop", profile)
        assert await memory.profile("shop", "print") == profile
        assert await memory.profile("shop", "another") is None
        assert await memory.profile("other shop", "print") is None

    within(settings, work)


def test_a_catalog_comes_back_equal(settings: Settings) -> None:
    catalog = big_catalog(7, 5)

    async def work(memory: Memory) -> None:
        assert await memory.catalog("shop") is None
        await memory.save_catalog("shop", catalog)
        assert await memory.catalog("shop") == catalog
        assert await memory.catalog("Shop") is None
        await memory.store.aput(("catalogs",), "x", {"catalog": "[2]"})

    within(settings, work)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", "[0,1,2,3,4]", '[1,"a","b","c",[[1]]]', "[" * 100_000, None]
)
@pytest.mark.fault("P13")
def test_a_catalog_that_cannot_be_read_is_absent(text: str | None) -> None:
    assert load_catalog(text) is None


def test_a_thousand_tables_are_read_at_once() -> None:
    catalog = big_catalog(1_000, 20)
    text = dump_catalog(catalog)
    took = []
    for _ in range(5):
        start = time.process_time()
        assert load_catalog(text) is not None
        took.append(time.process_time() - start)
    assert load_catalog(text) == catalog
    assert min(took) < 0.15  # 0.04 s by itself; the rest is for a busy machine


VALUES: st.SearchStrategy[Value] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.lists(VALUES, max_size=4).map(tuple), max_size=4).map(tuple))
def test_every_row_survives_its_json(rows: tuple[Row, ...]) -> None:
    result = StoredResult("s", "d", (), rows, len(rows))
    again = load_result(dump_result(result))
    assert again == result
    assert repr(again.rows) == repr(rows)  # True is not 1 and 1 is not 1.0, whatever == says


def test_what_is_not_a_number_survives_too() -> None:
    again = load_result(dump_result(StoredResult("s", "d", (), ((math.nan, math.inf),), 1)))
    assert repr(again.rows) == "((nan, inf),)"


def test_preferences_are_a_users_own(settings: Settings) -> None:
    async def work(memory: Memory) -> None:
        assert await memory.preferences("ann") == {}
        await memory.set_preferences("ann", language="zh", model="local")
        assert await memory.set_preferences("ann", model="", mode="hybrid") == {
            "language": "zh",
            "mode": "hybrid",
        }
        assert await memory.preferences("ann") == {"language": "zh", "mode": "hybrid"}
        assert await memory.preferences("bob") == {}
        for wrong in ({"colour": "red"}, {"model": "x" * 201}):
            with pytest.raises(UsageError):
                await memory.set_preferences("ann", **wrong)

    within(settings, work)


def test_a_write_is_claimed_once_and_settled(settings: Settings) -> None:
    async def work(memory: Memory) -> None:
        assert await memory.claimed("k") is None
        assert [await memory.claim("k") for _ in range(3)] == [True, False, False]
        assert await memory.claim("K\x00")
        claim = await memory.claimed("k")
        assert claim is not None
        assert (claim.key, claim.rows) == ("k", None)
        await memory.settle("k", 7)
        settled = await memory.claimed("k")
        assert settled == replace(claim, rows=7)

    within(settings, work)


def test_numbers_add_up(settings: Settings) -> None:
    async def work(memory: Memory) -> tuple[Stats, Stats]:
        await memory.count(QuestionMetrics("answered", 1, False, True, (), {"run": 1.0}, 1, 100, 20, 2, "m"))
        await memory.count(
            QuestionMetrics(
                "answered", 2, True, False, ("syntax", "timeout"), {"run": 3.0}, 2, 200, 40, 4, "m"
            )
        )
        await memory.count(
            QuestionMetrics("failed", 3, True, False, ("syntax",), {"run": 9.0, "chat": 0.5}, 3, 9, 9, 6, "n")
        )
        await memory.count(QuestionMetrics("conversation"))
        return await memory.stats(), await memory.stats(days=0)

    stats, nothing = within(settings, work)
    assert stats == Stats(
        questions=4,
        by_status={"answered": 2, "failed": 1, "conversation": 1},
        first_pass_rate=0.3333,
        repair_rate=0.6667,
        errors={"syntax": 2, "timeout": 1},
        seconds={"run": Spread(3.0, 9.0), "chat": Spread(0.5, 0.5)},
        calls_per_answer=1.5,
        tokens_per_answer=180.0,
        statements=12,
        by_model={"m": 2, "n": 1},
    )
    assert nothing == Stats()


def test_a_question_that_cannot_be_counted_is_not_harmed(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(memory: Memory) -> int:
        await memory.count(QuestionMetrics("answered", model="\ud800"))
        return (await memory.stats()).questions

    assert within(settings, work) == 0
    assert "was not counted" in caplog.text


def test_a_pair_of_another_source_is_not_recalled(settings: Settings) -> None:
    async def work(memory: Memory) -> None:
        await memory.remember(Pair("customers in Paris", "SELECT 1", source="a"))
        await memory.remember(Pair("customers in Paris", "SELECT 2", source="a.b"))
        assert [pair.sql for _, pair in await memory.recall("a", "customers in Paris")] == ["SELECT 1"]
        await memory.remember(Pair("Customers  in paris", "SELECT 3", source="a"))
        assert [pair.sql for _, pair in await memory.recall("a", "customers in Paris")] == ["SELECT 3"]
        await memory.forget_pair("a", "customers in PARIS")
        assert await memory.recall("a", "customers in Paris") == []

    within(settings, work)


@dataclass(frozen=True)
class Stranger:
    name: str


def test_only_our_own_values_are_built_from_a_checkpoint(settings: Settings) -> None:
    async def work(memory: Memory) -> list[object]:
        running = graph(memory)
        for value in (Usage(1, 2), Stranger("x")):
            await running.ainvoke({"now": value}, thread("ann", "t"))
        return list((await running.aget_state(thread("ann", "t"))).values["said"])

    ours, strange = within(settings, work)
    assert ours == Usage(1, 2)
    assert not isinstance(strange, Stranger)


def test_a_checkpoint_that_names_the_former_module_of_a_class_still_opens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as former:
        former.setattr(Usage, "__module__", "text2sql.types")  # where 0.1 defined it
        stored = serializer().dumps_typed(Usage(1, 2))
    assert b"text2sql.types.model" not in stored[1]
    assert serializer().loads_typed(stored) == Usage(1, 2)
