"""Parsing of placeholders, and escaping of values in Markdown and HTML."""

import re

import pytest
from markdown_it import MarkdownIt

from text2sql.errors import UsageError
from text2sql.reports.blocks import Block, Failure, Image, InlineText, TableBlock
from text2sql.reports.output import html_page
from text2sql.reports.placeholders import Placeholder, scan
from text2sql.reports.text_templates import html_template, markdown_template

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><b>x</b>',
    "a | b |\n| c | d |",
    "[click](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "**bold** _it_ `code` ~~no~~",
    "# heading",
    "- item",
    "1. item",
    "---",
    "```\nfence",
    "{{ SELECT 1 }}",
    "&lt;b&gt;",
    "\u202egnp.exe\x00\x1b[31m",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ total revenue }}", Placeholder("total revenue")),
        ("{{各城市订单数|table}}", Placeholder("各城市订单数", "table")),
        ("{{ revenue by month | chart:line }}", Placeholder("revenue by month", "chart", "line")),
        ("{{ a\n  b | table : 20 }}", Placeholder("a b", "table", "20")),
        ("{{ a | b or c? }}", Placeholder("a | b or c?")),
        ("{{ a | b | list }}", Placeholder("a | b", "list")),
    ],
)
def test_a_placeholder_is_a_question_and_a_form(text: str, expected: Placeholder) -> None:
    (piece,) = scan(text)
    assert piece.placeholder == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{{ a", "usage.report_unclosed"),
        ("{{ }}", "usage.report_question"),
        ("{{ a | tabel }}", "usage.report_form"),
        ("{{ a | chart:spiral }}", "usage.report_form"),
        ("{{ a | table:0 }}", "usage.report_form"),
        ("{{ a | value:2 }}", "usage.report_form"),
    ],
)
def test_an_error_in_a_placeholder_names_its_line(text: str, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        list(scan(f"one\ntwo\n{text}"))
    assert (caught.value.message_key, caught.value.facts["line"]) == (key, 3)


def test_escaped_braces_are_braces() -> None:
    template = markdown_template(r"\{{ not asked }} {{ asked }}")
    assert [placeholder.question for placeholder in template.placeholders] == ["asked"]
    assert template.fill([InlineText("1")]) == "{{ not asked }} 1"


def values(text: str) -> list[Block]:
    grid = TableBlock((text, "n"), ((text, "1"),), (False, True), note=text)
    return [InlineText(text), grid, Failure(text, text), Image(b"png", text)]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_cell_stays_text_in_markdown(text: str) -> None:
    template = markdown_template("x {{ a }} y\n\n{{ b }}\n\n{{ c }}\n\n{{ d }}\n\n{{ e }}\n")
    filled = template.fill([InlineText(text), *values(text)])
    shown = html_page(filled, "t").partition("<body>")[2]
    tags = set(re.findall(r"<(/?[a-zA-Z][\w-]*)", shown))
    assert tags <= {
        f"{slash}{tag}"
        for slash in ("", "/")
        for tag in ("p", "table", "thead", "tbody", "tr", "th", "td", "em", "strong", "img", "body", "html")
    }
    assert re.findall(r' (?:src|href)="([^"]*)"', shown) == ["data:image/png;base64,cG5n"]
    assert [len(re.findall("<t[dh]", row)) for row in re.findall("<tr>.*?</tr>", shown, re.DOTALL)] == [2, 2]
    assert "\x1b" not in filled
    assert "\u202e" not in filled


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_cell_stays_text_in_html(text: str) -> None:
    template = html_template("<p>{{ a }}</p>{{ b }}<div>{{ c }}</div>{{ d }}")
    filled = template.fill(values(text))
    tags = set(re.findall(r"<(/?[a-zA-Z][\w-]*)", filled))
    assert tags <= {
        "p", "/p", "div", "/div", "table", "/table", "caption", "/caption", "thead", "/thead", "tbody",
        "/tbody", "tr", "/tr", "th", "/th", "td", "/td", "mark", "/mark", "img",
    }  # fmt: skip
    assert filled.count('"') == filled.replace("&quot;", "").count('"')
    assert "onerror=alert(1)>" not in filled


@pytest.mark.parametrize(
    "text",
    [
        "<script>var a = '{{ q }}'</script>",
        "<style>a { b: {{ q }} }</style>",
        '<a href="{{ q }}">x</a>',
        "<a title=it's x={{ q }}>",
        "<!-- {{ q }} -->",
        "<p {{ q }}>",
        "<SCRIPT >{{ q }}",
    ],
)
def test_in_html_a_placeholder_is_allowed_in_text_only(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        html_template(f"<p>\n{text}")
    assert (caught.value.message_key, caught.value.facts["line"]) == ("usage.report_place", 2)


def test_a_question_in_html_may_hold_what_markup_is_made_of() -> None:
    template = html_template("<p>{{ orders &gt; 5 &amp; paid }} {{ total < 5 }}</p>")
    assert [placeholder.question for placeholder in template.placeholders] == [
        "orders > 5 & paid",
        "total < 5",
    ]


def test_markdown_is_readable_where_it_is_harmless() -> None:
    template = markdown_template("{{ a }}, {{ b }}\n\n{{ c }}")
    grid = TableBlock(("city", "n"), (("上海", "1,234.5"), ("O'Neil & Co", "-2")), (False, True))
    filled = template.fill([InlineText("1,234.5"), InlineText("-3"), grid])
    assert filled == "1,234.5, -3\n\n| city | n |\n|---|---:|\n| 上海 | 1,234.5 |\n| O'Neil &amp; Co | -2 |"
    assert "O'Neil &amp; Co" in MarkdownIt("commonmark").enable("table").render(filled)
