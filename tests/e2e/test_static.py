"""The static files of the page and their HTTP headers."""

import gzip
import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from text2sql.server import page

STATIC = Path(page.__file__).parent / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))
WORDS = (STATIC / "words.js").read_text(encoding="utf-8")


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()
    app.include_router(page.router)
    return TestClient(app)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_makes_markup_or_code_of_text(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    banned = r"(?:inner|outer|set|Adjacent)HTML|document\.write|DOMParser|\beval\(|new Function|srcdoc"
    assert re.findall(banned, text) == []
    assert len(text.splitlines()) < 250


@pytest.mark.parametrize("file", sorted(STATIC.iterdir()), ids=lambda path: path.name)
def test_no_file_names_another_origin(file: Path) -> None:
    addresses = re.findall(r"https?://[^\"'\s)]+", file.read_text(encoding="utf-8"))
    assert set(addresses) <= {"http://www.w3.org/2000/svg", "https://…/"}


def test_every_text_exists_in_both_languages() -> None:
    rows = re.findall(r'"([\w.]+)": \[("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\]', WORDS)
    keys = {key for key, *_ in rows}
    assert len(keys) == len(rows) == WORDS.count('": ["')
    used = {
        key
        for script in SCRIPTS
        for key in re.findall(r'\bt\("([\w.]+)"', script.read_text(encoding="utf-8"))
    }
    assert used - keys == set()
    gaps = [
        key
        for key, english, chinese in rows
        if set(re.findall(r"{\w+}", english)) != set(re.findall(r"{\w+}", chinese))
    ]
    assert gaps == []


def test_the_page_has_a_strict_policy(client: TestClient) -> None:
    result = client.get("/").headers
    assert result["content-type"] == "text/html; charset=utf-8"
    assert result["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def test_who_may_frame_the_page_is_configured() -> None:
    app = FastAPI()
    app.include_router(page.router)
    app.state.frame_ancestors = "'self' https://intranet.example"
    policy = TestClient(app).get("/").headers["content-security-policy"]
    assert policy.endswith("frame-ancestors 'self' https://intranet.example")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("element.js", "text/javascript; charset=utf-8"),
        ("tokens.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_a_file_has_its_type_and_is_not_sent_twice(client: TestClient, name: str, kind: str) -> None:
    first = client.get(f"/static/{name}")
    assert (first.status_code, first.headers["content-type"]) == (200, kind)
    assert first.headers["x-content-type-options"] == "nosniff"
    assert first.content == (STATIC / name).read_bytes()
    again = client.get(f"/static/{name}", headers={"If-None-Match": f"W/{first.headers['etag']}"})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["..%2fpage.py", "%2e%2e%2fpage.py", "nothing.js", "%2fetc%2fpasswd"])
def test_no_path_leaves_the_static_folder(client: TestClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


def test_the_chart_library_is_compressed_and_works_without_eval(client: TestClient) -> None:
    got = client.get("/vega.js", headers={"Accept-Encoding": "gzip"})
    assert got.headers["content-type"] == "text/javascript; charset=utf-8"
    assert got.headers["content-encoding"] == "gzip"
    assert "expressionInterpreter" in got.text
    assert got.text.rstrip().endswith("as embed};")
    assert int(got.headers["content-length"]) < len(gzip.compress(got.content)) * 1.1
    assert client.get("/vega.js", headers={"If-None-Match": got.headers["etag"]}).status_code == 304


def test_without_the_charts_extra_the_library_is_missing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "find_spec", lambda _: None)
    assert client.get("/vega.js").status_code == 404
