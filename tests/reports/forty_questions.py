"""Forty questions in two languages about the demo shop, and a scripted model that answers them."""

import asyncio
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.errors import ModelUnavailable
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.llm.scripted import ScriptedReply
from text2sql.reports.build import Report
from text2sql.reports.outcomes import ReportOptions
from text2sql.reports.schedule import job_of, run_job
from text2sql.types import ModelProfile, ModelRequest

TODAY = date(2025, 11, 16)
HOSTED = ModelProfile(context=128_000, structured_output=True)

ENGLISH = {
    "How many customers are there?": "SELECT count(*) AS customers FROM customers",
    "How many orders are there?": "SELECT count(*) AS orders FROM orders",
    "How many stores are there?": "SELECT count(*) FROM stores",
    "How many employees are there?": "SELECT count(*) FROM employees",
    "How many suppliers are there?": "SELECT count(*) FROM suppliers",
    "How many products are discontinued?": "SELECT count(*) FROM products WHERE discontinued = 1",
    "the highest product price": "SELECT max(price) FROM products",
    "the average salary of employees": "SELECT avg(salary) FROM employees",
    "the names of the regions": "SELECT name FROM regions ORDER BY id",
    "cities by population": "SELECT name, population FROM cities ORDER BY population DESC",
    "orders by channel": "SELECT channel, count(*) AS orders FROM orders GROUP BY channel ORDER BY channel",
    "orders by status": "SELECT status, count(*) AS orders FROM orders GROUP BY status ORDER BY status",
    "the number of payments": "SELECT count(*) FROM payments",
    "payments by method": "SELECT method, count(*) AS n FROM payments GROUP BY method ORDER BY method",
    "the number of shipments": "SELECT count(*) FROM shipments",
    "the number of reviews": "SELECT count(*) FROM reviews",
    "the average review rating": "SELECT avg(rating) FROM reviews",
    "stores by city": "SELECT c.name, count(*) FROM stores JOIN cities c ON c.id = city_id GROUP BY 1",
}
CHINESE = {
    "有多少个产品？": "SELECT count(*) FROM products",
    "有多少个分类？": "SELECT count(*) FROM categories",
    "有多少退货？": "SELECT count(*) FROM returns",
    "各地区的城市数": "SELECT r.name_zh, count(*) FROM cities JOIN regions r ON r.id = region_id GROUP BY 1",
    "各渠道订单数": "SELECT channel, count(*) FROM orders GROUP BY channel ORDER BY channel",
    "各等级客户数": "SELECT level, count(*) FROM customers GROUP BY level ORDER BY level",
    "库存总量": "SELECT sum(stock) FROM products",
    "最低的产品价格": "SELECT min(price) FROM products",
    "员工人数最多的职位": "SELECT title FROM employees GROUP BY title ORDER BY count(*) DESC, title LIMIT 1",
    "各支付方式的金额": "SELECT method, round(sum(amount), 2) FROM payments GROUP BY method ORDER BY method",
    "供应商的平均评分": "SELECT round(avg(rating), 3) FROM suppliers",
    "城市名称": "SELECT name_zh FROM cities ORDER BY id",
    "门店总面积": "SELECT round(sum(floor_area), 1) FROM stores",
    "评论最多的评分": "SELECT rating FROM reviews GROUP BY rating ORDER BY count(*) DESC LIMIT 1",
    "女性客户数": "SELECT count(*) FROM customers WHERE gender = 'F'",
}
# question → the first query of the model, and its repair
REPAIRED = {
    "the number of categories with a parent": (
        "SELECT count(parent) FROM categories",  # refused by the guard
        "SELECT count(parent_id) FROM categories",
    ),
    "退货最多的原因": (
        "SELECT reason FROM returns GROUP BY reason ORDER BY count(count(*)) DESC LIMIT 1",  # SQLite fails
        "SELECT reason FROM returns GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 1",
    ),
}
HOPELESS = {
    "the weather on Mars": ("Nothing here is about the weather.", "There is none."),  # the model decides
    "the customers' nicknames": ("SELECT nickname FROM customers", "SELECT nick FROM customers"),
    "the average of average order counts": (
        "SELECT avg(avg(id)) FROM orders",
        "SELECT sum(avg(id)) FROM orders",
    ),
    "员工的护照号码": ("I cannot see any passport numbers here.", "There are none."),
    "删除所有订单": ("DELETE FROM orders", "DELETE FROM orders"),
}
GOOD = {**ENGLISH, **CHINESE}
FORTY = [*GOOD, *REPAIRED, *HOPELESS]


class Model:
    """Answers by question. `questions` lists those it was sent, in order; repairs are marked with `*`."""

    def __init__(self, more: Mapping[str, str] | None = None) -> None:
        self.known = {**GOOD, **(more or {})}
        self.questions: list[str] = []
        self.backend = ScriptedBackend(last=self.say, profile=HOSTED)

    def say(self, request: ModelRequest) -> ScriptedReply:
        text = request.messages[-1].content
        every = [*self.known, *REPAIRED, *HOPELESS]
        question = max((question for question in every if question in text), key=len, default="")
        if question in self.known:
            self.questions.append(question)
            return self.known[question]
        first, second = (REPAIRED | HOPELESS)[question]
        again = question in self.questions
        self.questions.append(question + "*" * again)
        return second if again else first


def silent() -> ScriptedBackend:
    """An unavailable model."""
    return ScriptedBackend(last=ModelUnavailable("none", "no model"), profile=HOSTED)


def app_of(shop: Path, backend: ScriptedBackend, **settings_values: Any) -> AsyncText2SQL:
    settings = Settings(**{"memory": "none", "requests_per_minute": 0, "values_wait": 0.0, **settings_values})
    return AsyncText2SQL(str(shop), settings=settings, model=AsyncChatModel([backend], settings))


def reported(
    template: Path, shop: Path, backend: ScriptedBackend, out: str = "out.md", **arguments: Any
) -> tuple[Report, bytes]:
    """Run a report as the command does; return the report and the file."""
    options = arguments.pop("options", ReportOptions())
    parameters, today = arguments.pop("parameters", {}), arguments.pop("today", TODAY)

    async def run() -> tuple[Report, bytes]:
        app = app_of(shop, backend, **arguments)
        try:
            job = job_of(template, str(template.parent / out), parameters=parameters)
            report, path = await run_job(job, app, options, today=today)
        finally:
            await app.close()
        return report, path.read_bytes()

    return asyncio.run(run())


def template_of(folder: Path, text: str, name: str = "report.md") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
