"""The glossary, the tokenizer and prompt hints, in English and Chinese."""

import re
import time
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.schema import SchemaContext, build, glossary, hints
from text2sql.schema.glossary import Glossary
from text2sql.schema.stopwords import vocabulary
from text2sql.schema.tokenizer import folded, stem, terms, tokens
from text2sql.text_normalization import words
from text2sql.types import Catalog, Column, Table


@pytest.mark.parametrize(
    ("term", "synonym"),
    [
        ("客户", "customer"),
        ("顾客", "client"),
        ("营业额", "revenue"),
        ("歌手", "singer"),
        ("邮编", "zip code"),
        ("employee", "staff"),
        ("movie", "film"),
        ("car", "vehicle"),
        ("法国", "french"),
        ("家乡", "hometown"),
        ("职称", "rank"),
        ("副主席", "vice president"),
        ("捐赠者", "donor"),
        ("校区", "campus"),
        ("姓氏", "l name"),  # LName
    ],
)
def test_synonyms_share_a_meaning(term: str, synonym: str) -> None:
    assert glossary().meanings(term) & glossary().meanings(synonym)


def test_the_first_line_of_a_word_is_its_primary_meaning() -> None:
    known = glossary()
    assert known.primary_meanings("stock") & known.meanings("库存")
    assert not known.primary_meanings("stock") & known.meanings("股票")
    assert known.meanings("stock") & known.meanings("股票")
    assert known.primary_meanings("score") & known.meanings("成绩")


def test_the_glossary_file_has_no_duplicate_lines() -> None:
    lines = files("text2sql.schema").joinpath("glossary.tsv").read_text("utf-8").splitlines()
    entries = [line for line in lines if not line.startswith("#")]
    assert len(entries) == len(set(entries)) > 1_000
    for line in entries:
        chinese, tab, english = line.removeprefix("~").partition("\t")
        assert tab, line
        assert re.fullmatch(r"[\u4e00-\u9fff ]*", chinese), line
        assert re.fullmatch(r"[a-z' ,-]+", english), line


def test_a_glossary_is_read_from_lines() -> None:
    small = Glossary(["# a comment", "狗 犬\tdog,hound", "~贵\tprice"])
    assert len(small) == 2
    assert small.synonyms("犬") == ["狗", "dog", "hound"]
    assert small.primary_meanings("price") == frozenset()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("上海的客户有多少？", ["上海", "的", "客户", "有多少"]),
        ("每个项目的工时", ["每个", "项目", "的", "工时"]),
        ("每个项目的工期", ["每个", "项目", "的", "工期"]),
        ("供应商的平均评分", ["供应商", "的", "平均", "评分"]),
        ("the client's CustomerID", ["the", "client", "Customer", "ID"]),
        ("credit cards in 2024", ["credit", "cards", "credit cards", "in", "2024"]),
    ],
)
def test_a_question_is_segmented_into_words(question: str, expected: list[str]) -> None:
    assert [term.text for term in terms(question)] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cust_nm", {"customer", "name"}),
        ("ordDt", {"order", "date"}),
        ("custid", {"customer", "id"}),
        ("hiredate", {"hire", "date"}),
        ("DEPT_QTY_AMT", {"department", "quantity", "amount"}),
    ],
)
def test_an_abbreviation_matches_its_long_form(name: str, expected: set[str]) -> None:
    assert expected <= set(tokens(name))


def test_forms_of_a_word_share_a_stem() -> None:
    assert stem("enrolled") == stem("enrollment")
    assert stem("studying") == stem("student")


def test_stop_words_exist_in_both_languages() -> None:
    words = "average total highest per month last year 最多 平均 每个 占比 同比 字典序 子串 单个 笔".split()
    assert all(map(vocabulary().is_general, words))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("上海的客户有多少？", [("客户", "customers")]),
        ("哪些供应商的评分最高", [("供应商", "suppliers"), ("评分", "suppliers.rating")]),
        ("各渠道订单数量占比", [("渠道", "orders.channel"), ("订单", "orders")]),
        ("top 5 staff by salary", [("staff", "employees")]),
        ("How many customers are there?", []),  # nothing that the model could not see
        ("股票价格最高的公司", []),  # a share is not what a shop has in stock
    ],
)
def test_hints_are_given_only_if_unambiguous(
    known: SchemaContext, question: str, expected: list[tuple[str, str]]
) -> None:
    assert hints(question, known) == expected


def test_hints_are_few(known: SchemaContext) -> None:
    question = "客户 城市 门店 员工 供应商 产品 订单 评论"
    assert len(hints(question, known, most=3)) == 3


def test_a_column_of_two_tables_gives_no_hint() -> None:
    tables = (
        Table("cars", (Column("color", "TEXT"),)),
        Table("shirts", (Column("color", "TEXT"),)),
    )
    schema_context = build(Catalog("sqlite", "main", tables, "f"))
    assert hints("什么颜色最多", schema_context) == []
    assert hints("汽车的颜色", schema_context) == [("汽车", "cars"), ("颜色", "cars.color")]


def test_english_is_linked_to_chinese_names() -> None:
    tables = (
        Table("客户", (Column("编号", "INTEGER"), Column("城市", "TEXT"))),
        Table("订单", (Column("金额", "REAL"),)),
    )
    schema_context = build(Catalog("sqlite", "main", tables, "f"))
    assert hints("customers per city", schema_context) == [("customers", "客户"), ("city", "客户.城市")]
    assert [table.name for table in schema_context.linker.link("amount of orders", most=1)] == ["订单"]


def test_a_plural_in_ies_may_have_a_singular_in_ie() -> None:
    assert words("movies cookies cities") == ("movie", "cookie", "city")


@given(st.text(max_size=80))
def test_term_positions_refer_to_the_folded_text(text: str) -> None:
    for term in terms(text):
        if not term.is_phrase:
            assert folded(text)[term.start : term.end] == term.text


def test_the_glossary_loads_quickly() -> None:
    text = files("text2sql.schema").joinpath("glossary.tsv").read_text("utf-8")
    taken = []
    for _ in range(5):
        start = time.process_time()
        Glossary(text.splitlines())
        taken.append(time.process_time() - start)
    assert min(taken) < 0.1
