"""docs/asking.md lists the stages, statuses and presets of the code."""

import json
from dataclasses import fields
from typing import get_args

from docs_text import blocks, cells, read, section
from text2sql import RunOptions
from text2sql.agents import NODE_FUNCTIONS, PRESETS
from text2sql.agents.presets import Preset
from text2sql.config import Settings
from text2sql.types import Event, Receipt, Status

PAGE = read("docs/asking.md")


def first_cells(heading: str) -> list[str]:
    """The names in the first column of a table, without its header."""
    _, *rows = cells(section(PAGE, heading))
    return [name.strip("`") for row in rows for name in row[0].split(", ")]


def row_of(name: str, preset: Preset) -> list[str]:
    return [
        f"`{name}`",
        str(preset.max_attempts or Settings().max_attempts),
        "yes" if preset.explain else "no",
        str(preset.probes),
        str(preset.rows or "as set" if preset.execute else "not run"),
        str(preset.tables or "as fit"),
        "yes" if preset.ask_back else "no",
    ]


def test_every_stage_status_and_receipt_field_is_documented() -> None:
    assert set(first_cells("The stages")) == set(NODE_FUNCTIONS)
    assert set(first_cells("How it ends")) == set(get_args(Status))
    assert set(first_cells("The receipt")) == {field.name for field in fields(Receipt)}


def test_the_table_of_presets_is_correct() -> None:
    _, *rows = cells(section(PAGE, "Presets and modes"))
    assert rows == [row_of(name, preset) for name, preset in PRESETS.items()]


def test_every_option_of_a_question_is_documented() -> None:
    server = section(PAGE, "LangGraph's own server")
    assert [field.name for field in fields(RunOptions) if f"`{field.name}`" not in server] == []


def test_every_event_is_documented() -> None:
    text = section(PAGE, "Events")
    assert [event.__name__ for event in get_args(Event) if f"`{event.__name__}`" not in text] == []


def test_the_graphs_of_langgraph_json_are_documented() -> None:
    assert first_cells("LangGraph's own server") == list(json.loads(read("langgraph.json"))["graphs"])


def test_the_python_examples_of_the_page_compile() -> None:
    for code in blocks(PAGE, "python"):
        compile(code, "docs/asking.md", "exec")
