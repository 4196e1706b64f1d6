"""Result pages in a stable order, safe export files, and charts."""

import asyncio
import csv
import io
import json
import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import httpx
import openpyxl  # type: ignore[import-untyped]
import pytest

from server.serving import Served, listening, make_shop, scripted, served, until

MANY = """
CREATE TABLE cats (id INTEGER PRIMARY KEY, grp INTEGER, name TEXT);
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2503)
INSERT INTO cats SELECT x, x % 7, CASE WHEN x % 10 = 0 THEN NULL ELSE 'cat ' || (x % 50) END FROM c;
"""
TYPES = """
CREATE TABLE things (n INTEGER, x REAL, day DATE, moment TIMESTAMP, name TEXT, big INTEGER, old DATE);
INSERT INTO things VALUES
  (1, 1.5, '2024-02-29', '2024-01-01 12:30:00', '王芳 “x”', 9223372036854775807, '0044-03-15'),
  (-2, NULL, '2023-02-30', '2024-01-01 12:30:00.250', '', 1, NULL);
"""
HOSTILE = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "＋1",
    "http://evil.example/",
    "mailto:a@b",
    '"quoted",\n"lines"',
    "<script>alert(1)</script>",
    "_x0041_",
    "\ufffe\uffff\x01",
    "-12.5",
]


async def result_of(server: Served, sql: str) -> str:
    response = await server.client.post("/api/v1/sql", json={"sql": sql})
    answer = response.json()
    assert answer["status"] == "answered", answer
    return str(answer["result_id"])


async def exported(server: Served, result_id: str, kind: str, **query: Any) -> httpx.Response:
    return await server.client.get(f"/api/v1/results/{result_id}/export", params={"format": kind, **query})


# -- pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sort", "descending"), [(None, False), ("grp", False), ("grp", True), ("name", True), ("1", True)]
)
def test_pages_neither_repeat_nor_miss_a_row(tmp_path: Path, sort: str | None, descending: bool) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    async def scenario() -> list[Any]:
        async with served(cats, scripted([])) as server:
            result = await result_of(server, "SELECT id, grp, name FROM cats ORDER BY grp")
            query: dict[str, Any] = {"page_size": 400, "descending": descending}
            query |= {"sort": sort} if sort else {}
            pages, at = [], 1
            while True:
                page = await server.get(f"/api/v1/results/{result}", page=at, **query)
                pages.append(page)
                if not page["has_next"]:
                    return pages
                at += 1

    pages = asyncio.run(scenario())
    rows = [tuple(row) for page in pages for row in page["rows"]]
    assert len(rows) == len(set(rows)) == 2_503
    totals = {(page["total_count"], page["total_pages"], page["page_size"]) for page in pages}
    assert totals == {(2_503, 7, 400)}
    assert [(page["page"], page["has_prev"], page["has_next"]) for page in pages] == [
        (at, at > 1, at < 7) for at in range(1, 8)
    ]
    at = {"grp": 1, "name": 2, "1": 0}.get(sort or "grp", 0)
    values = [row[at] if row[at] is not None else "" for row in rows]
    assert values == sorted(values, reverse=descending)
    assert pages[0]["columns"][0] == {"name": "id", "type": ""}


def test_a_page_beyond_the_last_is_empty_and_says_so(tmp_path: Path) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    async def scenario() -> Any:
        async with served(cats, scripted([])) as server:
            result = await result_of(server, "SELECT id FROM cats WHERE id < 4")
            return await server.get(f"/api/v1/results/{result}", page=9)

    page = asyncio.run(scenario())
    assert (page["rows"], page["total_count"], page["total_pages"]) == ([], 3, 1)
    assert (page["has_next"], page["has_prev"]) == (False, True)


@pytest.mark.parametrize(
    ("query", "status", "kind"),
    [
        ({"sort": "shoe_size"}, 422, "usage.sort"),
        ({"sort": "id; DROP TABLE cats"}, 422, "usage.sort"),
        ({"sort": "id DESC"}, 422, "usage.sort"),
        ({"sort": "0"}, 422, "usage.sort"),
        ({"sort": "9"}, 422, "usage.sort"),
        ({"sort": "-1"}, 422, "usage.sort"),
        ({"sort": "१"}, 422, "usage.sort"),
        ({"page": 0}, 422, "usage.request"),
        ({"page": "x"}, 422, "usage.request"),
        ({"page": 10**30}, 422, "usage.request"),
        ({"page_size": 0}, 422, "usage.request"),
        ({"page_size": 100_000}, 422, "usage.request"),
    ],
)
def test_an_invalid_page_is_a_problem(tmp_path: Path, query: dict[str, Any], status: int, kind: str) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    async def scenario() -> Any:
        async with served(cats, scripted([])) as server:
            result = await result_of(server, "SELECT id, grp FROM cats")
            return await server.get(f"/api/v1/results/{result}", status, **query)

    assert asyncio.run(scenario())["kind"] == kind


