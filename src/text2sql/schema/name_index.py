"""Index from words and meanings to the tables and columns whose whole name they are."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from text2sql.schema.glossary import glossary
from text2sql.schema.stopwords import vocabulary
from text2sql.schema.table_labels import label
from text2sql.schema.tokenizer import Token, terms
from text2sql.types import Catalog, Table

NamedItem: TypeAlias = tuple[str, str]  # table and column; the column is "" for the table itself

# Parts of names that only say what kind of thing a table or column is.
_FILLERS = frozenset(
    "t tb tbl table dim fact fct ods dwd dws ads mst master data info record list v vw".split()
)
_LONGEST = 40  # characters: a longer comment is a sentence, not a name


def build_name_index(catalog: Catalog) -> Mapping[Token, tuple[NamedItem, ...]]:
    """Word or meaning → the tables and columns whose whole name it is."""
    index: dict[Token, dict[NamedItem, None]] = defaultdict(dict)
    for table in catalog.tables:
        for text, item in _names(table, label(table, catalog)):
            for token in _whole_name_tokens(text):
                index[token][item] = None
    return {token: tuple(items) for token, items in index.items()}


def _names(table: Table, name: str) -> Iterator[tuple[str, NamedItem]]:
    yield table.name, (name, "")
    yield table.comment, (name, "")
    for column in (column for column in table.columns if not column.hidden):
        yield column.name, (name, column.name)
        yield column.comment, (name, column.name)


@lru_cache(maxsize=20_000)
def _whole_name_tokens(text: str) -> tuple[Token, ...]:
    """The tokens that stand for a whole name: one word, or one phrase of the glossary."""
    if not text or len(text) > _LONGEST:
        return ()
    parts = [term for term in terms(text.replace("_", " ")) if term.word not in _FILLERS]
    if not parts or (len(parts) > 1 and not (parts[-1].is_phrase and parts[-1].start == parts[0].start)):
        return ()
    term = parts[-1]
    long_forms = vocabulary().abbreviations.get(term.word, (term.word,))
    meanings = (meaning for form in long_forms for meaning in glossary().primary_meanings(form))
    return (term.word, *sorted(meanings))
