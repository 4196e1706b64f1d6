"""Match rules against tokens. A rule is a function with a pattern such as `which unit` or `'the' PIECE`.

A word in lower case is a tag of the lexicon (`.tag` if its value does not matter), a word in quotes is
itself, and a word in capitals is the rules of that name. `|` separates alternatives, `?` marks an optional
item, `~` demands that no space precedes. The function receives the values of tags and rules in their order
(None for an absent optional item) and returns None if it does not apply. Of all rules of a name the longest
match wins, and of equal ones the first.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar

from text2sql.question.time.tokens import LITERALS, Token
from text2sql.types import Calendar

_MAX_DEPTH = 5  # periods within periods: *the end of the first week of the last month of 2025*


class Match(NamedTuple):
    value: Any
    end: int  # index of the first token after it


class Item(NamedTuple):
    alternatives: tuple[str, ...]
    optional: bool
    adjacent: bool
    captured: bool


@dataclass(frozen=True, slots=True)
class Rule:
    items: tuple[Item, ...]
    action: Callable[..., Any]

    def may_start(self, keys: frozenset[str]) -> bool:
        """Whether a token with this word and these tags can be the first."""
        opening = _opening(self.items)
        return opening is None or not opening.isdisjoint(keys)


_Action = TypeVar("_Action", bound=Callable[..., Any])
RULES: dict[str, list[Rule]] = {}


def rule(name: str, *patterns: str) -> Callable[[_Action], _Action]:
    """Register a function as a rule for each pattern."""

    def register(action: _Action) -> _Action:
        RULES.setdefault(name, []).extend(Rule(_items(pattern), action) for pattern in patterns)
        return action

    return register


@cache
def _items(pattern: str) -> tuple[Item, ...]:
    return tuple(map(_item, pattern.split()))


def _item(written: str) -> Item:
    optional, adjacent = written.endswith("?"), written.startswith("~")
    alternatives = tuple(written.removesuffix("?").removeprefix("~").split("|"))
    words = (alternative.strip("'") for alternative in alternatives if alternative.startswith("'"))
    LITERALS.update(word for word in words if len(word) > 1 and not word.isascii())
    return Item(alternatives, optional, adjacent, not alternatives[0].startswith(("'", ".")))


@cache
def _opening(items: tuple[Item, ...]) -> frozenset[str] | None:
    """The words (in quotes) and tags that can come first; None if another rule can."""
    keys: set[str] = set()
    for item in items:
        if any(alternative.isupper() for alternative in item.alternatives):
            return None
        keys.update(alternative.removeprefix(".").replace("_", " ") for alternative in item.alternatives)
        if not item.optional:
            break
    return frozenset(keys)


@dataclass(slots=True)
class Parser:
    """The tokens of a question, with what their meaning depends on."""

    text: str
    tokens: Sequence[Token]
    today: date
    now: datetime
    calendar: Calendar
    day_first: bool | None = None
    begin: int = 0  # the tokens of the rule that is applied
    end: int = 0
    _known: dict[tuple[str, int, int], Match | None] = field(default_factory=dict)
    _depth: int = 0

    def tag(self, index: int, tag: str) -> Any:
        return self.tokens[index].tags.get(tag) if 0 <= index < len(self.tokens) else None

    def word(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def adjacent(self, index: int) -> bool:
        """Whether no space precedes the token."""
        return 0 < index < len(self.tokens) and self.tokens[index - 1].end == self.tokens[index].begin

    def match(self, name: str, index: int) -> Match | None:
        """The longest match of the rules of a name."""
        if index >= len(self.tokens) or self._depth > _MAX_DEPTH:
            return None
        key = name, index, self._depth
        if key not in self._known:
            self._depth += 1
            self._known[key] = self._longest(name, index)
            self._depth -= 1
        return self._known[key]

    def _longest(self, name: str, index: int) -> Match | None:
        longest: Match | None = None
        token = self.tokens[index]
        keys = frozenset((f"'{token.text}'", *(tag.replace("_", " ") for tag in token.tags)))
        for candidate in RULES[name]:
            if not candidate.may_start(keys):
                continue
            for values, end in self._matches(candidate.items, 0, index):
                if end > index and (longest is None or end > longest.end):
                    value = self._applied(candidate, values, index, end)
                    if value is not None:
                        longest = value if isinstance(value, Match) else Match(value, end)
        return longest

    def _applied(self, candidate: Rule, values: tuple[Any, ...], index: int, end: int) -> Any:
        outer = self.begin, self.end
        self.begin, self.end = index, end
        try:
            return candidate.action(self, *values)
        except (ValueError, OverflowError):  # February 30, the year 12000
            return None
        finally:
            self.begin, self.end = outer

    def _matches(
        self, items: tuple[Item, ...], position: int, index: int
    ) -> Iterator[tuple[tuple[Any, ...], int]]:
        """All ways to match the items from one position on, those with optional items first."""
        if position == len(items):
            yield (), index
            return
        item = items[position]
        matched = self._item(item, index)
        if matched is not None:
            value = (matched.value,) if item.captured else ()
            for values, end in self._matches(items, position + 1, matched.end):
                yield value + values, end
        if item.optional:
            absent = (None,) if item.captured else ()
            for values, end in self._matches(items, position + 1, index):
                yield absent + values, end

    def _item(self, item: Item, index: int) -> Match | None:
        if index >= len(self.tokens) or (item.adjacent and not self.adjacent(index)):
            return None
        token = self.tokens[index]
        for alternative in item.alternatives:
            if alternative.startswith("'"):
                if token.text == alternative[1:-1].replace("_", " "):
                    return Match(token.text, index + 1)
            elif alternative.isupper():
                if (found := self.match(alternative, index)) is not None:
                    return found
            elif (tag := alternative.removeprefix(".")) in token.tags:
                return Match(token.tags[tag], index + 1)
        return None
