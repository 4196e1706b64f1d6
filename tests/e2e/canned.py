"""Canned answers of the fake server, selected by a word of the question, and its schema."""

import re
from typing import Any

HOSTILE = (
    "<img src=x onerror=\"document.title='pwned'\">",
    "<script>document.title='pwned'</script>",
    "[click](javascript:document.title='pwned')",
    "</style><style>*{display:none}</style>",
    '=HYPERLINK("http://evil.example")',
    "\u202egnp.exe",
)
SQL = "SELECT channel, COUNT(*) AS orders\nFROM orders\nGROUP BY channel\nORDER BY orders DESC\nLIMIT 1000"
CHANNELS = [["online", 16_021], ["store", 11_204], ["phone", 4_775]]
SENTENCES = {
    "en": "Online has the most orders: 16,021, half of all.",
    "zh": "线上渠道的订单最多：16,021 单，占一半。",
}
KINDS = ["bar", "pie", "line"]
BIG = 230  # rows that the query of `big` has; the answer carries the first 100


def spec(columns: list[str], rows: list[list[Any]], kind: str) -> dict[str, Any]:
    values = [{"x": row[0], "y": row[1]} for row in rows]
    x = {"field": "x", "type": "nominal", "title": columns[0], "sort": None, "axis": {"labelAngle": 0}}
    y = {"field": "y", "type": "quantitative", "title": columns[1]}
    items = [{"field": "x", "title": columns[0]}, {"field": "y", "title": columns[1]}]
    encoding: dict[str, Any] = {"x": x, "y": y, "tooltip": items}
    mark: Any = {"type": kind}
    if kind == "pie":
        mark, encoding = {"type": "arc"}, {"theta": y, "color": x | {"axis": None}, "tooltip": items}
        encoding["color"].pop("axis")
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
        "width": {"step": 64} if kind == "bar" else 560,
        "height": 260,
        "usermeta": {"text2sql": {"kind": kind, "kinds": KINDS}, "embedOptions": {"actions": True}},
    }


def receipt(**facts: Any) -> dict[str, Any]:
    return {
        "sql": SQL,
        "dialect": "sqlite",
        "tables": ["orders"],
        "values": [{"said": "online", "value": "online", "table": "orders", "column": "channel"}],
        "assumptions": ["every status counts"],
        "checks": ["guard", "columns", "explain", "ran"],
        "repairs": ["limit"],
        "classification": {"kind": "data", "confidence": 0.97, "reason": "names a table", "method": "rules"},
        "path": ["classifier", "schema", "generator", "validator", "executor", "interpreter", "chart"],
        "errors": [],
        "attempts": 1,
        "confidence": 0.91,
        "model": "demo model",
        "usage": {"calls": 1, "prompt_tokens": 1537, "cached_tokens": 1490, "completion_tokens": 41},
        "seconds": {"classifier": 0.01, "schema": 0.06, "generator": 4.12, "validator": 0.04,
                    "executor": 0.03, "interpreter": 0.01, "chart": 0.02},
        "statements": 2,
        "mode": "hybrid",
        "preset": "default",
    } | facts  # fmt: skip


def answer(question: str, sentence: str, status: str = "answered", **facts: Any) -> dict[str, Any]:
    return {
        "status": status,
        "question": question,
        "answer": sentence,
        "sql": "",
        "columns": [],
        "rows": [],
        "row_count": 0,
        "truncated": False,
        "chart": None,
        "receipt": receipt(),
        "error": None,
        "choices": [],
        "suggestions": [],
        "result_id": "",
        "thread_id": "t-1",
    } | facts


def table(columns: list[str], rows: list[list[Any]], **facts: Any) -> dict[str, Any]:
    return {"columns": columns, "rows": rows, "row_count": len(rows), "sql": SQL, "result_id": "r-1"} | facts


def big_rows() -> list[list[Any]]:
    return [[at, f"customer {at}", round(at * 3.7 % 100, 2)] for at in range(1, BIG + 1)]


