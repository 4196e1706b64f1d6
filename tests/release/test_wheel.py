"""The first minute with the package that a user installs: `make dist` builds it and runs these."""

import json
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs_text import ROOT
from text2sql import __version__
from text2sql.testing.endpoint import endpoint

if TYPE_CHECKING:
    from release.conftest import Environment


@pytest.fixture
def sales(tmp_path: Path) -> str:
    file = tmp_path / "orders.csv"
    file.write_text("city,total\n上海,10\n北京,20\n上海,5\n", encoding="utf-8")
    return str(file)


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(files.read(name))


def test_the_wheel_has_our_name_and_version(wheel: Path) -> None:
    fields = metadata(wheel)
    assert (fields["Name"], fields["Version"]) == ("text2sql-kit", __version__)
    assert fields["License-Expression"] == "Apache-2.0"


def test_the_wheel_contains_exactly_the_files_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        names = {name for name in files.namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    assert names == {
        path.relative_to(source).as_posix()
        for path in (source / "text2sql").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_sdist_contains_the_sources_of_the_wheel(wheel: Path) -> None:
    (sdist,) = wheel.parent.glob("*.tar.gz")
    assert sdist.name == f"text2sql_kit-{__version__}.tar.gz"
    with tarfile.open(sdist) as files:
        top = {name.split("/")[1] for name in files.getnames()}
    documents = {"LICENSE", "README.md", "README.zh-CN.md", "CHANGELOG.md"}
    assert top == {"src", "pyproject.toml", "PKG-INFO", ".gitignore"} | documents


def test_the_command_prints_its_version(plain: "Environment") -> None:
    done = plain.run("--version")
    assert (done.returncode, done.stdout) == (0, f"text2sql {__version__}\n")


def test_doctor_names_missing_extras_of_this_package(plain: "Environment") -> None:
    done = plain.run("doctor")
    assert done.returncode == 0, done.stderr
    assert 'pip install "text2sql-kit[postgres]"' in done.stdout
    assert 'pip install "text2sql-kit[local]"' in done.stdout


def test_a_statement_is_checked_without_a_model(plain: "Environment", sales: str) -> None:
    done = plain.run("check", "select city, sum(total) from orders group by city;", "--db", sales)
    assert done.stdout == "SELECT city, SUM(total) FROM orders GROUP BY city LIMIT 1000\n", done.stderr
    refused = plain.run("check", "DELETE FROM orders", "--db", sales, "--lang", "zh")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "只允许查询语句" in refused.stderr


def test_the_schema_is_shown_without_a_model(plain: "Environment", sales: str) -> None:
    done = plain.run("schema", "--db", sales, "--json")
    (table,) = json.loads(done.stdout)["tables"]
    assert [column["name"] for column in table["columns"]] == ["city", "total"]


def test_a_question_without_a_model_says_how_to_install_one(plain: "Environment", sales: str) -> None:
    done = plain.run("ask", "How many orders are there?", "--db", sales)
    assert done.returncode == 4, done.stdout
    assert 'pip install "text2sql-kit[local]"' in done.stderr


def test_a_question_is_answered(hosted: "Environment", sales: str) -> None:
    with endpoint() as model:
        done = hosted.run(
            "ask", "How many orders are there?", "--db", sales, "--json",
            TEXT2SQL_MODEL="openai-compatible:scripted", TEXT2SQL_BASE_URL=model.base_url,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["rows"]) == ("answered", [[3]])
    assert answer["receipt"]["checks"]
