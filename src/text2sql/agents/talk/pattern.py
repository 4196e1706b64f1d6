"""A small regular-expression matcher in polynomial time. Messages are untrusted, and Python's `re` takes
years for some texts; here every part of a pattern is matched at most once per position.

Supported are `a|b`, `(?:…)`, `(?P<name>…)`, `?`, `*`, `+`, `.`, `[ab]`, and `<name>` for another pattern of
the same file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Captures: TypeAlias = tuple[tuple[str, str], ...]  # names with what they captured
Ends: TypeAlias = Mapping[int, Captures]  # end positions of matches, with what they captured

_SPECIAL = frozenset("()|?*+.[<")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    kind: str  # text, any, class, sequence, choice, optional, repeat, group, reference
    text: str = ""
    parts: tuple["Node", ...] = ()


class Patterns:
    """The patterns of one file, and the lists that they refer to."""

    def __init__(self, lists: Mapping[str, str]) -> None:
        self._lists = {name: parse_pattern(pattern) for name, pattern in lists.items()}

    def matcher(self, text: str) -> "Matcher":
        return Matcher(text, self._lists)


@dataclass(slots=True)
class Matcher:
    """Matches patterns against one text, with memoization."""

    text: str
    lists: Mapping[str, Node]
    _memo: dict[tuple[int, int], Ends] = field(default_factory=dict)

    def fullmatch(self, node: Node) -> Mapping[str, str] | None:
        """What the pattern captured, if it matches all of the text."""
        captured = self._ends(node, 0).get(len(self.text))
        return None if captured is None else dict(captured)

    def _ends(self, node: Node, position: int) -> Ends:
        if node.kind == "text":
            return {position + len(node.text): ()} if self.text.startswith(node.text, position) else {}
        key = (id(node), position)
        if key not in self._memo:
            self._memo[key] = self._match(node, position)
        return self._memo[key]

    def _match(self, node: Node, position: int) -> Ends:
        if node.kind in ("any", "class"):
            character = self.text[position : position + 1]
            return {position + 1: ()} if character and (node.kind == "any" or character in node.text) else {}
        if node.kind == "reference":
            return self._ends(self.lists[node.text], position)
        if node.kind == "group":
            inner_ends = self._ends(node.parts[0], position)
            return {
                end: (*captured, (node.text, self.text[position:end])) for end, captured in inner_ends.items()
            }
        if node.kind == "choice":
            return self._match_choice(node.parts, position)
        if node.kind == "optional":
            return {**self._ends(node.parts[0], position), position: ()}
        return (
            self._match_repeat(node, position)
            if node.kind == "repeat"
            else self._match_sequence(node.parts, position)
        )

    def _match_choice(self, parts: tuple[Node, ...], position: int) -> Ends:
        ends: dict[int, Captures] = {}
        for part in parts:
            for end, captured in self._ends(part, position).items():
                ends.setdefault(end, captured)
        return ends

    def _match_sequence(self, parts: tuple[Node, ...], position: int) -> Ends:
        ends: dict[int, Captures] = {position: ()}
        for part in parts:
            next_ends: dict[int, Captures] = {}
            for start, captured in ends.items():
                for end, captures in self._ends(part, start).items():
                    next_ends.setdefault(end, captured + captures)
            if not next_ends:
                return {}
            ends = next_ends
        return ends

    def _match_repeat(self, node: Node, position: int) -> Ends:
        ends: dict[int, Captures] = {position: ()}
        pending = [position]
        while pending:
            start = pending.pop()
            for end, captured in self._ends(node.parts[0], start).items():
                if end not in ends:
                    ends[end] = ends[start] + captured
                    pending.append(end)
        return ends


# -- parsing a pattern -------------------------------------------------------------------------------


def parse_pattern(pattern: str) -> Node:
    parser = _Parser(pattern)
    node = parser.choice()
    if parser.position != len(pattern):
        raise ValueError(f"a pattern ends early at {parser.position}: {pattern}")
    return node


@dataclass(slots=True)
class _Parser:
    pattern: str
    position: int = 0

    def choice(self) -> Node:
        branches = [self._sequence()]
        while self._accept("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Node("choice", parts=tuple(branches))

    def _sequence(self) -> Node:
        parts = tuple(self._quantified())
        return parts[0] if len(parts) == 1 else Node("sequence", parts=parts)

    def _quantified(self) -> Iterator[Node]:
        while self.position < len(self.pattern) and self.pattern[self.position] not in "|)":
            atom = self._atom()
            if self._accept("?"):
                atom = Node("optional", parts=(atom,))
            elif self._accept("*"):
                atom = Node("repeat", parts=(atom,))
            elif self._accept("+"):
                atom = Node("sequence", parts=(atom, Node("repeat", parts=(atom,))))
            yield atom

    def _atom(self) -> Node:
        if self._accept("(?:"):
            return self._expect_close(self.choice())
        if self._accept("(?P<"):
            name = self._read_until(">")
            return Node("group", name, (self._expect_close(self.choice()),))
        if self._accept("["):
            return Node("class", self._read_until("]"))
        if self._accept("<"):
            return Node("reference", self._read_until(">"))
        if self._accept("."):
            return Node("any")
        return Node("text", self._literal())

    def _literal(self) -> str:
        """A run of literal characters; one that is followed by `?`, `*` or `+` stands alone."""
        start = self.position
        while self.position < len(self.pattern) and self.pattern[self.position] not in _SPECIAL:
            self.position += 1
        is_quantified = self.position < len(self.pattern) and self.pattern[self.position] in "?*+"
        if is_quantified and self.position - start > 1:
            self.position -= 1
        if self.position == start:
            raise ValueError(f"nothing to match at {start}: {self.pattern}")
        return self.pattern[start : self.position]

    def _expect_close(self, node: Node) -> Node:
        if not self._accept(")"):
            raise ValueError(f"a bracket is not closed: {self.pattern}")
        return node

    def _read_until(self, mark: str) -> str:
        end = self.pattern.index(mark, self.position)
        text, self.position = self.pattern[self.position : end], end + 1
        return text

    def _accept(self, text: str) -> bool:
        accepted = self.pattern.startswith(text, self.position)
        self.position += len(text) if accepted else 0
        return accepted
