"""`text2sql demo`: the shop is built once, its questions end as expected, and the next commands are shown."""

import shlex
from pathlib import Path

import pytest

from cli.conftest import make
from cli.scripts import ScriptedCli
from text2sql.cli.demo import QUESTIONS, is_shop, next_commands
from text2sql.database.demo import SCHEMA, build_demo
from text2sql.errors import ModelFileError
from text2sql.llm.scripted import Line

WRITTEN: tuple[Line, ...] = (
    "SELECT channel, count(*) AS n FROM orders GROUP BY channel",
    "SELECT status, count(*) AS n FROM orders GROUP BY status",
    "SELECT level, count(*) AS n FROM customers GROUP BY level",
    "SELECT gender, count(*) AS n FROM customers GROUP BY gender",
    "SELECT name_zh, price FROM products ORDER BY price DESC LIMIT 5",
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("demo") / "the shop.db")


def test_six_questions_three_in_each_language_with_a_follow_up_and_a_hostile_one(
    ctx: ScriptedCli, shop: Path
) -> None:
    assert [question.lang for question in QUESTIONS] == ["en"] * 3 + ["zh"] * 3
    assert [question.expected for question in QUESTIONS].count("refused") == 1
    ended = ctx.replies(*WRITTEN).run("demo", "--db", str(shop))
    assert ended.code == 0
    for question in QUESTIONS:
        assert f"\n{question.question}\n" in ended.out
    assert "│ store   │            14505 │" in ended.out
    assert "手机壳（大份）" in ended.out
    assert "only reading is allowed" in ended.out
    assert "客户最多" in ended.out
    conversations = [request.messages[1:] for request in ctx.backend.requests]
    assert [len(messages) for messages in conversations] == [
        1,
        3,
        1,
        3,
        1,
    ]  # a follow-up has the question before it
    assert ended.out.endswith("".join(f"{line}\n" for line in next_commands(shop, "en")))


def test_the_next_commands_can_be_pasted(shop: Path) -> None:
    for lang in ("en", "zh"):
        for line in next_commands(shop, lang):
            program, command, *words = shlex.split(line)
            assert (program, words[-2:]) == ("text2sql", ["--db", str(shop)])
            assert command in ("chat", "ask", "schema")


def test_quick_is_three_questions_and_leaves_no_trace(ctx: ScriptedCli, shop: Path, tmp_path: Path) -> None:
    ended = ctx.replies(WRITTEN[0], WRITTEN[2]).run("demo", "--db", str(shop), "--quick", "--lang", "zh")
    assert ended.code == 0
    assert ended.out.count("/3 ──") == 3
    assert "接下来请您试试" in ended.out
    assert not (tmp_path / "data").exists()


def test_the_shop_is_built_in_the_cache_once_and_repaired(ctx: ScriptedCli, tmp_path: Path) -> None:
    place = tmp_path / "cache" / "demo" / "shop.db"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"broken")
    assert "Building the shop" in ctx.replies(WRITTEN[0], WRITTEN[2]).run("demo", "--quick").err
    assert is_shop(place)
    built = place.stat().st_mtime_ns
    assert "Building" not in ctx.replies(WRITTEN[0], WRITTEN[2]).run("demo", "--quick").err
    assert place.stat().st_mtime_ns == built


def test_an_existing_file_of_the_user_is_not_changed(ctx: ScriptedCli, tmp_path: Path) -> None:
    own = tmp_path / "own.db"
    make(own, "CREATE TABLE orders (a); INSERT INTO orders VALUES (1);")
    before = own.read_bytes()
    ended = ctx.replies(*WRITTEN).run("demo", "--db", str(own))
    assert (ended.code, ended.out, own.read_bytes()) == (2, "", before)
    assert "was not changed" in ended.err


def test_without_a_model_it_says_how_to_get_one_and_stops(ctx: ScriptedCli, shop: Path) -> None:
    missing = ModelFileError("local", "xllamacpp", key="model.runtime_missing")
    ended = ctx.replies(missing).run("demo", "--db", str(shop))
    assert ended.code == 4
    assert 'pip install "text2sql-kit[local]"' in ended.out
    assert "text2sql demo --model provider:name" in ended.out
    assert "2/6" not in ended.out


def test_a_question_that_does_not_end_as_it_should_is_no_success(ctx: ScriptedCli, shop: Path) -> None:
    assert ctx.replies(WRITTEN[0]).run("demo", "--db", str(shop), "--quick").code == 4


def test_a_shop_is_recognized_by_its_tables_and_orders(tmp_path: Path) -> None:
    make(tmp_path / "empty_shop.db", SCHEMA)
    assert not is_shop(tmp_path / "empty_shop.db")
    assert not is_shop(tmp_path / "nowhere.db")
