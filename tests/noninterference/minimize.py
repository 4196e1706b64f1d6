"""Minimizes a statement that shows a finding: delta debugging on the tree, then on the tokens."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

Shows = Callable[[str], bool]


def minimize(statement: str, dialect: str, shows: Shows, seconds: float = 60.0) -> str:
    """Minimize a statement. `shows` tests whether a candidate still shows the finding."""
    deadline = time.monotonic() + seconds
    smaller = _by_tree(statement, dialect, shows, deadline)
    return _by_tokens(smaller, dialect, shows, deadline)


def _by_tree(statement: str, dialect: str, shows: Shows, deadline: float) -> str:
    best, candidates = statement, {statement}
    improved = True
    while improved:
        improved = False
        for candidate in _reduced(best, dialect):
            if time.monotonic() > deadline:
                return best
            if len(candidate) < len(best) and candidate not in candidates:
                candidates.add(candidate)
                if shows(candidate):
                    best, improved = candidate, True
                    break
    return best


def _reduced(statement: str, dialect: str) -> Iterator[str]:
    """The statement with one part less, large parts first."""
    try:
        tree = sqlglot.parse_one(statement, dialect=dialect)
    except SqlglotError:
        return
    yield from _inner_queries(tree, dialect)
    yield from _with_an_argument_less(tree, dialect)
    yield from _with_a_simpler_node(tree, dialect)


def _inner_queries(tree: exp.Expr, dialect: str) -> Iterator[str]:
    for node in tree.find_all(exp.Query, exp.Subquery):
        if node is not tree:
            yield _sql(node, dialect)


def _with_an_argument_less(tree: exp.Expr, dialect: str) -> Iterator[str]:
    for index, node in enumerate(tree.walk()):
        for key, value in node.args.items():
            if isinstance(value, list):
                for position in range(len(value)):
                    yield _changed(tree, index, dialect, partial(_drop, key=key, position=position))
            elif isinstance(value, exp.Expr) and (key not in ("this", "expression") or not index):
                yield _changed(tree, index, dialect, partial(_drop, key=key))


def _with_a_simpler_node(tree: exp.Expr, dialect: str) -> Iterator[str]:
    for index, node in enumerate(tree.walk()):
        if not index or isinstance(node, (exp.Identifier, exp.Literal)):
            continue
        for child in node.iter_expressions():
            yield _changed(tree, index, dialect, partial(_replace, new=child))
        if isinstance(node, exp.Condition):
            yield _changed(tree, index, dialect, partial(_replace, new=exp.Literal.number(1)))


def _drop(node: exp.Expr, key: str, position: int | None = None) -> None:
    remaining = (
        None if position is None else [value for at, value in enumerate(node.args[key]) if at != position]
    )
    node.set(key, remaining)


def _replace(node: exp.Expr, new: exp.Expr) -> None:
    node.replace(new.copy())


def _changed(tree: exp.Expr, index: int, dialect: str, change: Callable[[exp.Expr], object]) -> str:
    copy = tree.copy()
    for at, node in enumerate(copy.walk()):
        if at == index:
            change(node)
            break
    return _sql(copy, dialect)


def _sql(tree: exp.Expr, dialect: str) -> str:
    try:
        return tree.sql(dialect=dialect)
    except (SqlglotError, AttributeError, TypeError, ValueError, KeyError, IndexError):
        return ""  # a tree that cannot be written


def _by_tokens(statement: str, dialect: str, shows: Shows, deadline: float) -> str:
    """Leave out runs of tokens, long ones first; what sqlglot would write otherwise stays as it is."""
    pieces = _pieces(statement, dialect)
    length = len(pieces) // 2
    while length:
        start = 0
        while start + length <= len(pieces):
            if time.monotonic() > deadline:
                return "".join(pieces).strip()
            candidate = [*pieces[:start], *pieces[start + length :]]
            if shows("".join(candidate).strip()):
                pieces = candidate
            else:
                start += 1
        length //= 2
    return "".join(pieces).strip()


def _pieces(statement: str, dialect: str) -> list[str]:
    """The tokens as written, each with the blanks before it."""
    try:
        tokens = sqlglot.tokenize(statement, read=dialect)
    except SqlglotError:
        return [statement]
    ends = [token.end + 1 for token in tokens]
    return [statement[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
