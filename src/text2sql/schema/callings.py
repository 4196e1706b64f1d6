"""By which words a whole table or column goes, so that saying one of them surely means it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from text2sql.schema.glossary import glossary
from text2sql.schema.names import label
from text2sql.schema.terms import Token, terms
from text2sql.schema.vocabulary import vocabulary
from text2sql.types import Catalogue, Table
from text2sql.wording import words

Place: TypeAlias = tuple[str, str]  # table and column, the latter "" for the table itself

# Parts of names that only say what kind of thing a table or column is.
_FILLERS = frozenset(
    "t tb tbl table dim fact fct ods dwd dws ads mst master data info record list v vw".split()
)
_LONGEST = 40  # characters: a longer comment is a sentence, not a name


def callings(catalogue: Catalogue) -> Mapping[Token, tuple[Place, ...]]:
    """Word or meaning → the tables and columns whose whole name it is."""
    called: dict[Token, dict[Place, None]] = defaultdict(dict)
    for table in catalogue.tables:
        for text, place in _names(table, label(table, catalogue)):
            for token in _whole(text):
                called[token][place] = None
    return {token: tuple(places) for token, places in called.items()}


Words: TypeAlias = tuple[str, ...]


def columns_called(catalogue: Catalogue) -> tuple[Mapping[Words, list[Place]], Mapping[Words, list[Place]]]:
    """The words of a name → the columns so called, with or without their table's name before it; and the same
    for what is left of a column's name without its table's: `museum_name` is a museum's name.
    """
    whole: dict[Words, list[Place]] = defaultdict(list)
    own: dict[Words, list[Place]] = defaultdict(list)
    for table in catalogue.tables:
        before = words(table.name)
        for column in table.columns:
            name, place = words(column.name), (table.name, column.name)
            whole[name].append(place)
            whole[(*before, *name)].append(place)
            own[name[next((at for at, word in enumerate(name) if word not in before), 0) :]].append(place)
    return dict(whole), dict(own)


def _names(table: Table, name: str) -> Iterator[tuple[str, Place]]:
    yield table.name, (name, "")
    yield table.comment, (name, "")
    for column in table.columns:
        yield column.name, (name, column.name)
        yield column.comment, (name, column.name)


@lru_cache(maxsize=20_000)
def _whole(text: str) -> tuple[Token, ...]:
    """What stands for all of a name: the name has one part, or the glossary knows its parts as one."""
    if not text or len(text) > _LONGEST:
        return ()
    said = [term for term in terms(text.replace("_", " ")) if term.word not in _FILLERS]
    if not said or (len(said) > 1 and not (said[-1].is_phrase and said[-1].start == said[0].start)):
        return ()
    term = said[-1]
    long = vocabulary().abbreviations.get(term.word, (term.word,))
    return (term.word, *sorted(meaning for form in long for meaning in glossary().surely(form)))
