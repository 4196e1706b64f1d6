"""Generates the last column of the tables of docs/reliability.md and of its Chinese twin.

Run it as `python tests/faults/table.py`.

A test covers a fault if it is in this folder and its name begins with the fault's id (`test_d06_d09_…`), or
if it is marked: `@pytest.mark.fault("D06")`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGES = tuple(TESTS.parent / "docs" / name for name in ("reliability.md", "reliability.zh.md"))
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
    """Map each id to the tests that cover it, as pytest names them relative to the tests folder."""
    tests_by_id: dict[str, list[str]] = {fault_id: [] for fault_id in IDS}
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, ids in _tests(tree, path.parent == Path(__file__).parent):
            for fault_id in ids:
                tests_by_id[fault_id].append(f"{path.relative_to(TESTS).as_posix()}::{name}")
    return tests_by_id


def _tests(
    tree: ast.AST, in_this_folder: bool, parents: str = "", inherited: tuple[str, ...] = ()
) -> Iterator[tuple[str, set[str]]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _tests(node, in_this_folder, f"{node.name}::", (*inherited, *_marked(node)))
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            prefix = re.match(r"test((?:_[a-z]\d+)+)_", node.name) if in_this_folder else None
            ids = _NAMED.findall(f"{prefix[1]}_") if prefix else []
            yield parents + node.name, {fault_id.upper() for fault_id in ids} | {*inherited, *_marked(node)}


def _marked(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.fault":
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def filled(page: str) -> str:
    """Return the page with the current tests in every row."""
    tests_by_id = proofs()

    def row(line: str) -> str:
        match = re.match(r"\| ([A-Z]\d+) \|", line)
        if match is None or match[1] not in tests_by_id:
            return line
        tests = "<br>".join(f"`{test}`" for test in tests_by_id[match[1]])
        return f"|{' | '.join(line.strip('|').split(' | ')[:3])} | {tests} |"

    return "\n".join(map(row, page.splitlines())) + "\n"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
