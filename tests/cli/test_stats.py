"""`text2sql stats`: statistics as text and JSON."""

import json
from pathlib import Path

from cli.scripts import ScriptedCli
from text2sql.cli.stats import lines
from text2sql.memory import Spread, Stats

COUNT = "SELECT count(*) AS n FROM orders"

STATS = Stats(
    questions=4,
    by_status={"answered": 3, "new_one": 1},
    first_pass_rate=0.6667,
    repair_rate=None,
    errors={"unknown\x1bcolumn": 2},
    seconds={"generator": Spread(5.25, 33.0), "executor": Spread(0.01, 0.2)},
    calls_per_answer=1.25,
    tokens_per_answer=1620.4,
    statements=1234,
    by_model={"local": 4},
)


def test_the_numbers_are_aligned() -> None:
    assert list(lines(STATS, "en")) == [
        "questions                     4",
        "  answered                    3  (75%)",
        "  new_one                     1  (25%)",
        "right at the first try        67%",
        "repaired on the way           -",
        "model calls an answer         1.2",
        "tokens an answer              1,620.4",
        "statements sent to databases  1,234",
        "\nmodels",
        "  local  4",
        "\nerrors on the way",
        "  unknown\\x1bcolumn  2",
        "\nseconds by stage: half took less than the first, 95 % less than the second",
        "  writing the query      5.25     33.00",
        "  running the query      0.01      0.20",
    ]
    assert "  已回答                3  (75%)" in list(lines(STATS, "zh"))


def test_without_questions_a_message_is_shown_and_no_file_created(ctx: ScriptedCli, tmp_path: Path) -> None:
    ended = ctx.run("stats")
    assert (ended.code, ended.out) == (0, "")
    assert "No question has been asked yet." in ended.err
    assert "还没有提过问题" in ctx.run("stats", "--lang", "zh").err
    assert json.loads(ctx.run("stats", "--json").out)["questions"] == 0
    assert not (tmp_path / "data").exists()


def test_questions_are_counted(ctx: ScriptedCli, shop: str) -> None:
    ctx.replies(COUNT).run("ask", "how many orders?", "--db", shop)
    ctx.run("ask", "drop the table orders", "--db", shop)
    stats = json.loads(ctx.run("stats", "--json").out)
    assert (stats["days"], stats["questions"]) == (None, 2)
    assert stats["by_status"] == {"answered": 1, "refused": 1}
    assert (stats["first_pass_rate"], stats["repair_rate"]) == (1.0, 0.0)
    assert stats["calls_per_answer"] == 1.0
    assert stats["by_model"] == {"scripted": 1}
    assert set(stats["seconds"]) >= {"classifier", "generator", "executor"}
    assert list(stats["seconds"]["generator"]) == ["p50", "p95"]
    output = ctx.run("stats", "--days", "1").out
    assert output.startswith("questions                     2\n")


def test_the_number_of_days_is_an_integer(ctx: ScriptedCli) -> None:
    assert ctx.run("stats", "--days", "0").code == 2
    assert ctx.run("stats", "--days", "1").code == 0


def test_an_unreadable_memory_is_reported(ctx: ScriptedCli, tmp_path: Path) -> None:
    (tmp_path / "foreign.db").write_text("not a memory " * 20)
    ctx.env = {**ctx.env, "TEXT2SQL_MEMORY": str(tmp_path / "foreign.db")}
    ended = ctx.run("stats")
    assert (ended.code, ended.out) == (4, "")
    assert "is not a text2sql memory" in ended.err
    ctx.env = {**ctx.env, "TEXT2SQL_MEMORY": "none"}
    assert ctx.run("stats").code == 0