def numbers() -> tuple[list[str], list[list[Any]]]:
    """Twelve months: ids, years, sums with floating-point noise, exact decimals as text, a date."""
    columns = ["customer_id", "year", "total", "orders", "price", "rate", "day", "销售额"]
    row = [12_345, 2025, 37.620000000000005, 16_021, "1234.5000", 1 / 3, "2025-01-31", 39.6]
    return columns, [row, *[[at, 2025, 39.6, at, "2.00", 0.5, "2025-02-28", None] for at in range(1, 12)]]


EXAMPLES = {
    "en": ["How did revenue change by month?", "Which customers have no orders?"],
    "zh": ["每月的销售额是多少？", "哪些客户没有订单？"],
}
NEXT = {"en": ["By month", "What share is each?"], "zh": ["按月看", "占比是多少？"]}
LONG_WORD = "Donaudampfschifffahrtsgesellschaft" * 12
LONG_SQL = "SELECT " + ", ".join(f"quite_a_long_column_name_{at}" for at in range(60)) + f" FROM {'x' * 300}"


def chosen(question: str, lang: str) -> dict[str, Any]:
    """The answer that matches a word of the question."""
    zh = lang == "zh"
    if "hostile" in question:
        rows: list[list[Any]] = [[item, at] for at, item in enumerate(HOSTILE)]
        rows.append([None, 9_007_199_254_740_993])
        hostile = f"{HOSTILE[0]} **bold** {HOSTILE[2]}"
        columns = [*HOSTILE[:2]]
        unsafe_receipt = receipt(model=HOSTILE[1], assumptions=[*HOSTILE], tables=[HOSTILE[0]])
        result = table(columns, rows, sql=f"SELECT '{HOSTILE[0]}'")
        chart = spec(columns, rows[:6], "bar")
        return answer(question, hostile, chart=chart, receipt=unsafe_receipt, **result)
    if "clarify" in question or "收入" in question:
        text = "您说的“收入”是指哪一个？" if zh else "Which revenue do you mean?"
        options = [
            ("payments.amount", "the sum of payments.amount"),
            ("order_items", "quantity × unit_price of order_items"),
        ]
        return answer(question, text, "clarify", choices=[{"label": a, "question": b} for a, b in options])
    if "delete" in question or "删掉" in question:
        text = "将删除 412 行。" if zh else "412 rows would be deleted."
        return answer(question, text, "confirm", sql="DELETE FROM orders WHERE status = 'cancelled'")
    if "drop" in question:
        text = (
            "只允许读取数据，DROP 会修改数据库。"
            if zh
            else "Only reading is allowed, and DROP changes the database."
        )
        problem = {
            "kind": "guard.statement",
            "message": text,
            "hint": "只能提问。" if zh else "Ask for data instead.",
        }
        return answer(question, text, "refused", error=problem, sql="DROP TABLE orders")
    if "weather" in question:
        return answer(
            question,
            "这个数据库里没有天气数据。" if zh else "Nothing in this database is about the weather.",
            "no_data",
        )
    if "fail" in question:
        text = "模型没有回应。" if zh else "The model did not answer."
        return answer(
            question, text, "failed", error={"kind": "timeout", "message": text, "hint": "Try again."}
        )
    if "hello" in question:
        return answer(question, "您好！" if zh else "Hello! Ask me about the orders.", "conversation")
    if "certain" in question:
        how = "not_sure" if "not" in question else "probably" if "probably" in question else "sure"
        return answer(question, SENTENCES["zh" if zh else "en"], receipt=receipt(certainty=how))
    if "numbers" in question:
        return answer(question, "12 rows.", **table(*numbers()))
    if "wide" in question:
        wide = table([f"quite_a_long_column_name_{at}" for at in range(40)], [list(range(40))] * 30)
        return answer(question, LONG_WORD, **wide | {"sql": LONG_SQL})
    if "big" in question:
        rows = big_rows()[:100]
        text = "共有 230 位客户。" if zh else "There are 230 customers."
        return answer(
            question, text, truncated=True, **table(["id", "name", "score"], rows, result_id="r-big")
        )
    text = SENTENCES["zh" if zh else "en"]
    columns = ["channel", "orders"]
    following = {"suggestions": NEXT["zh" if zh else "en"], **table(columns, CHANNELS)}
    return answer(question, text, chart=spec(columns, CHANNELS, "bar"), **following)


