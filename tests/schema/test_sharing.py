"""What a model may see: personal columns, category values, masked queries and errors."""

import pytest

from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.naming.persons import about_person
from text2sql.schema import Domain, ValueSharing, build, share_values
from text2sql.schema.sharing import ShareValues, is_unique
from text2sql.sql import mask_literals
from text2sql.types import Catalog, Column, Index, ModelProfile, Table

PERSONS = """
customers.name customers.email customers.phone customers.home_address users.login staff.salary
patients.diagnosis people.firstName people.last_name people.ssn employees.birth_date
orders.contact_email orders.shipping_address projects.manager projects.owner_name books.author
museum.director tickets.note visits.visitor orders.customerName 客户.姓名 客户.客户名称 员工.工资
员工.身份证号 会员.手机号 订单.收件人 订单.收货地址 病人.诊断 学生.出生日期 订单.备注 users.QQ
""".split()
THINGS = """
orders.status orders.region products.category customers.level customers.customer_type members.gender
cities.name countries.name products.title stores.city employees.department tickets.priority 订单.状态
商品.类别 会员.会员等级 员工.部门 门店.城市 城市.名称 商品.名称
""".split()


@pytest.mark.parametrize("name", PERSONS)
def test_personal_columns_are_recognized_by_name(name: str) -> None:
    assert about_person(*name.split("."))


@pytest.mark.parametrize("name", THINGS)
def test_columns_about_things_are_not_personal(name: str) -> None:
    assert not about_person(*name.split("."))


def sharing(values: ShareValues) -> ValueSharing:
    customers = Table(
        "customers",
        (Column("name", "text", samples=("Ann", "Bo")), Column("level", "text", samples=("gold", "silver"))),
    )
    orders = Table(
        "orders",
        (
            Column("code", "text", samples=("A1", "A2")),
            Column("region", "enum('North','South')", samples=("North", "South")),
        ),
        indexes=(Index("codes", ("code",), unique=True),),
    )
    known = build(Catalog("sqlite", "main", (customers, orders), "f"))
    domains = [
        Domain("customers", "name", ("Ann", "Bo"), True),
        Domain("customers", "level", ("gold", "silver"), True),
        Domain("orders", "code", ("A1", "A2"), True),
        Domain("orders", "region", ("North", "South"), True),
    ]
    return ValueSharing(values, known.with_values(domains), mask_literals)


def test_of_a_schema_only_category_columns_keep_their_values() -> None:
    shares = sharing("categories")
    tables = shares.schema_context.catalog.tables
    assert shares.columns(tables) == ["customers.level", "orders.region"]
    assert is_unique(tables[1], tables[1].columns[0]), "a value of one row tells of that row"
    assert sharing("none").columns(tables) == []
    assert sharing("none").table(tables[1]).columns[1].type == "enum"
    assert sharing("samples").table(tables[0]) == tables[0]


def test_a_matched_value_is_shown_in_a_category_column_or_as_it_was_typed() -> None:
    typed = "orders of Ann in NORTH"
    shown: list[tuple[str, str, str]] = [
        ("customers", "name", "Ann"),
        ("customers", "name", "Bo"),
        ("orders", "region", "North"),
    ]
    assert [sharing("categories").may_show(*hit, typed) for hit in shown] == [True, False, True]
    assert [sharing("none").may_show(*hit, typed) for hit in shown] == [False, False, False]
    assert [sharing("samples").may_show(*hit, typed) for hit in shown] == [True, True, True]


@pytest.mark.parametrize(
    ("sql", "categories"),
    [
        ("WHERE name = 'Bo'", "WHERE name = '…'"),
        ("WHERE name LIKE '%Ann%'", "WHERE name LIKE '%Ann%'"),
        ("WHERE name = 'O''Brien' AND region = 'North'", "WHERE name = '…' AND region = 'North'"),
        ("strftime('%Y-%m', d) >= '2025-01-01'", "strftime('%Y-%m', d) >= '2025-01-01'"),
        ("date('now', '-3 months')", "date('now', '-3 months')"),
        ("phone = '13900138000'", "phone = '…'"),
        ("name = 'ann'", "name = '…'"),
    ],
)
def test_a_query_is_shown_without_values_of_the_database(sql: str, categories: str) -> None:
    assert sharing("categories").sql(sql, ["What of Ann?"]) == categories
    assert sharing("samples").sql(sql, []) == sql
    assert "North" not in sharing("none").sql(sql, [])


@pytest.mark.parametrize(
    ("kind", "detail", "shown"),
    [
        ("type", "Could not convert string 'Bo' to INT32", ""),
        ("type", "Bad int64 value: Bo", ""),
        ("other", "customer Bo is unknown", ""),
        ("unknown_column", 'column "nam" does not exist', 'column "nam" does not exist'),
        ("unknown_column", "no such column: nam", "no such column: nam"),
        ("syntax", "near \"'Bo'\": syntax error", "near …: syntax error"),
        ("syntax", "it doesn't parse at 'Bo'", "it doesn't parse at …"),
        ("syntax", "unterminated text at 'Bo", "unterminated text at "),
        ("column", "There is no column “nam” in “customers”.", "There is no column “nam” in “customers”."),
    ],
)
def test_an_error_is_shown_without_cell_values(kind: str, detail: str, shown: str) -> None:
    sql = "SELECT nam FROM customers WHERE name = 'Bo'"
    assert sharing("categories").error(kind, detail, sql, ["How many?"]) == shown
    assert sharing("samples").error(kind, detail, sql, []) == detail


def test_the_setting_wins_and_without_one_the_place_of_the_model_decides() -> None:
    assert share_values("hosted", Settings()) == "categories"
    assert share_values("local", Settings()) == "samples"
    assert share_values("hosted", Settings(share_values="samples")) == "samples"
    assert share_values("local", Settings(share_values="none")) == "none"
    assert share_values("local", Settings(share_values="sample")) == "none", "what is unknown permits nothing"


def test_a_local_model_with_a_hosted_fallback_counts_as_hosted() -> None:
    local = ScriptedBackend(profile=ModelProfile(1_000, location="local", size="small"))
    hosted = ScriptedBackend(profile=ModelProfile(1_000))
    assert AsyncChatModel([local], Settings()).profile.location == "local"
    profile = AsyncChatModel([local, hosted], Settings()).profile
    assert (profile.location, profile.size) == ("hosted", "small")
