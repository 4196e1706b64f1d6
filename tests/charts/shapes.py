"""Twelve typical results in both languages, which docs/charts.md shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, sin

from text2sql.i18n import Language
from text2sql.types import QueryResult, ResultColumn, Value


@dataclass(frozen=True)
class Shape:
    name: str
    kind: str  # that is chosen
    columns: Mapping[Language, tuple[str, ...]]
    rows: Mapping[Language, tuple[tuple[Value, ...], ...]]
    questions: Mapping[Language, str]

    def result(self, lang: Language) -> QueryResult:
        columns = tuple(ResultColumn(name, "") for name in self.columns[lang])
        return QueryResult(columns, self.rows[lang])


Rows = Sequence[Sequence[Value]]


def _shape(name: str, kind: str, en: tuple[str, str, Rows], zh: tuple[str, str, Rows | None]) -> Shape:
    english, chinese = en[2], en[2] if zh[2] is None else zh[2]
    return Shape(
        name,
        kind,
        {"en": tuple(en[1].split(", ")), "zh": tuple(zh[1].split("、"))},
        {"en": tuple(map(tuple, english)), "zh": tuple(map(tuple, chinese))},
        {"en": en[0], "zh": zh[0]},
    )


_CITIES = (
    ("Shanghai", "上海"),
    ("Beijing", "北京"),
    ("Shenzhen", "深圳"),
    ("Guangzhou", "广州"),
    ("Chengdu", "成都"),
    ("Hangzhou", "杭州"),
    ("Wuhan", "武汉"),
    ("Xi'an", "西安"),
    ("Nanjing", "南京"),
    ("Suzhou", "苏州"),
    ("Qingdao", "青岛"),
    ("Harbin", "哈尔滨"),
)
_CHANNELS = (("web", "网站"), ("app", "手机应用"), ("store", "门店"))
_PRODUCTS = (
    (
        "Stainless steel vacuum flask with a bamboo lid, 500 ml, matt black",
        "不锈钢真空保温杯竹盖款五百毫升磨砂黑",
    ),
    ("Noise-cancelling headphones (over-ear, wireless, 40 h)", "头戴式无线主动降噪耳机四十小时长续航"),
    ("Desk lamp", "台灯"),
    ("Ergonomic office chair with adjustable lumbar support and armrests", "可调节腰托扶手人体工学办公椅"),
    ("Mechanical keyboard <b>87 keys</b>", "机械键盘 <b>87 键</b> 红轴"),
    ("Yoga mat, non-slip, 183 × 61 cm", "防滑加厚瑜伽垫 183 × 61 厘米"),
)
_MONTHS = [f"2025-{month:02}" for month in range(1, 13)]
_DAYS = ("Mon Tue Wed Thu Fri Sat Sun".split(), [f"周{day}" for day in "一二三四五六日"])


def _wave(at: int, size: float) -> float:
    return round(size * (1.2 + sin(at / 2) * 0.4 + cos(at) * 0.2 + at * 0.05))


def _both(pairs: Sequence[tuple[str, str]], numbers: Sequence[Value]) -> tuple[Rows, Rows]:
    rows = list(zip(pairs, numbers, strict=True))
    return [(item[0], number) for item, number in rows], [(item[1], number) for item, number in rows]


_by_city = _both(_CITIES, [9120, 8240, 6110, 5980, 4400, 4350, 3900, 2750, 2600, 2400, 1800, 950])
_by_product = _both(_PRODUCTS, [18230.5, 15999, 12040, 9870.25, 4310, None])
_change = _both(_CITIES[:8], [12.5, -3.2, 8.1, -14.7, 0, 5.5, None, -0.8])
_METHODS = (("credit card", "信用卡"), ("Alipay", "支付宝"), ("WeChat Pay", "微信支付"), ("cash", "现金"))
_parts = _both(_METHODS, [3120, 5480, 4900, 460])

_customers = (
    [[f"Customer {at:03}", round(90_000 / (at + 3) ** 0.8, 2)] for at in range(500)],
    [[f"客户{at:03}号", round(9_000_000 / (at + 3) ** 0.8, 2)] for at in range(500)],
)
_by_month: Rows = [[month, None if at == 7 else _wave(at, 120_000)] for at, month in enumerate(_MONTHS)]
_products: Rows = [
    [round(5 + at * 1.7 + at * 37 % 23, 2), round(4_000 / (at + 8) + at * 53 % 90)] for at in range(140)
]


def _crossed(
    left: Sequence[tuple[str, str]], up: Sequence[tuple[str, str]], sizes: tuple[int, int, int]
) -> tuple[Rows, Rows]:
    start, less, turn = sizes
    rows = [
        (item, other, _wave(at + turn * n, start - less * n))
        for at, item in enumerate(left)
        for n, other in enumerate(up)
    ]
    return [(x[0], y[0], z) for x, y, z in rows], [(x[1], y[1], z) for x, y, z in rows]


_month_channel = _crossed([(month, month) for month in _MONTHS], _CHANNELS, (900, 250, 3))
_city_channel = _crossed(_CITIES[:6], _CHANNELS, (800, 200, 2))
_city_day = _crossed(_CITIES, list(zip(*_DAYS, strict=True)), (400, 0, 1))

SHAPES = (
    _shape(
        "value",
        "value",
        ("How many orders are there?", "orders", [[32_418]]),
        ("一共有多少订单？", "订单数", None),
    ),
    _shape(
        "one-category",
        "bar",
        ("Orders of the city with most, as a bar chart", "city, orders", [["Shanghai", 9_120]]),
        ("订单最多的城市，用柱状图", "城市、订单数", [["上海", 9_120]]),
    ),
    _shape(
        "twelve-categories",
        "bar",
        ("How many orders are there in each city?", "city, orders", _by_city[0]),
        ("每个城市有多少订单？", "城市、订单数", _by_city[1]),
    ),
    _shape(
        "five-hundred-categories",
        "bar",
        ("Revenue by customer", "customer, revenue", _customers[0]),
        ("每个客户的销售额", "客户、销售额", _customers[1]),
    ),
    _shape(
        "long-labels",
        "bar",
        ("Which products sold best, and which not at all?", "product, revenue", _by_product[0]),
        ("哪些商品卖得最好？哪些完全没有销量？", "商品、销售额", _by_product[1]),
    ),
    _shape(
        "months",
        "line",
        ("Revenue by month in 2025", "month, revenue", _by_month),
        ("2025年每个月的销售额", "月份、销售额", None),
    ),
    _shape(
        "series",
        "line",
        ("Orders by month and channel", "month, channel, orders", _month_channel[0]),
        ("每个月各渠道的订单数", "月份、渠道、订单数", _month_channel[1]),
    ),
    _shape(
        "two-categories",
        "grouped",
        ("Orders by city and channel", "city, channel, orders", _city_channel[0]),
        ("各城市各渠道的订单数", "城市、渠道、订单数", _city_channel[1]),
    ),
    _shape(
        "heat-map",
        "heatmap",
        ("Average basket by weekday and city", "city, weekday, average basket", _city_day[0]),
        ("各城市每天的平均客单价", "城市、星期、平均客单价", _city_day[1]),
    ),
    _shape(
        "negatives",
        "bar",
        ("Change against last year, in percent, by city", "city, change", _change[0]),
        ("各城市与去年相比的变化（百分点）", "城市、变化", _change[1]),
    ),
    _shape(
        "two-numbers",
        "scatter",
        ("Price and units sold of every product", "price, units sold", _products),
        ("每个商品的价格和销量", "价格、销量", None),
    ),
    _shape(
        "shares",
        "pie",
        ("What share of the payments has each method?", "method, payments", _parts[0]),
        ("各支付方式的占比是多少？", "支付方式、支付笔数", _parts[1]),
    ),
)
