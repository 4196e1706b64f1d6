"""Every result of `cases.toml` is described by exactly its sentence, in both languages."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from answers.results import cases, result_of, result_of_case
from text2sql.answers import describe_result
from text2sql.i18n import Language
from text2sql.result_columns import headers

BOTH: tuple[Language, ...] = ("en", "zh")
each_case = pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["name"]).replace(" ", "-"))


@each_case
@pytest.mark.parametrize("lang", BOTH)
def test_a_result_is_described_in_words(case: Mapping[str, Any], lang: Language) -> None:
    expected = case[lang]
    result = result_of_case(case)
    is_incomplete = case.get("last_period_incomplete", False)
    text = describe_result(
        result, question=expected["question"], language=lang, last_period_incomplete=is_incomplete
    )
    assert text.sentence == expected["sentence"]
    assert list(text.findings) == expected.get("findings", [])
    doubtful = describe_result(
        result,
        question=expected["question"],
        language=lang,
        last_period_incomplete=is_incomplete,
        echo=False,
    )
    assert doubtful.sentence == expected.get("doubtful", expected["sentence"])


@each_case
@pytest.mark.parametrize("lang", BOTH)
def test_headers_are_words(case: Mapping[str, Any], lang: Language) -> None:
    assert list(headers(result_of_case(case), lang)) == case[lang]["labels"]


@each_case
@pytest.mark.parametrize("lang", BOTH)
def test_no_sentence_contains_sql_or_a_number_of_rows(case: Mapping[str, Any], lang: Language) -> None:
    text = describe_result(result_of_case(case), question=case[lang]["question"], language=lang)
    whole = " ".join((text.sentence, *text.findings))
    assert not re.search(r"\w\(\*|SUM\(|COUNT\(|AVG\(|SELECT|\d+ rows:|共 \d+ 行", whole)
    assert whole[-1] in ".。"


def test_there_are_at_least_eighty_results_in_each_language() -> None:
    assert 2 * len(cases()) >= 160


def test_a_sentence_of_unknown_columns_uses_their_names() -> None:
    result = result_of("SELECT * FROM t", [])
    assert describe_result(result).sentence == "No ts match."


@pytest.mark.parametrize(
    ("number", "text"),
    [(37.620000000000005, "37.62"), (1234567, "1,234,567"), (0.000123456, "0.000123"), (1e-9, "1e-09")],
)
def test_numbers_have_as_many_digits_as_a_reader_wants(number: float, text: str) -> None:
    result = result_of("SELECT AVG(x) AS score FROM t", [[number]])
    assert describe_result(result).sentence == f"The score is {text}."
