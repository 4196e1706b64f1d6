"""The docs cover every setting, command, option, rule, extra and database."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import click
import pytest

from contract.emulators import FAKESNOW, LOCAL_BIGQUERY
from docs_text import DOCS, ROOT, anchors, blocks, cells, read, section
from text2sql import __version__
from text2sql.cli import COMMANDS, CommandGroup
from text2sql.config import GROUPS, Settings, variable
from text2sql.database.dialects import FACTS, GAPS, UNTESTED
from text2sql.i18n import sentences
from text2sql.sql.dialects import GRAMMARS

READMES = ("README.md", "README.zh-CN.md")


def test_every_setting_is_documented_in_its_group_with_its_default_and_help() -> None:
    page = read("docs/settings.md")
    headings = re.findall(r"^## (.*: `\[(\w+)\]`)$", page, re.MULTILINE)
    assert [group for _, group in headings] == list(GROUPS)
    for heading, group in headings:
        _, *rows = cells(section(page, heading))
        assert rows == [
            [
                f"`{variable(field.name)}`",
                "empty" if field.default == "" else f"`{field.default}`",
                field.metadata["help"],
            ]
            for field in GROUPS[group].values()
        ]


def test_the_protected_settings_are_documented() -> None:
    text = section(read("docs/settings.md"), "What a file may set")
    protected = [field.name for field in fields(Settings) if field.metadata["protected"]]
    listed = re.search(r"from the environment: (.*)\.$", text, re.MULTILINE)
    assert listed is not None
    assert listed[1].split(", ") == [f"`{name}`" for name in protected]


@pytest.mark.parametrize("name", [*COMMANDS, "serve keys", "serve audit"])
def test_every_option_of_a_command_is_documented(name: str) -> None:
    command: click.Command | None = CommandGroup("en")
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(click.Command("x")), word)
    assert command is not None
    options = {
        option.opts[0] for option in command.params if isinstance(option, click.Option) and not option.hidden
    }
    text = section(read("docs/cli.md"), f"text2sql {name}")
    everywhere = read("docs/cli.md").partition("\n## ")[0]
    documented = {row[0].strip("`") for row in (*cells(text), *cells(everywhere)) if row[0].startswith("`--")}
    assert documented - {"--version"} == options


def test_the_dialects_are_documented() -> None:
    text = section(read("docs/cli.md"), "text2sql check")
    assert [name for name in GRAMMARS if f"`{name}`" not in text] == []


def test_every_rule_of_the_guard_is_documented() -> None:
    rules = {key.removeprefix("guard.") for key in sentences() if key.startswith("guard.")} - {"place"}
    documented = [row[0].strip("`") for row in cells(section(read("docs/guard.md"), "The rules"))]
    assert set(documented) - {"rule"} == rules
    assert len(documented) == len(set(documented))


def test_the_facts_of_every_database_are_documented() -> None:
    rows = {row[0]: row for row in cells(section(read("docs/databases.md"), "Addresses"))}
    for facts in FACTS:
        row = " | ".join(rows[facts.product])
        named = [*facts.schemes, *(f"`{suffix}`" for suffix in (*facts.suffixes, *facts.converted))]
        named += [f"`{facts.default_schema}`"] if facts.default_schema else []
        named += [str(facts.port)] if facts.port else []
        named += [f"`text2sql-kit[{facts.extra}]`"] if facts.extra else []
        assert [name for name in named if name not in row] == []
    for heading in ("Read-only, and how", "Limits"):
        products = {row[0] for row in cells(section(read("docs/databases.md"), heading))}
        assert {facts.product for facts in FACTS} <= products


def test_the_tested_versions_of_every_database_are_documented() -> None:
    text = section(read("docs/databases.md"), "What was tried on what")
    rows = {row[0]: " | ".join(row) for row in cells(text)}
    for facts in FACTS:
        assert ("**no " in rows[facts.product]) is not facts.seen
    for facts in UNTESTED:
        assert f"{facts.schemes[0]}://" in rows[facts.product]
        assert str(facts.port) in rows[facts.product]
        assert (f"`text2sql-kit[{facts.extra}]`" in rows[facts.product]) is bool(facts.extra)


def test_the_gaps_of_every_database_are_documented() -> None:
    head, *rows = cells(section(read("docs/databases.md"), "Gaps"))
    products = head[1:-1]
    assert products == [facts.product for facts in FACTS]
    assert {row[0].strip("`"): row[-1] for row in rows} == GAPS
    for at, facts in enumerate(FACTS, 1):
        assert {row[0].strip("`") for row in rows if row[at] == "gap"} == facts.gaps, facts.product


def test_the_gaps_of_the_emulators_are_documented() -> None:
    text = section(read("docs/databases.md"), "What was tried on what")
    rows = [tuple(row) for row in cells(text) if row[0] in ("fakesnow", "local-bigquery")]
    declared = {"fakesnow": FAKESNOW, "local-bigquery": LOCAL_BIGQUERY}
    assert rows == [(name, f"`{gap}`", why) for name, gaps in declared.items() for gap, why in gaps.items()]


def test_every_extra_is_documented_in_both_readmes() -> None:
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    for readme in READMES:
        assert [extra for extra in extras if f"`{extra}`" not in read(readme)] == []


def test_both_readmes_have_the_same_commands() -> None:
    english, chinese = (set(re.findall(r"[`$|] ?(text2sql [a-z]+)", read(readme))) for readme in READMES)
    assert english == chinese
    assert {f"text2sql {name}" for name in COMMANDS} <= english
    for readme in READMES:
        assert "make test" in read(readme)
        assert "make demo" in read(readme)


def test_both_readmes_have_the_same_shape() -> None:
    def shape(text: str) -> list[str]:
        return [
            re.match(r"#+|```\w*|\||\d\.", line)[0]  # type: ignore[index]
            for line in text.splitlines()
            if re.match(r"#+ |```|\||\d\. ", line)
        ]

    assert shape(read(READMES[0])) == shape(read(READMES[1]))


def test_the_readmes_open_with_a_picture_and_three_commands() -> None:
    for readme in READMES:
        opening = read(readme).partition("\n## ")[0]
        assert re.search(r"!\[.+\]\(docs/page/.+\.png\)", opening)
        (block,) = blocks(opening, "console")
        assert [line[:2] for line in block.splitlines()] == ["$ "] * 3


def test_the_changelog_has_an_unreleased_section_and_this_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert headings[:2] == ["Unreleased", __version__]
    groups = set(re.findall(r"^### (.+)$", read("CHANGELOG.md"), re.MULTILINE))
    assert groups <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_links_between_documents_are_valid(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        name, _, fragment = target.partition("#")
        file = page.parent / name if name else page
        if not file.is_file() or (fragment and fragment not in anchors(file.read_text(encoding="utf-8"))):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("index", ["index.md", "index.zh.md"])
def test_every_document_is_reached_from_both_indexes(index: str) -> None:
    """The Chinese one leads to a page's Chinese twin where there is one."""
    names = {page.name for page in (ROOT / "docs").glob("*.md")}
    twins = {name for name in names if name.endswith(".zh.md")}
    expected = names - twins
    if index in twins:
        expected = {twin if (twin := name.replace(".md", ".zh.md")) in twins else name for name in expected}
    text = read(f"docs/{index}")
    assert [name for name in sorted(expected - {index}) if f"({name})" not in text] == []


def test_the_limits_of_every_engine_are_documented() -> None:
    text = section(read("docs/security.md"), "What an engine cannot be kept from")
    for facts in FACTS:
        assert facts.product.partition("/")[0] in text