def thread(name: str) -> dict[str, Any]:
    """A thread: an answer with rows and chart, one with expired rows, and small talk."""
    columns = ["channel", "orders"]
    first = answer("How many orders by channel?", "Online leads.", receipt=receipt(certainty="sure"))
    first |= {"chart": spec(columns, CHANNELS, "bar"), **table(columns, CHANNELS)}
    expired = answer("And by status?", "3 rows.", columns=["status", "orders"], row_count=3, sql=SQL)
    talk = answer("And hello?", "Hello!", "conversation", receipt=receipt(sql="", checks=[], repairs=[]))
    source = "warehouse" if name == "t-2" else "shop"
    return {"thread_id": name, "source": source, "turns": [first, expired, talk]}


def story(question: str, finished: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    items: list[tuple[str, dict[str, Any]]] = []
    for stage in ("classifier", "schema", "generator", "validator", "executor", "interpreter"):
        items.append(("stage_started", {"stage": stage}))
        if stage == "generator":
            items += [
                ("sql_token", {"text": piece})
                for piece in re.findall(r"\S+\s*", finished["sql"] or "SELECT 1")
            ]
        if stage == "validator" and "mend" in question:
            items.append(("checked", {"check": "columns", "passed": False, "detail": "no column chanel"}))
        if stage == "executor" and finished["rows"]:
            rows_event = {
                "sql": SQL,
                "columns": finished["columns"],
                "rows": finished["rows"],
                "truncated": False,
            }
            items.append(("rows_found", rows_event))
        items.append(("stage_ended", {"stage": stage, "seconds": 0.1}))
    if "warn" in question:
        items.append(("warned", {"message": HOSTILE[0]}))
    return [*items, ("finished", {"answer": finished})]


def schema() -> dict[str, Any]:
    def column(name: str, kind: str, *samples: str, comment: str = "") -> dict[str, Any]:
        return {"name": name, "type": kind, "nullable": True, "comment": comment, "samples": list(samples)}

    def table(name: str, rows: int, columns: list[dict[str, Any]], **facts: Any) -> dict[str, Any]:
        key = [columns[0]["name"]]
        base = {"schema": "", "name": name, "kind": "table", "comment": "", "rows": rows, "columns": columns}
        return base | {"primary_key": key, "foreign_keys": [], "indexes": []} | facts

    refers = {"columns": ["customer_id"], "schema": "", "table": "customers", "referred": ["id"]}
    tables = [
        table("orders", 32_000, [column("id", "INTEGER"), column("customer_id", "INTEGER"),
            column("ordered_on", "DATE"), column("channel", "TEXT", "online", "store", "phone"),
            column("status", "TEXT", "paid", "open")], foreign_keys=[refers], comment="one row an order"),
        table("customers", 4_000, [column("id", "INTEGER"), column("name", "TEXT", "Ann", "王芳"),
            column("level", "TEXT", "gold", "silver", comment="会员等级")]),
        table("products", 240, [column("id", "INTEGER"), column("name", "TEXT"), column("price", "NUMERIC")]),
        table("payments", 30_000, [column("id", "INTEGER"), column("method", "TEXT", "card"),
            column("amount", "NUMERIC"), column("paid_on", "DATE")]),
        table("best_sellers", 20, [column("product", "TEXT"), column("sold", "INTEGER")], kind="view"),
        table(HOSTILE[0], 1, [column(HOSTILE[1], "TEXT", HOSTILE[3], comment=HOSTILE[2])]),
    ]  # fmt: skip
    return {"dialect": "sqlite", "default_schema": "main", "fingerprint": "f", "tables": tables}
