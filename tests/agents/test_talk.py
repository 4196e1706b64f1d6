"""Conversation, requests about the view and questions about the tables run no query; questions about the data
that look like them still do.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agents.asking import HOSTED, app, scripted
from text2sql.agents.talk import talk_of
from text2sql.agents.talk.lexicon import lexicon
from text2sql.schema import SchemaContext, build
from text2sql.types import (
    Answer,
    Candidate,
    Catalog,
    Column,
    Policy,
    Reply,
    RowRule,
    Table,
    Token,
    Usage,
)

CASES = Path(__file__).parent / "talk"
TABLES = {
    "shop": {
        "cities": "id name country",
        "customers": "id name city_id level",
        "orders": "id customer_id total ordered_on status",
    },
    "restaurant": {
        "dining_tables": "id seats room capacity",
        "orders": "id table_id total",
        "exports": "id country total year",
        "questions": "id customer text answer asked_on",
        "messages": "id sender text",
    },
    "trade": {
        "customers": "id company_name contact_name phone city country",
        "employees": "id last_name first_name title hire_date",
        "orders": "id customer_id employee_id order_date shipped_date ship_via freight ship_country",
        "products": "id product_name supplier_id unit_price units_in_stock discontinued",
        "shippers": "id company_name",
        "suppliers": "id company_name country",
    },
    "music": {
        "artists": "id name",
        "albums": "id title artist_id",
        "genres": "id name",
        "playlists": "id name",
        "tracks": "id name album_id genre_id composer milliseconds unit_price",
    },
    "films": {
        "films": "id title description language_id length rating",
        "languages": "id name",
        "customers": "id first_name last_name",
        "rentals": "id film_id customer_id rental_date",
    },
    "staff": {
        "employees": "id first_name last_name hire_date job_id salary manager_id department_id",
        "departments": "id department_name manager_id",
        "jobs": "id job_title min_salary max_salary",
    },
    "world": {
        "countries": "code name population",
        "cities": "id name country_code",
        "country_languages": "country_code language is_official",
    },
    "pets": {"students": "id last_name age", "pets": "id pet_type pet_age weight"},
    "complaints": {"customers": "id name", "complaints": "id customer_id complaint_type date_raised"},
    "ride_apps": {"打车软件": "词条id 名称 开发公司 用户数量", "城市": "词条id 名称"},
    "furniture": {"tables": "id name wood price stock", "sales": "id table_id sold_on amount"},
}
REVENUE = (
    "SELECT customers.name, SUM(orders.total) AS revenue FROM customers JOIN orders "
    "ON orders.customer_id = customers.id GROUP BY customers.name"
)


def schema_of(name: str) -> SchemaContext:
    tables = tuple(
        Table(table, tuple(Column(column, "TEXT") for column in columns.split()))
        for table, columns in TABLES[name].items()
    )
    return build(Catalog("sqlite", "main", tables, name))


SCHEMAS = {name: schema_of(name) for name in TABLES}


def cases(file: str) -> Iterator[tuple[str, str]]:
    for line in (CASES / file).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            left, _, right = line.partition(" | ")
            yield left, right


@pytest.mark.parametrize(("expected", "text"), [*cases("en.txt"), *cases("zh.txt")])
def test_talk_is_recognized(expected: str, text: str) -> None:
    talk = talk_of(text, SCHEMAS["shop"])
    kind, colon, detail = expected.partition(":")
    assert talk is not None
    assert talk.kind == kind
    assert not colon or talk.detail == detail


@pytest.mark.parametrize(("database", "text"), [*cases("data_en.txt"), *cases("data_zh.txt")])
def test_a_question_about_the_data_is_no_talk(database: str, text: str) -> None:
    assert talk_of(text, SCHEMAS[database]) is None


def test_there_are_enough_cases_of_each() -> None:
    for file in ("en.txt", "zh.txt", "data_en.txt", "data_zh.txt"):
        assert len(list(cases(file))) >= 60, file


@pytest.mark.parametrize("text", ["的" * 40, "说说多少张" * 8, "show me all the tables " * 5, "a" * 120])
def test_no_text_takes_long_to_recognize(text: str) -> None:
    began = time.process_time()
    talk_of(text, SCHEMAS["shop"])
    assert time.process_time() - began < 1.0


def ask_all(
    path: Path, *questions: str, replies: Sequence[str | Reply] = (REVENUE,), **settings: object
) -> list[Answer]:
    """Asks the questions in one thread; fails if the model gets more requests than it has replies."""
    can = {"can": settings.pop("can")} if "can" in settings else {}

    async def scenario() -> list[Answer]:
        async with app(path, scripted(replies, **can), **settings) as db:
            return [await db.ask(question, thread="t") for question in questions]

    return asyncio.run(scenario())


def test_talk_about_a_database_runs_no_query_and_asks_no_model(shop: Path) -> None:
    questions = [text for _, text in (*cases("en.txt"), *cases("zh.txt"))]
    for answer in ask_all(shop, *questions, replies=()):
        assert (answer.status, answer.sql, answer.rows) == ("conversation", "", ()), answer.question
        assert (answer.receipt.statements, answer.receipt.usage.calls) == (0, 0)
        assert answer.answer


def test_a_request_about_the_view_shows_the_same_rows_again(shop: Path) -> None:
    first, pie, thanks, line, excel, again = ask_all(
        shop, "Revenue of each customer", "make it a pie chart", "thanks", "as a scatter plot",
        "export that to Excel", "再显示一遍",
    )  # fmt: skip
    for answer in (pie, line, excel, again):
        assert (answer.status, answer.rows, answer.sql) == ("answered", first.rows, first.sql)
        assert answer.receipt.certainty == first.receipt.certainty
        assert answer.receipt.usage.calls == 0
    assert (kind_of(first), kind_of(pie)) == ("bar", "pie")
    assert pie.chart is not None
    assert pie.chart["title"]["text"] == ["Revenue of each customer"]  # type: ignore[index]
    assert thanks.status == "conversation"
    assert "cannot be drawn" in line.answer
    assert kind_of(line) == "pie"
    assert excel.result_id in excel.answer


def kind_of(answer: Answer) -> str:
    assert answer.chart is not None
    return str(answer.chart["usermeta"]["text2sql"]["kind"])  # type: ignore[index]


def test_the_sentence_of_the_first_answer_stays_its_own(shop: Path, tmp_path: Path) -> None:
    first, pie = ask_all(
        shop, "Revenue of each customer", "make it a pie chart", memory=str(tmp_path / "m.db")
    )
    assert "Ann" in first.answer
    assert first.result_id != pie.result_id
    assert pie.answer == "The last answer as a pie chart."


def test_a_follow_up_after_another_chart_refers_to_the_question(shop: Path) -> None:
    backend = scripted([REVENUE, REVENUE])

    async def scenario() -> None:
        async with app(shop, backend) as db:
            for question in ("Revenue of each customer", "as a pie chart", "only those in Oslo"):
                await db.ask(question, thread="t")

    asyncio.run(scenario())
    contents = [message.content for message in backend.requests[-1].messages]
    assert "Revenue of each customer" in contents
    assert not any("pie chart" in text for text in contents)


@pytest.mark.parametrize("question", ["make it a pie chart", "导出到Excel", "explain this query", "确定吗"])
def test_a_request_without_an_earlier_answer_says_so(shop: Path, question: str) -> None:
    [answer] = ask_all(shop, question, replies=())
    assert answer.status == "conversation"
    assert "yet" in answer.answer or "还没有" in answer.answer


def test_the_last_query_is_explained_in_plain_words(shop: Path) -> None:
    _, english, chinese = ask_all(shop, "Revenue of each customer", "explain this query", "解释一下这个查询")
    assert "the total of orders.total for each customers.name" in english.answer
    assert "每个 customers.name" in chinese.answer
    assert "orders.total 的总和" in chinese.answer


def test_an_answer_is_repeated_in_another_language(shop: Path) -> None:
    first, chinese, english = ask_all(
        shop, "Revenue of each customer", "say that again in Chinese", "用英语再说一遍"
    )
    assert chinese.rows == english.rows == first.rows
    assert "每个 customers.name" in chinese.answer
    assert "for each customers.name" in english.answer


def test_a_request_to_remove_an_answer_is_no_request_to_change_data(shop: Path) -> None:
    _, english, chinese, data = ask_all(
        shop,
        "Revenue of each customer",
        "delete the last answer",
        "把刚才的问题删掉",
        "delete the last order",
    )
    assert (english.status, chinese.status, data.status) == ("conversation", "conversation", "refused")
    assert "/undo" in english.answer
    assert "/undo" in chinese.answer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't want the pie chart", ("chart", "table")),
        ("could it rather be bars?", ("chart", "bar")),
        ("can it be a bar chart instead of a pie?", ("chart", "bar")),
        ("why is this a pie chart?", ("explain", "")),
        ("what columns does 城市 have?", ("describe", "城市")),
    ],
)
def test_what_a_message_names_is_recognized(text: str, expected: tuple[str, str]) -> None:
    talk = talk_of(text, SCHEMAS["ride_apps"])
    assert talk is not None
    assert (talk.kind, talk.detail) == expected


@pytest.mark.parametrize(
    ("question", "words", "choice"),
    [
        (
            "Why did orders fall in 2025?",
            "cannot judge why",
            "change by month in 2025?",
        ),
        ("should we drop the gold level?", "cannot give advice", "customers"),
        ("2025年订单为什么下降？", "无法判断原因", "2025年每月的销售额是多少？"),
        ("我们要不要砍掉金牌客户？", "无法给出建议", "每个等级有多少客户？"),
    ],
)
def test_causes_and_advice_are_not_judged_but_questions_are_offered(
    shop: Path, question: str, words: str, choice: str
) -> None:
    [answer] = ask_all(shop, question, replies=())
    assert (answer.status, answer.sql) == ("conversation", "")
    assert words in answer.answer
    assert any(choice in option.question for option in answer.choices)


def test_a_cause_that_the_database_has_is_a_question_about_the_data() -> None:
    tables = {"returns": "id order_id reason"}
    known = build(
        Catalog(
            "sqlite",
            "main",
            tuple(Table(t, tuple(Column(c, "TEXT") for c in cs.split())) for t, cs in tables.items()),
            "f",
        )
    )
    assert talk_of("Why did customers return their orders?", known) is None


def test_the_rows_of_the_last_answer_are_sorted_without_a_query(shop: Path) -> None:
    first, by_name, down, by_city = ask_all(
        shop, "Revenue of each customer", "sort it by name", "按 revenue 倒序排列", "sort it by city",
        replies=(REVENUE, REVENUE),
    )  # fmt: skip
    assert by_name.rows == tuple(sorted(first.rows))
    assert down.rows == tuple(sorted(first.rows, key=lambda row: float(str(row[1])), reverse=True))
    assert (by_name.sql, by_name.receipt.usage.calls, down.receipt.usage.calls) == (first.sql, 0, 0)
    assert by_city.receipt.usage.calls > 0  # the rows have no such column: a query is needed


@pytest.mark.parametrize("question", ["how many rows are in orders?", "orders表有多少行？"])
def test_the_number_of_rows_of_a_table_comes_from_the_catalog(shop: Path, question: str) -> None:
    [answer] = ask_all(shop, question, replies=())
    assert (answer.status, answer.sql) == ("conversation", "")
    assert "3" in answer.answer


@pytest.mark.parametrize(
    "question",
    ["who won the battle of waterloo", "lkjh poiu", "recommend me a hairdresser", "龘龘龘", "附近的理发店"],
)
def test_a_message_that_names_nothing_of_the_database_runs_no_query(shop: Path, question: str) -> None:
    [answer] = ask_all(shop, question, replies=())
    assert answer.status in ("conversation", "no_data")
    assert answer.sql == ""


def test_an_example_can_be_picked_by_its_number(shop: Path) -> None:
    examples, answer = ask_all(shop, "what questions can I ask?", "1")
    assert len(examples.choices) >= 2
    assert answer.question == examples.choices[0].question
    assert answer.status == "answered"


def test_changing_the_chart_is_no_request_to_change_data(shop: Path) -> None:
    _, english, chinese = ask_all(
        shop, "Revenue of each customer", "change it to a bar chart", "把它改成饼图"
    )
    assert (kind_of(english), kind_of(chinese)) == ("bar", "pie")


def test_a_hosted_model_greets_in_its_own_words_but_tables_come_from_the_catalog(shop: Path) -> None:
    hello, tables = ask_all(shop, "hello", "which tables are there?", replies=["Good day."], can=HOSTED)
    assert hello.answer == "Good day."
    assert "customers" in tables.answer
    assert tables.receipt.usage.calls == 0


def test_tables_hidden_by_a_policy_are_not_mentioned(shop: Path) -> None:
    shown = Policy(
        {"customers": ("id", "name"), "orders": ("id", "total")},
        rows={"orders": (RowRule("status = 'paid'"),)},
    )

    async def scenario() -> str:
        async with app(shop, scripted([])) as db:
            seen = db.seen_by(shown)
            questions = (
                "which tables are there?",
                "show me the schema",
                "describe orders",
                "what can I ask?",
            )
            return "\n".join([(await seen.ask(question)).answer for question in questions])

    text = asyncio.run(scenario())
    assert "customers" in text
    for hidden in ("- cities", "city_id", "level", "status", "ordered_on"):
        assert hidden not in text


def unsure(sql: str, logprob: float) -> Reply:
    """A reply of a small model, with probabilities."""
    return Reply("scripted", (Candidate(sql, tokens=(Token(sql, logprob),)),), Usage(calls=1))


def test_a_doubtful_answer_says_how_the_question_was_understood(shop: Path) -> None:
    [answer] = ask_all(shop, "Growth of revenue last quarter", replies=[unsure(REVENUE, -0.3)])
    assert (answer.status, answer.receipt.certainty) == ("answered", "not_sure")
    assert "I took the question for: the total of orders.total for each customers.name" in answer.answer
    assert answer.receipt.taken_for


def test_a_doubtful_answer_says_which_words_match_nothing(shop: Path) -> None:
    sql = "SELECT SUM(orders.total) FROM orders JOIN customers ON orders.customer_id = customers.id"
    [answer] = ask_all(shop, "客户的工资是多少？", replies=[unsure(sql, -0.9)])
    assert (answer.status, answer.receipt.certainty) == ("answered", "not_sure")
    assert "没有与“工资”匹配的内容" in answer.answer
    assert "我把问题理解为" in answer.answer


def test_a_doubtful_query_for_a_question_that_names_nothing_here_is_declined(shop: Path) -> None:
    [answer] = ask_all(shop, "龘龘有多少？", replies=[unsure("SELECT COUNT(*) FROM cities", -2.0)])
    assert (answer.status, answer.rows, answer.sql) == ("no_data", (), "")
    assert "龘龘" in answer.answer


def test_a_plain_answer_is_sure_and_says_no_more(shop: Path) -> None:
    [answer] = ask_all(
        shop, "How many customers are there?", replies=[unsure("SELECT COUNT(*) FROM customers", -0.01)]
    )
    assert answer.receipt.certainty == "sure"
    assert "took" not in answer.answer
    assert answer.receipt.taken_for == "the number of rows, from customers"


@pytest.mark.parametrize(
    "question", ["How many?", "by month", "only Oslo", "customers", "多少", "按月", "上海"]
)
def test_one_word_about_data_keeps_a_message_a_question(question: str) -> None:
    """Whatever else is said before or after it."""
    for _, text in (*cases("en.txt"), *cases("zh.txt")):
        for message in (f"{question.rstrip('?')} {text}", f"{text} {question}"):
            assert not lexicon().covers(message.casefold()), message


@pytest.mark.parametrize(
    ("first", "complaint", "words"),
    [
        ("Revenue of each customer", "that's not what I asked", "orders.total"),
        ("Revenue of each customer", "这不是我要的", "orders.total"),
        ("hello", "you got it wrong", "Ask again"),
    ],
)
def test_a_complaint_says_how_the_question_was_understood(
    shop: Path, first: str, complaint: str, words: str
) -> None:
    _, answer = ask_all(shop, first, complaint)
    assert answer.status == "conversation"
    assert words in answer.answer
