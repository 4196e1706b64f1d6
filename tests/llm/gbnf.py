"""Check texts against a GBNF grammar with llama.cpp's algorithm: a set of stacks, moved on by letters."""

import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(
    r'\s*("(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[a-z][a-z0-9-]*(?!\s*::=)|\{\d+(?:,\d*)?\}|[()|*+?])'
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Grammar:
    """Rules are tuples of alternatives, an alternative a tuple of letters' predicates and rule numbers."""

    def __init__(self, text: str) -> None:
        self.rules: dict[Any, list[tuple[Any, ...]]] = {}
        self._fresh = 0
        for line in text.splitlines():
            name, _, body = line.partition(" ::= ")
            tokens = _tokens(body)
            self.rules[name] = self._alternatives(tokens)
            assert not tokens, (name, tokens[:5])
        undefined = {
            symbol
            for rule in self.rules.values()
            for alternative in rule
            for symbol in alternative
            if isinstance(symbol, str)
        } - set(self.rules)
        assert not undefined, undefined

    def accepts(self, text: str) -> bool:
        return None in self._after(text)

    def begins(self, text: str) -> bool:
        """Whether the text is a prefix of some sentence of the grammar."""
        return bool(self._after(text))

    def open_stacks(self, text: str) -> int:
        return len(self._after(text))

    def _after(self, text: str) -> set[Any]:
        stacks = set(self._expand(("root", None)))
        for letter in text:
            moved: set[Any] = set()
            for stack in stacks:
                if stack is not None and letter in stack[0]:
                    moved.update(self._expand(stack[1]))
            stacks = moved
            if not stacks:
                return stacks
        return stacks

    def _expand(self, stack: Any) -> Iterator[Any]:
        """Expand a stack to stacks with a letter on top; None is the end."""
        seen, todo = set(), [stack]
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            if current is None or isinstance(current[0], Letters):
                yield current
                continue
            for alternative in self.rules[current[0]]:
                rest = current[1]
                for piece in reversed(alternative):
                    rest = (piece, rest)
                todo.append(rest)

    def _alternatives(self, tokens: list[str]) -> list[tuple[Any, ...]]:
        alternatives = [self._sequence(tokens)]
        while tokens and tokens[0] == "|":
            tokens.pop(0)
            alternatives.append(self._sequence(tokens))
        return alternatives

    def _sequence(self, tokens: list[str]) -> tuple[Any, ...]:
        pieces: list[Any] = []
        while tokens and tokens[0] not in "|)":
            token = tokens.pop(0)
            if token == "(":
                piece: tuple[Any, ...] = (self._rule(self._alternatives(tokens)),)
                assert tokens.pop(0) == ")"
            elif token[0] == '"':
                piece = tuple(Letters(part) for part in _unescaped(token[1:-1]))
            elif token[0] == "[":
                piece = (Letters(token),)
            else:
                piece = (token,)
            while tokens and tokens[0] in ("*", "+", "?"):
                how = tokens.pop(0)
                if how == "?":
                    piece = (self._rule([piece, ()]),)
                else:
                    again = self._rule([])
                    self.rules[again] = [(*piece, again), ()]
                    piece = (again,) if how == "*" else (*piece, again)
            pieces += piece
        return tuple(pieces)

    def _rule(self, alternatives: list[tuple[Any, ...]]) -> int:
        self._fresh += 1
        self.rules[self._fresh] = alternatives
        return self._fresh


class Letters:
    def __init__(self, spelled: str) -> None:
        self.spelled = spelled
        if len(spelled) > 1:
            negated = spelled[1] == "^"
            self._negated = negated
            self._pattern = re.compile(spelled.replace("[", "[", 1))

    def __contains__(self, letter: str) -> bool:
        if len(self.spelled) == 1:
            return letter == self.spelled
        return self._pattern.fullmatch(letter) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Letters) and self.spelled == other.spelled

    def __hash__(self) -> int:
        return hash(self.spelled)


def _tokens(body: str) -> list[str]:
    tokens, at = [], 0
    while at < len(body.rstrip()):
        match = _TOKEN.match(body, at)
        assert match, body[at : at + 40]
        tokens.append(match[1])
        at = match.end()
    return tokens


def _unescaped(text: str) -> str:
    def unescape(match: re.Match[str]) -> str:
        escaped = match[1]
        if escaped[0] in "xU":
            return chr(int(escaped[1:], 16))
        return _ESCAPES.get(escaped, escaped)

    return re.sub(r"\\(U[0-9A-F]{8}|x[0-9A-F]{2}|.)", unescape, text)
