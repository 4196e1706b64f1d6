"""Verified pairs: found by similar wording in both languages, stored in files that a team can read."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.helpers import within
from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.memory import Memory, Pair
from text2sql.memory.pair_files import PairFolder, file_name, read_pairs, write_pair
from text2sql.memory.ranking import rank_pairs

KNOWN = (
    "How many customers live in Paris?",
    "Total revenue by month in 2024",
    "List the ten most expensive products",
    "Average order value per country",
    "巴黎有多少客户？",
    "2024年每个月的销售额是多少？",
    "最贵的十个产品",
    "每个国家的平均订单金额",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("number of customers living in paris", KNOWN[0]),
        ("what was the monthly revenue of 2024", KNOWN[1]),
        ("which products are the most expensive", KNOWN[2]),
        ("order values on average, for each country", KNOWN[3]),
        ("住在巴黎的客户数量", KNOWN[4]),
        ("列出2024年各月销售额", KNOWN[5]),
        ("哪些产品最贵", KNOWN[6]),
        ("各个国家订单的平均金额", KNOWN[7]),
    ],
)
def test_a_paraphrase_finds_its_question(question: str, expected: str) -> None:
    ranked = rank_pairs(question, [Pair(known, "SELECT 1") for known in KNOWN], 3)
    assert ranked[0][1].question == expected
    assert 0 < ranked[0][0] <= 1


def test_a_score_says_how_near_a_question_is() -> None:
    pairs = [Pair(question, "SELECT 1") for question in KNOWN]
    same, *others = rank_pairs(KNOWN[0], pairs, 10)
    assert same[0] == 1.0
    assert all(score < 1.0 for score, _ in others)
    assert rank_pairs("weather tomorrow", pairs, 3) == []
    assert [score for score, _ in rank_pairs("how many?", [Pair("How many?", "SELECT 1")], 3)] == [1.0]
    assert rank_pairs("", pairs, 3) == []


def test_pairs_of_the_folder_are_recalled_and_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    file = folder / "paris.sql"
    file.write_text(
        "-- question: How many customers live in Paris?\n-- question: 巴黎有多少客户？\n"
        "-- tables: customers, x\n\n"
        "-- a comment of the query\nSELECT count(*)\nFROM customers\n",
        encoding="utf-8",
    )
    (folder / "elsewhere.sql").write_text("-- question: customers in Paris\n-- source: other\nSELECT 9")
    (folder / "notes.txt").write_text("-- question: customers in Paris\nSELECT 8")
    (folder / "broken.sql").write_bytes(b"\xff\xfe\x00")
    (folder / "huge.sql").write_text("-- question: Paris\n" + "x" * 300_000)
    (folder / "link.sql").symlink_to("/etc/passwd")

    async def work(memory: Memory) -> None:
        sql = "-- a comment of the query\nSELECT count(*)\nFROM customers"
        for question in ("customers in Paris", "巴黎的客户"):
            ((_, pair),) = await memory.recall("shop", question)
            assert (pair.sql, pair.tables) == (sql, ("customers", "x"))
        file.write_text("-- question: How many customers live in Paris?\nSELECT 2")
        os.utime(file, ns=(1, 1))
        assert [pair.sql for _, pair in await memory.recall("shop", "customers in Paris")] == ["SELECT 2"]
        file.unlink()
        assert await memory.recall("shop", "customers in Paris") == []

    within(Settings(memory="none", pairs_dir=str(folder)), work)


def test_a_remembered_pair_becomes_a_file_that_reads_the_same(tmp_path: Path) -> None:
    pair = Pair(
        KNOWN[4],
        "-- question: not a head\nSELECT '\x0b'",
        "sqlite",
        "shop",
        ("a", "b"),
        "",
        1_700_000_000.0,
    )

    async def work(memory: Memory) -> None:
        await memory.remember(pair)
        await memory.remember(replace(pair, sql="SELECT 2"))
        await memory.remember(replace(pair, source="other"))
        assert [stored for _, stored in await memory.recall("shop", pair.question)] == [
            replace(pair, sql="SELECT 2")
        ]
        assert await memory.export_pairs("shop", tmp_path / "out") == 1

    within(Settings(memory="none", pairs_dir=str(tmp_path / "pairs")), work)
    assert len(list((tmp_path / "pairs").iterdir())) == 2
    (exported,) = (tmp_path / "out").iterdir()
    assert read_pairs(exported.read_text(encoding="utf-8")) == [replace(pair, sql="SELECT 2")]
    write_pair(tmp_path / "out", pair)
    assert PairFolder(tmp_path / "out").pairs() == [pair]


@pytest.mark.parametrize("folder", ["", "pairs"])
@pytest.mark.fault("A08")
def test_a_users_verified_questions_are_not_shown_to_others(tmp_path: Path, folder: str) -> None:
    async def work(memory: Memory) -> None:
        for user in ("ann", "ann/shop", ""):
            await memory.remember(Pair("customers in Paris", f"SELECT '{user}'", source="shop", user=user))
        for user in ("ann", "ann/shop"):
            own = f"SELECT '{user}'" if not folder else "SELECT ''"  # the reviewed pair wins
            ranked = await memory.recall("shop", "customers in Paris", user=user)
            assert [pair.sql for _, pair in ranked] == [own]
        ranked = await memory.recall("shop", "customers in Paris", user="bob")
        assert [pair.sql for _, pair in ranked] == (["SELECT ''"] if folder else [])
        await memory.forget_pair("shop", "customers in Paris", "bob")
        assert len(await memory.recall("shop", "customers in Paris", user="ann")) == 1

    within(Settings(memory="none", pairs_dir=str(tmp_path / folder) if folder else ""), work)


@pytest.mark.parametrize(
    "question",
    [
        "../../etc/passwd",
        "/etc/cron.d/x",
        "a\n-- source: stolen\n\nDROP TABLE t",
        "..\\..\\windows",
        "con",
        "x" * 5_000,
        "中" * 300,
        "\x00\ud800",
        "?!",
        "-rf",
    ],
)
@pytest.mark.fault("A08")
def test_a_hostile_question_stays_in_its_folder(tmp_path: Path, question: str) -> None:
    folder = tmp_path / "pairs"
    written = write_pair(folder, Pair(question, "SELECT 1", source="shop"))
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == [written]
    assert written.resolve().parent == folder.resolve()
    assert [(pair.sql, pair.source) for pair in PairFolder(folder).pairs()] in ([("SELECT 1", "shop")], [])


@given(st.text(max_size=80))
def test_a_file_name_is_letters_digits_and_hyphens(question: str) -> None:
    name = file_name(Pair(question, "SELECT 1"))
    assert name.endswith(".sql")
    assert all(letter.isalnum() or letter == "-" for letter in name.removesuffix(".sql"))
    assert len(name.encode()) < 255
    assert not name.startswith("-")


def test_a_folder_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught:
        write_pair(tmp_path / "file", Pair("q", "SELECT 1"))
    assert caught.value.message_key == "usage.pairs_dir"


@pytest.mark.parametrize(
    ("question", "sql"), [("", "SELECT 1"), ("q", " "), ("q" * 2_001, "S"), ("q", "S" * 20_001)]
)
def test_a_pair_needs_a_question_and_a_query(question: str, sql: str) -> None:
    with pytest.raises(UsageError) as caught:
        within(Settings(memory="none"), lambda memory: memory.remember(Pair(question, sql)))
    assert caught.value.message_key == "usage.pair"
