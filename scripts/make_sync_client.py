"""Write src/text2sql/client/sync_client.py, the synchronous twin, from the asynchronous classes.

    python scripts/make_sync_client.py

Each public method becomes one that runs the asynchronous method in a thread: with the same arguments, and
with the same docstring without `await`. A test fails if the file is not up to date.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "src" / "text2sql" / "client"
TARGET = CLIENT / "sync_client.py"
MODULES = ("threads", "results", "verified", "async_client")
# for the front ends of this package, which are asynchronous, or written by hand in `sync_base.py`
LEFT_OUT = {"resources", "open_stream", "source", "first_answer", "copy_first", "close"}
HEADER = '''"""`Text2SQL`: the synchronous client, for code without an event loop. Generated: do not edit.

    with Text2SQL("shop.db") as db:
        print(db.ask("How many orders were there in 2025?").answer)

`scripts/make_sync_client.py` writes this file from the asynchronous classes.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from text2sql.client.async_client import AsyncText2SQL
from text2sql.client.moved import warn_moved
from text2sql.client.results import AsyncResults
from text2sql.client.sync_base import InLoop, SyncClient
from text2sql.client.threads import AsyncThreads
from text2sql.client.verified import AsyncVerified
from text2sql.config import Settings
from text2sql.i18n import Language
from text2sql.llm import AsyncChatModel
from text2sql.memory import Pair, Stats, StoredResult, ThreadInfo
from text2sql.resources import Tables
from text2sql.types import (
    Answer, Catalog, CheckedSql, DatabaseProfile, Event, Policy, QueryResult, Row, RunKeywords, RunOptions,
    SqlRejected,
)
'''
INIT = """
        self._connect(AsyncText2SQL(source, settings=settings, model=model, policy=policy, tables=tables))

    def _connect(self, client: AsyncText2SQL, loop: Any = None) -> None:
        super()._connect(client, loop)
        self.threads = Threads(self._loop, client.threads)
        self.results = Results(self._loop, client.results)
        self.verified = Verified(self._loop, client.verified)

    def _sibling(self, client: AsyncText2SQL) -> "Text2SQL":
        sibling = Text2SQL.__new__(Text2SQL)
        sibling._connect(client, self._loop)
        return sibling
"""
CALL = """
    if not TYPE_CHECKING:

        def __call__(self, user: str = "") -> Sequence[ThreadInfo]:
            warn_moved("threads()", "threads.list()")
            return self.list(user=user)
"""


def generated() -> str:
    """The text of the module, formatted."""
    trees = [ast.parse((CLIENT / f"{name}.py").read_text(encoding="utf-8")) for name in MODULES]
    classes = (
        node
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Async")
    )
    text = "\n".join([HEADER, *(_class(node) for node in classes)])
    for command in ("check --fix-only", "format"):
        ruff = [str(Path(sys.executable).with_name("ruff")), *command.split(), "--quiet"]
        ruff += ["--stdin-filename", str(TARGET), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def _class(node: ast.ClassDef) -> str:
    base = "SyncClient" if node.name == "AsyncText2SQL" else f"InLoop[{node.name}]"
    methods = [
        _method(method)
        for method in node.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(method, node)
    ]
    call = [CALL] if node.name == "AsyncThreads" else []
    return "\n".join([f"class {_synchronous(node.name)}({base}):", _docstring(node), *methods, *call])


def _is_public(method: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef) -> bool:
    if method.name == "__init__":
        return owner.name == "AsyncText2SQL"
    return not method.name.startswith("_") and method.name not in LEFT_OUT


def _method(method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    returns = _synchronous(ast.unparse(method.returns)) if method.returns else "None"
    returns = re.sub(r"AsyncGenerator\[(.+), None\]", r"Iterator[\1]", returns)
    call = f"self._async.{method.name}({', '.join(_arguments(method.args))})"
    if method.name == "__init__":
        body = INIT
    elif isinstance(method, ast.FunctionDef):  # a view of the same database
        body = f"        return self._sibling({call})\n"
    elif any("asynccontextmanager" in ast.unparse(decorator) for decorator in method.decorator_list):
        returns = re.sub(r"AsyncIterator\[(.+)\]", r"AbstractContextManager[\1]", returns)
        body = f"        return self._entered({call})\n"
    elif "Iterator" in returns:
        body = f"        return self._loop.stream({call})\n"
    else:
        body = f"        return self._loop.do({call})\n"
    signature = f"    def {method.name}({_synchronous(ast.unparse(method.args))}) -> {returns}:"
    return f"{signature}\n{_docstring(method)}\n{body}"


def _arguments(arguments: ast.arguments) -> Iterator[str]:
    yield from (argument.arg for argument in arguments.args if argument.arg != "self")
    yield from (f"{argument.arg}={argument.arg}" for argument in arguments.kwonlyargs)
    if arguments.kwarg:
        yield f"**{arguments.kwarg.arg}"


def _docstring(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    text = ast.get_docstring(node, clean=False)
    if text is None:
        raise SystemExit(f"{node.name} has no docstring")
    indent = "    " if isinstance(node, ast.ClassDef) else "        "
    return f'{indent}"""{_synchronous(text)}"""'


def _synchronous(text: str) -> str:
    """The names and the examples without `async`."""
    text = re.sub(r"\bAsync(Text2SQL|Threads|Results|Verified)\b", r"\1", text)
    text = text.replace("The asynchronous client", "The synchronous client")
    return re.sub(r"\b(?:await|async) ", "", text).replace("`async with`", "`with`")


if __name__ == "__main__":
    TARGET.write_text(generated(), encoding="utf-8")