def test_columns_that_share_a_name_are_sorted_by_number(tmp_path: Path) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    async def scenario() -> Any:
        async with served(cats, scripted([])) as server:
            result = await result_of(server, "SELECT grp AS a, id AS a FROM cats WHERE id < 20")
            return await server.get(f"/api/v1/results/{result}", sort="2", descending=True, page_size=2)

    assert asyncio.run(scenario())["rows"] == [[5, 19], [4, 18]]


# -- exports -------------------------------------------------------------------------------------


def hostile(tmp_path: Path) -> Path:
    shop = make_shop(tmp_path / "hostile.db", "CREATE TABLE things (at INTEGER, name TEXT);")
    with closing(sqlite3.connect(shop)) as connection, connection:
        connection.executemany("INSERT INTO things VALUES (?, ?)", list(enumerate(HOSTILE)))
    return shop


@pytest.mark.fault("D24")
def test_a_csv_file_is_utf_8_and_holds_no_formula(tmp_path: Path) -> None:
    async def scenario() -> httpx.Response:
        async with served(hostile(tmp_path), scripted([])) as server:
            result = await result_of(server, 'SELECT at, name AS "=名称" FROM things ORDER BY at')
            return await exported(server, result, "csv")

    response = asyncio.run(scenario())
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="text2sql-result.csv"'
    assert response.content.startswith(b"\xef\xbb\xbf")
    head, *rows = csv.reader(io.StringIO(response.content.decode("utf-8-sig"), newline=""))
    assert head == ["at", "'=名称"]
    assert [row[1].removeprefix("'") for row in rows] == HOSTILE
    signs = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋")
    formulas = [row[1] for row in rows if row[1].startswith(signs)]
    assert formulas == ["-12.5"], "a number is no formula"


def test_an_excel_file_holds_text_as_text_and_nothing_as_a_formula_or_link(tmp_path: Path) -> None:
    async def scenario() -> bytes:
        async with served(hostile(tmp_path), scripted([])) as server:
            result = await result_of(server, "SELECT at, name FROM things ORDER BY at")
            return (await exported(server, result, "xlsx")).content

    sheet = openpyxl.load_workbook(io.BytesIO(asyncio.run(scenario()))).active
    assert sheet is not None
    rows = list(sheet.iter_rows(min_row=2, min_col=2, max_col=2))
    assert {cell.data_type for (cell,) in rows} == {"s"}
    assert [cell.hyperlink for (cell,) in rows if cell.hyperlink] == []
    # What XML cannot hold is replaced; control characters are escaped, and openpyxl leaves that to others.
    expected = [text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd") for text in HOSTILE]
    seen = [str(cell.value) for (cell,) in rows]
    assert seen[:5] == expected[:5]
    assert seen[8:14] == expected[8:14]
    assert seen[-1] == "-12.5"


def test_numbers_and_dates_keep_their_types_in_excel(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "things.db", TYPES)

    async def scenario() -> bytes:
        async with served(shop, scripted([])) as server:
            result = await result_of(server, "SELECT n, x, day, moment, name, big, old FROM things")
            response = await exported(server, result, "xlsx", sort="n", descending=True)
            assert int(response.headers["content-length"]) == len(response.content)
            return response.content

    sheet = openpyxl.load_workbook(io.BytesIO(asyncio.run(scenario()))).active
    assert sheet is not None
    head, first, second = sheet.iter_rows(values_only=True)
    assert head == ("n", "x", "day", "moment", "name", "big", "old")
    assert first == (
        1,
        1.5,
        datetime(2024, 2, 29),
        datetime(2024, 1, 1, 12, 30),
        "王芳 “x”",
        "9223372036854775807",
        "0044-03-15",
    )
    assert second[:4] == (-2, None, "2023-02-30", datetime(2024, 1, 1, 12, 30, 0, 250_000))
    assert second[5:] == (1, None)


def test_a_parquet_file_has_types(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "things.db", TYPES)
    target = tmp_path / "out.parquet"

    async def scenario() -> None:
        async with served(shop, scripted([])) as server:
            sql = "SELECT n, n, x, moment, name, big, old FROM things ORDER BY n DESC"
            result = await result_of(server, sql)
            target.write_bytes((await exported(server, result, "parquet")).content)

    asyncio.run(scenario())
    with duckdb.connect() as connection:
        read = connection.execute("SELECT * FROM read_parquet(?)", [str(target)])
        assert [(column[0], str(column[1])) for column in read.description or ()] == [
            ("n", "BIGINT"),
            ("n_2", "BIGINT"),
            ("x", "DOUBLE"),
            ("moment", "TIMESTAMP"),
            ("name", "VARCHAR"),
            ("big", "BIGINT"),
            ("old", "DATE"),
        ]
        assert read.fetchall() == [
            (1, 1, 1.5, datetime(2024, 1, 1, 12, 30), "王芳 “x”", 2**63 - 1, date(44, 3, 15)),
            (-2, -2, None, datetime(2024, 1, 1, 12, 30, 0, 250_000), "", 1, None),
        ]


def test_a_json_file_is_what_the_terminal_writes(tmp_path: Path) -> None:
    async def scenario() -> bytes:
        async with served(hostile(tmp_path), scripted([])) as server:
            result = await result_of(server, "SELECT name FROM things ORDER BY at")
            return (await exported(server, result, "json")).content

    assert json.loads(asyncio.run(scenario())) == {"columns": ["name"], "rows": [[text] for text in HOSTILE]}


@pytest.mark.parametrize("kind", ["csv", "json", "xlsx", "parquet"])
@pytest.mark.fault("G3")
def test_an_export_has_a_row_limit_of_its_own_and_reports_truncation(tmp_path: Path, kind: str) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    def rows_in(content: bytes) -> int:
        if kind == "csv":
            return len(content.splitlines()) - 1
        if kind == "json":
            return len(json.loads(content)["rows"])
        if kind == "xlsx":
            sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).active
            assert sheet is not None
            return sum(1 for _ in sheet.iter_rows()) - 1
        (tmp_path / "x.parquet").write_bytes(content)
        with duckdb.connect() as connection:
            values = connection.execute(
                "SELECT count(*) FROM read_parquet(?)", [str(tmp_path / "x.parquet")]
            ).fetchall()
        return int(values[0][0])

    async def scenario(most: int) -> tuple[int, str | None]:
        async with served(cats, scripted([]), row_limit=100, export_rows=most) as server:
            result = await result_of(server, "SELECT id, grp FROM cats")
            response = await exported(server, result, kind)
            assert response.status_code == 200
            return rows_in(response.content), response.headers.get("x-truncated")

    assert asyncio.run(scenario(10_000)) == (2_503, None)
    assert asyncio.run(scenario(2_503)) == (2_503, None)
    assert asyncio.run(scenario(1_000)) == (1_000, "rows")


