"""Loading, validating and sampling question sets."""

import json
from pathlib import Path

import pytest

from text2sql.errors import UsageError
from text2sql.evaluation.questions import Question, read_questions
from text2sql.evaluation.sampling import add_foreign_questions, choose

ONE = {"id": 7, "db_id": "shop", "question": "How many?", "gold_sql": "SELECT 1"}


def written(tmp_path: Path, content: object, name: str = "questions.json") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_set_is_a_list_of_questions(tmp_path: Path) -> None:
    content = [ONE, ONE | {"id": "b", "evidence": "a hint", "difficulty": "easy"}]
    read = read_questions(written(tmp_path, content))
    assert read == [
        Question("7", "shop", "How many?", "SELECT 1"),
        Question("b", "shop", "How many?", "SELECT 1", "a hint", "easy"),
    ]
    assert read[0].database(Path("dbs")) == Path("dbs/shop/shop.sqlite")
    assert [question.with_evidence for question in read] == ["How many?", "How many?\n(a hint)"]


def test_a_set_about_one_database_needs_only_questions_and_expected_results(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "- question: 有多少订单？\n  sql: SELECT count(*) FROM orders\n"
        "- {question: 'Which cities?', rows: [Oslo, 上海], difficulty: easy}\n"
        "- question: When was the first?\n  rows: [{first: 2025-01-03, total: 10.5}]\n  ordered: true\n"
        "- {question: 'How many?', rows: 3}\n",
        "own.yaml",
    )
    assert read_questions(path, "my.db") == [
        Question("1", "my.db", "有多少订单？", "SELECT count(*) FROM orders"),
        Question("2", "my.db", "Which cities?", "", "", "easy", (("Oslo",), ("上海",))),
        Question("3", "my.db", "When was the first?", "", rows=(("2025-01-03", 10.5),), ordered=True),
        Question("4", "my.db", "How many?", "", rows=((3,),)),
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "not JSON"),
        ({"question": []}, "not a list"),
        ({"questions": {}}, "not a list"),
        ({"questions": [], "defaults": []}, "its defaults are not an object"),
        ([ONE | {"db_id": "a/../../etc"}], "entry 1: 'a/../../etc' is not a name"),
        ([ONE | {"status": "known"}], "entry 1: 'known' is not a status"),
        ([ONE | {"match": "loose"}], "entry 1: match is 'loose'"),
        ([ONE | {"today": "19/11/2026"}], "entry 1: '19/11/2026' is not a date"),
        (["text"], "entry 1 is not an object"),
        ([ONE, {"id": 1, "db_id": "shop", "question": "?"}], "entry 2 has no gold_sql"),
        ([ONE | {"question": ""}], "entry 1 has no question"),
        ([ONE | {"db_id": "../etc"}], "entry 1: '../etc' is not a name"),
        ([ONE, ONE], "entry 2: the id '7' occurs twice"),
        ([{"id": 1, "db_id": "d", "question": "?", "rows": [[1], [1, 2]]}], "different lengths"),
    ],
)
def test_an_invalid_set_is_refused_with_the_reason(tmp_path: Path, content: object, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_questions(written(tmp_path, content))
    assert why in str(caught.value.facts["detail"])


@pytest.mark.parametrize("text", ["- {", "- !!python/object/apply:os.getcwd []"])
def test_invalid_yaml_is_refused_with_the_reason(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="not YAML"):
        read_questions(written(tmp_path, text, "own.yml"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="absent"):
        read_questions(tmp_path / "absent.json")


def test_a_seed_always_chooses_the_same_grouped_by_database() -> None:
    many = [Question(str(at), f"db{at % 3}", "?", "SELECT 1") for at in range(30)]
    chosen = choose(many, 10, seed=4)
    assert chosen == choose(many, 10, seed=4) != choose(many, 10, seed=5)
    assert len(chosen) == 10
    assert [question.db_id for question in chosen] == sorted(question.db_id for question in chosen)
    assert choose(many) == sorted(many, key=lambda question: question.db_id)


def test_foreign_questions_are_mixed_in_where_their_reference_does_not_run() -> None:
    many = [Question(str(at), f"db{at % 3}", f"q{at}", f"SELECT {at}") for at in range(30)]
    chosen = choose(many, 10, seed=4)
    mixed = add_foreign_questions(
        chosen, many, 0.5, 1, lambda question, home: home == "db2" or question.db_id == "db1"
    )
    foreign = [question for question in mixed if question.foreign]
    assert [question for question in mixed if not question.foreign] == chosen
    assert len(foreign) == 5
    assert {question.db_id for question in foreign} <= {"db0", "db1"}
    assert all(question.foreign not in (question.db_id, "db1") for question in foreign)
    assert all(question.id == f"{question.question[1:]}@{question.db_id}" for question in foreign)
    assert mixed == add_foreign_questions(
        chosen, many, 0.5, 1, lambda question, home: home == "db2" or question.db_id == "db1"
    )


def test_one_database_has_no_foreign_questions() -> None:
    alone = [Question("1", "shop", "?", "SELECT 1")]
    with pytest.raises(UsageError, match=r"usage\.foreign"):
        add_foreign_questions(alone, alone, 1.0, 0, lambda question, home: False)


def test_a_question_may_state_more_than_its_reference(tmp_path: Path) -> None:
    content = {
        "defaults": {"db": "shop.duckdb", "match": "lenient", "today": "2026-11-19", "lang": "en"},
        "questions": [
            {"id": 1, "question": "Revenue by month", "any_of": ["SELECT 1", "SELECT 2"], "kind": "series"},
            {"id": 2, "question": "as a pie", "gold_sql": None, "thread": "a"},
            {"id": 3, "question": "谢谢", "status": "conversation", "thread": "a", "lang": "zh"},
            {"id": 4, "question": "Orders?", "sql": "SELECT 3", "status": ["answered", "no_data"],
             "facts": [1234.5, ["March", "3月"]], "ordered": True},
        ],
    }  # fmt: skip
    series, pie, thanks, orders = read_questions(written(tmp_path, content))
    assert (series.references, series.statuses, series.kind) == (
        ("SELECT 1", "SELECT 2"),
        ("answered",),
        "series",
    )
    assert {question.db_id for question in (series, pie, thanks, orders)} == {"shop.duckdb"}
    assert (series.match, series.today, series.lang, thanks.lang) == ("lenient", "2026-11-19", "en", "zh")
    assert (pie.statuses, thanks.statuses) == ((), ("conversation",))
    assert (orders.references, orders.facts) == (("SELECT 3",), (("1234.5",), ("March", "3月")))
    assert orders.ordered


@pytest.mark.parametrize(
    ("db_id", "files", "found"),
    [
        ("shop", ["shop/shop.sqlite", "shop/shop.csv"], "shop/shop.sqlite"),
        ("shop", ["shop/shop.duckdb"], "shop/shop.duckdb"),
        ("shop.duckdb", ["shop.duckdb"], "shop.duckdb"),
        ("files/sales.csv", ["files/sales.csv"], "files/sales.csv"),
        ("files", ["files/sales.csv", "files/people.csv"], "files"),
        ("shop", [], "shop/shop.sqlite"),
    ],
)
def test_a_database_is_a_file_or_a_folder(tmp_path: Path, db_id: str, files: list[str], found: str) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert Question("1", db_id, "?", "SELECT 1").database(tmp_path) == tmp_path / found


def test_a_sample_never_divides_a_conversation() -> None:
    questions = [
        Question(f"{at}", "d", "?", "SELECT 1", thread=f"{at // 3}" if at < 12 else "") for at in range(20)
    ]
    for seed in range(20):
        chosen = choose(questions, 6, seed)
        threads = {question.thread for question in chosen} - {""}
        assert 6 <= len(chosen) <= 8
        for thread in threads:
            turns = [question.id for question in chosen if question.thread == thread]
            assert turns == [question.id for question in questions if question.thread == thread]


def test_a_folder_of_sets_is_one_set(tmp_path: Path) -> None:
    written(tmp_path, [ONE], "b.json")
    written(tmp_path, "- {id: 8, db_id: zoo, question: 'Who?', gold_sql: SELECT 1}", "a.yaml")
    written(tmp_path, "not a set", "notes.md")
    assert [question.id for question in read_questions(tmp_path)] == ["8", "7"]
    written(tmp_path, [ONE], "c.json")
    with pytest.raises(UsageError, match="the id '7' occurs twice"):
        read_questions(tmp_path)
