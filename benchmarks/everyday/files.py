"""A folder of exports: what people open in a spreadsheet.

`sales_2026.csv` has month-first dates and money with a dollar sign, `expenses.csv` semicolons and decimal
commas, `门店日报.csv` the encoding GBK and dates such as 2026/3/5, `staff.xlsx` two sheets. Expected rows are
computed from the same values with types (`tables`).
"""

import csv
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from pathlib import Path

from openpyxl import Workbook  # type: ignore[import-untyped]

from everyday.chance import Chance
from everyday.tables import Row, Tables

SCHEMA = """
CREATE TABLE sales (
  order_no VARCHAR, day DATE, region VARCHAR, rep VARCHAR, product VARCHAR, units INTEGER,
  revenue DECIMAL(12, 2), commission_pct DECIMAL(4, 1));
CREATE TABLE expenses (
  day DATE, department VARCHAR, category VARCHAR, amount DECIMAL(12, 2), approved VARCHAR);
CREATE TABLE daily (
  day DATE, store VARCHAR, visitors INTEGER, sales DECIMAL(12, 2), staff_on_duty INTEGER);
CREATE TABLE staff (name VARCHAR, region VARCHAR, hired DATE, monthly_salary DECIMAL(10, 2));
CREATE TABLE targets (region VARCHAR, quarter VARCHAR, target DECIMAL(12, 2));
"""

REPS = {
    "Dana Cole": "West",
    "Marcus Lee": "East",
    "Priya Nair": "West",
    "Sam Ortiz": "South",
    "Nora Kim": "East",
    "Leo Grant": "North",
}
PRODUCTS = (
    ("Standing Desk", 489.0),
    ("Office Chair", 259.5),
    ("Monitor Arm", 119.99),
    ("Desk Mat", 34.5),
    ("Webcam", 89.0),
)
DEPARTMENTS = ("Vertrieb", "Marketing", "Entwicklung", "Verwaltung")
KINDS = (
    ("Reise", 40.0, 1800.0),
    ("Software", 15.0, 900.0),
    ("Büro", 8.0, 350.0),
    ("Schulung", 120.0, 2400.0),
)
STORES = (("人民路店", 420), ("西湖店", 610), ("火车站店", 780), ("大学城店", 350))
END = date(2026, 11, 18)


@cache
def tables() -> Tables:
    """The rows with dates and numbers, sorted by date."""
    chance = Chance(2718)
    sales: list[Row] = []
    for at, day in enumerate(sorted(chance.day(date(2026, 1, 2), END) for _ in range(640))):
        rep = chance.pick(list(REPS))
        product, price = chance.pick(PRODUCTS)
        units = chance.weighted([(1, 4.0), (2, 3.0), (4, 2.0), (12, 0.7)])
        revenue = round(units * price * (0.9 if units > 3 else 1.0), 2)
        percent = chance.pick((2.5, 3.0, 4.0))
        sales.append((f"A-{at + 1:04d}", day, REPS[rep], rep, product, units, revenue, percent))
    expenses: list[Row] = []
    for day in sorted(chance.day(date(2026, 1, 5), END) for _ in range(320)):
        kind, low, high = chance.pick(KINDS)
        approved = chance.weighted([("ja", 8.0), ("nein", 1.0), ("", 1.0)])
        expenses.append((day, chance.pick(DEPARTMENTS), kind, chance.amount(low, high), approved))
    daily: list[Row] = []
    for number in range(date(2026, 8, 1).toordinal(), END.toordinal() + 1):
        day = date.fromordinal(number)
        for store, usual in STORES:
            if store == "大学城店" and day.month == 8:
                continue  # closed in summer
            visitors = int(usual * (0.6 + 0.5 * chance.part()) * (1.4 if day.weekday() > 4 else 1.0))
            daily.append(
                (day, store, visitors, round(visitors * chance.amount(9, 16), 2), chance.number(3, 9))
            )
    staff: list[Row] = [
        (rep, region, chance.day(date(2016, 2, 1), date(2026, 3, 31)), chance.amount(3800, 6900, 10))
        for rep, region in REPS.items()
    ]
    targets: list[Row] = [
        (region, f"Q{quarter}", float(chance.number(12, 45) * 1000))
        for region in ("East", "North", "South", "West")
        for quarter in (1, 2, 3, 4)
    ]
    rows = {"sales": sales, "expenses": expenses, "daily": daily, "staff": staff, "targets": targets}
    return Tables(SCHEMA, rows)


def write(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows = tables().rows
    _csv(
        folder / "sales_2026.csv",
        ("Order No", "Date", "Region", "Sales Rep", "Product", "Units", "Revenue", "Commission %"),
        (
            (no, f"{day:%m/%d/%Y}", region, rep, product, units, f"${revenue:,.2f}", f"{percent}%")
            for no, day, region, rep, product, units, revenue, percent in rows["sales"]
        ),
    )
    _csv(
        folder / "expenses.csv",
        ("Datum", "Abteilung", "Kategorie", "Betrag", "Genehmigt"),
        (
            (f"{day:%d.%m.%Y}", department, kind, _german(f"{amount:,.2f}"), approved)
            for day, department, kind, amount, approved in rows["expenses"]
        ),
        delimiter=";",
    )
    _csv(
        folder / "门店日报.csv",
        ("日期", "门店", "客流", "销售额", "当班人数"),
        (
            (_short_date(day), store, visitors, f"¥{sales:,.2f}", on_duty)
            for day, store, visitors, sales, on_duty in rows["daily"]
        ),
        encoding="gb18030",
    )
    book = Workbook()
    book.remove(book.active)
    for title, head, name in (
        ("Staff", ("Name", "Region", "Hired", "Monthly Salary"), "staff"),
        ("Targets", ("Region", "Quarter", "Target"), "targets"),
    ):
        sheet = book.create_sheet(title)
        for row in (head, *rows[name]):
            sheet.append(row)
    book.save(folder / "staff.xlsx")
    return folder


def _csv(
    path: Path, head: Sequence[str], rows: Iterable[Row], *, delimiter: str = ",", encoding: str = "utf-8"
) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(head)
        writer.writerows(rows)


def _german(amount: str) -> str:
    return amount.replace(",", " ").replace(".", ",").replace(" ", ".")


def _short_date(day: object) -> str:
    assert isinstance(day, date)
    return f"{day.year}/{day.month}/{day.day}"
