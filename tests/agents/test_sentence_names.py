"""Column names in result sentences; columns without a name are omitted."""

import pytest

from text2sql.agents.sentences import sentence
from text2sql.i18n import Language
from text2sql.types import QueryResult, ResultColumn


def describe(name: str, lang: Language = "en") -> str:
    return sentence(QueryResult((ResultColumn(name, ""),), ((9.56,),)), lang)


@pytest.mark.parametrize(
    "name",
    [
        "COUNT(*)",
        "CAST(SUM(CASE WHEN T1.Milliseconds > 500000 THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*)",
        "price * quantity",
    ],
)
def test_an_expression_is_not_shown(name: str) -> None:
    assert describe(name) == "The result is 9.56."
    assert describe(name, "zh") == "结果：9.56。"


@pytest.mark.parametrize("name", ["total_sales", "金额(元)", "year-end"])
def test_a_name_is_shown(name: str) -> None:
    assert describe(name) == f"{name.replace('_', ' ')}: 9.56."


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_identifiers_are_written_alike_and_the_ellipsis_ends_the_sentence(lang: Language) -> None:
    columns = (ResultColumn("order_id", ""), ResultColumn("total", ""))
    text = sentence(QueryResult(columns, tuple((2_990 + 10 * row, 2_000 + row) for row in range(6))), lang)
    assert "2990 (2000)" in text or "2990 (2,000)" in text
    assert "3000 (" in text
    assert text.endswith("…")
