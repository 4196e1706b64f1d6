"""docs/mcp.md documents the tools, their arguments and their results."""

from docs_text import cells, read, section
from text2sql.mcp_server import definitions
from text2sql.serialization import CELL


def test_every_tool_is_documented_with_its_arguments_and_results() -> None:
    page = section(read("docs/mcp.md"), "The tools")
    _, *rows = cells(page)
    tools = definitions()
    assert [row[0] for row in rows] == [f"`{tool.name}`" for tool in tools]
    for tool, row in zip(tools, rows, strict=True):
        assert [name for name in tool.input_schema["properties"] if f"`{name}`" not in row[1]] == []
        results = (tool.output_schema or {})["properties"]
        # The rows of `ask` and `run_query` show the main fields; the list below the table has the others.
        text = page if tool.name in ("ask", "run_query") else row[2]
        assert [name for name in results if f"`{name}`" not in text and name != "cut"] == []


def test_the_documented_length_of_values_is_correct() -> None:
    assert f"at\n{CELL} characters" in read("docs/mcp.md")
