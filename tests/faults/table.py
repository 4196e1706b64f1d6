"""Fills the last column of the tables of docs/reliability.md: `python tests/faults/table.py`.

A test proves what is said of a fault if it stands in this folder and its name begins with the fault's id
(`test_d06_d09_…`), or if it is marked: `@pytest.mark.fault("D06")`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "reliability.md"
IDS = tuple(
    f"{letter}{number:0{width}d}"
    for letter, count, width in (
        *(("G", 10, 1), ("L", 30, 2), ("D", 35, 2), ("K", 8, 2)),
        *(("P", 15, 2), ("C", 11, 2), ("A", 15, 2)),
    )
    for number in range(1, count + 1)
)
_NAMED = re.compile(r"_([a-z]\d+)(?=_)")


def proofs() -> dict[str, list[str]]:
    """Id → the tests that prove it, as pytest names them from the folder of all tests."""
    found: dict[str, list[str]] = {one: [] for one in IDS}
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, ids in _tests(tree, path.parent == Path(__file__).parent):
            for one in ids:
                found[one].append(f"{path.relative_to(TESTS).as_posix()}::{name}")
    return found


def _tests(
    tree: ast.AST, here: bool, above: str = "", also: tuple[str, ...] = ()
) -> Iterator[tuple[str, set[str]]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _tests(node, here, f"{node.name}::", (*also, *_marked(node)))
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            begins = re.match(r"test((?:_[a-z]\d+)+)_", node.name) if here else None
            named = _NAMED.findall(f"{begins[1]}_") if begins else []
            yield above + node.name, {one.upper() for one in named} | {*also, *_marked(node)}


def _marked(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    for one in node.decorator_list:
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "pytest.mark.fault":
            yield from (ast.literal_eval(argument) for argument in one.args)


def filled(page: str) -> str:
    """The page with every row's tests as they are now."""
    told = proofs()

    def row(line: str) -> str:
        one = re.match(r"\| ([A-Z]\d+) \|", line)
        if one is None or one[1] not in told:
            return line
        tests = "<br>".join(f"`{test}`" for test in told[one[1]])
        return f"|{' | '.join(line.strip('|').split(' | ')[:3])} | {tests} |"

    return "\n".join(map(row, page.splitlines())) + "\n"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
