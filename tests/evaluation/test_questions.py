"""Question sets: what is read, what is refused, what is chosen."""

import json
from pathlib import Path

import pytest

from text2sql.errors import UsageError
from text2sql.evaluation.questions import Question, choose, read_questions

ONE = {"id": 7, "db_id": "shop", "question": "How many?", "gold_sql": "SELECT 1"}


def written(tmp_path: Path, held: object) -> Path:
    path = tmp_path / "questions.json"
    path.write_text(held if isinstance(held, str) else json.dumps(held), encoding="utf-8")
    return path


def test_a_set_is_a_list_of_questions(tmp_path: Path) -> None:
    read = read_questions(written(tmp_path, [ONE, ONE | {"evidence": "a hint", "difficulty": "easy"}]))
    assert read == [
        Question("7", "shop", "How many?", "SELECT 1"),
        Question("7", "shop", "How many?", "SELECT 1", "a hint"),
    ]
    assert read[0].database(Path("dbs")) == Path("dbs/shop/shop.sqlite")


@pytest.mark.parametrize(
    ("held", "why"),
    [
        ("{", "no JSON"),
        ({"questions": []}, "not a list"),
        (["text"], "entry 1 is not an object"),
        ([ONE, {"id": 1, "db_id": "shop", "question": "?"}], "entry 2 has no gold_sql"),
        ([ONE | {"question": ""}], "entry 1 has no question"),
        ([ONE | {"db_id": "../etc"}], "entry 1: '../etc' is no name"),
    ],
)
def test_what_is_no_set_is_named(tmp_path: Path, held: object, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_questions(written(tmp_path, held))
    assert why in str(caught.value.facts["detail"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="absent"):
        read_questions(tmp_path / "absent.json")


def test_a_seed_always_chooses_the_same_grouped_by_database() -> None:
    many = [Question(str(at), f"db{at % 3}", "?", "SELECT 1") for at in range(30)]
    chosen = choose(many, 10, seed=4)
    assert chosen == choose(many, 10, seed=4) != choose(many, 10, seed=5)
    assert len(chosen) == 10
    assert [one.db_id for one in chosen] == sorted(one.db_id for one in chosen)
    assert choose(many) == sorted(many, key=lambda one: one.db_id)