@pytest.mark.parametrize("kind", ["csv", "json", "xlsx", "parquet"])
def test_a_result_without_rows_is_a_file_with_names(tmp_path: Path, kind: str) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    async def scenario() -> tuple[int, int]:
        async with served(cats, scripted([])) as server:
            result = await result_of(server, "SELECT id, grp FROM cats WHERE id < 0")
            response = await exported(server, result, kind)
            return response.status_code, len(response.content)

    status, size = asyncio.run(scenario())
    assert (status, size > 5) == (200, True)


def test_an_aborted_download_releases_the_connection(tmp_path: Path) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)
    # a few hundred megabytes if read completely
    sql = "SELECT a.id AS a, b.id AS b, 'x' || a.name || b.name AS name FROM cats a, cats b"

    async def scenario() -> None:
        async with listening(cats, scripted([]), row_limit=50, export_rows=6_000_000) as server:
            database = server.here.sources.named(None).app.app_resources.database
            assert database is not None
            result = await result_of(server, sql)
            address = f"/api/v1/results/{result}/export"
            async with server.client.stream("GET", address, params={"format": "csv"}) as response:
                async for _ in response.aiter_bytes():
                    break
                assert database.busy >= 1
            await until(lambda: database.busy == 0)

    asyncio.run(scenario())


def test_an_unknown_format_is_a_problem(tmp_path: Path) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    async def scenario() -> int:
        async with served(cats, scripted([])) as server:
            result = await result_of(server, "SELECT id FROM cats")
            return (await exported(server, result, "exe")).status_code

    assert asyncio.run(scenario()) == 422


# -- charts --------------------------------------------------------------------------------------


def test_a_chart_fits_the_result_or_has_the_requested_kind(tmp_path: Path) -> None:
    cats = make_shop(tmp_path / "cats.db", MANY)

    async def scenario() -> None:
        async with served(cats, scripted([])) as server:
            result = await result_of(
                server, "SELECT 'g' || grp AS grp, count(*) AS cats FROM cats GROUP BY 1"
            )
            chart = await server.get(f"/api/v1/results/{result}/chart")
            assert chart["kind"] in chart["kinds"]
            assert chart["spec"]["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
            for kind in chart["kinds"]:
                assert (await server.get(f"/api/v1/results/{result}/chart", kind=kind))["kind"] == kind
            wrong = await server.get(f"/api/v1/results/{result}/chart", 422, kind="scatter")
            assert wrong["kind"] == "usage.chart_kind"
            for form, begins in (("png", b"\x89PNG"), ("svg", b"<svg")):
                picture = await server.client.get(f"/api/v1/results/{result}/chart.{form}")
                assert (picture.status_code, picture.content[: len(begins)]) == (200, begins)
            empty = await result_of(server, "SELECT name FROM cats WHERE id < 0")
            assert (await server.get(f"/api/v1/results/{empty}/chart", 404))["kind"] == "chart.none"

    asyncio.run(scenario())
