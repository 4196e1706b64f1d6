"""Two readings that nothing in a question decides between: two ways to join, two tables of one name."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from text2sql.schema.knowledge import Knowledge
from text2sql.schema.names import Join, Joins, label
from text2sql.schema.terms import folded, terms
from text2sql.types import Catalogue, Choice
from text2sql.wording import words

_LONGEST = 4  # foreign keys in a path: a longer one is nobody's first reading
_SAME = 0.999


@dataclass(frozen=True, slots=True)
class Rivals:
    """Tables that one word could equally mean, and a choice for each."""

    said: str
    tables: tuple[str, ...]
    choices: tuple[Choice, ...]


def paths(catalogue: Catalogue, a: str, b: str, most: int = 2) -> list[tuple[Join, ...]]:
    """The shortest ways from table `a` to table `b` along foreign keys, at most `most`, none longer than the
    shortest: with two of them somebody has to say which one is meant.
    """
    joins = Joins(catalogue)
    found: list[tuple[Join, ...]] = []
    queue: deque[tuple[Join, ...]] = deque((step,) for step in joins.steps(a))
    reached = {a: 0}
    while queue and len(found) < most:
        path = queue.popleft()
        here = path[-1].to
        if found and len(path) > len(found[0]):
            break
        if here == b:
            found.append(path)
        elif len(path) < _LONGEST and reached.setdefault(here, len(path)) >= len(path):
            queue.extend((*path, step) for step in joins.steps(here))
    return found


def rivals(question: str, knowledge: Knowledge) -> list[Rivals]:
    """The words that two tables answer to equally well, when nothing else in the question prefers one."""
    scores = knowledge.linker.scores(question, knowledge.values.find(question))
    found: list[Rivals] = []
    for term in terms(question):
        named = knowledge.linker.named_by(term) or _twins(term.word, knowledge)
        best = max((scores[name] for name in named), default=0.0)
        level = tuple(name for name in named if scores[name] >= best * _SAME)
        if (
            len(level) > 1
            and not _belong_together(level, knowledge)
            and all(level != one.tables for one in found)
        ):
            text = folded(question)
            choices = tuple(Choice(name, f"{text[: term.start]}{name}{text[term.end :]}") for name in level)
            found.append(Rivals(term.said, level, choices))
    return found


def _belong_together(tables: Sequence[str], knowledge: Knowledge) -> bool:
    """`has_pet` refers to `pets`: a question about one is about the other, and nobody has to choose."""
    parents = knowledge.linker.joins.parents
    return any(one in parents(other) for one in tables for other in tables if one != other)


def _twins(word: str, knowledge: Knowledge) -> list[str]:
    """Tables whose names end in a word and whose columns are the same: `store_orders` and `web_orders` are
    two readings of "orders", where `orders` and `order_notes` would not be.
    """
    held: dict[frozenset[str], list[str]] = {}
    for table in knowledge.catalogue.tables:
        parts = words(table.name)
        if len(parts) > 1 and parts[-1] == word:
            columns = frozenset(column.name.lower() for column in table.columns)
            held.setdefault(columns, []).append(label(table, knowledge.catalogue))
    return max(held.values(), key=len, default=[])
