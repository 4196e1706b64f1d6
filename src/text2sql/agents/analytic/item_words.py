"""Words for the measures, dimensions and entities of a database, that reading a question finds again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from text2sql.agents.analytic.reading import AnalyticContext
from text2sql.i18n import Language
from text2sql.result_columns.headers import plural, readable, source_noun
from text2sql.text_normalization import has_chinese
from text2sql.types import Dimension, Entity, Measure, OutputColumn

_SURE = 0.9
_LETTERS_MEET = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z])|(?<=[A-Za-z])(?=[\u4e00-\u9fff])")


@dataclass(frozen=True, slots=True)
class ItemWords:
    """Names of items in one language. Empty for an item that no words of its own stand for."""

    context: AnalyticContext
    language: Language

    def measure(self, measure: Measure) -> str:
        output = OutputColumn(measure.name, "value", measure.name, measure.aggregate)
        own = (source_noun(output, "en"), readable(measure.name))
        return self._first(measure.name, (*own, *measure.synonyms), readable(measure.name, "zh"))

    def dimension(self, dimension: Dimension) -> str:
        own = readable(dimension.column)
        names = (own, f"{readable(dimension.table)} {own}", *dimension.synonyms)
        return self._first(dimension.name, names, readable(dimension.column, "zh"))

    def entity(self, entity: Entity) -> str:
        """A plural in English."""
        own = readable(entity.table)
        names = (plural(own), own, *entity.synonyms)
        return self._first(entity.table, names, readable(entity.table, "zh"))

    def _first(self, item: str, names: tuple[str, ...], translated: str) -> str:
        """The first name that may mean the item; how a question with it is read is checked later."""
        return next((name for name in self._ordered(names, translated) if self._means(name, item)), "")

    def _ordered(self, names: tuple[str, ...], translated: str) -> Iterator[str]:
        """In Chinese first the Chinese names, which comments have, else the name as it is spelled."""
        if self.language == "zh":
            yield from (name for name in names if has_chinese(name))
            if has_chinese(translated):
                yield translated
        yield from names

    def _means(self, name: str, item: str) -> bool:
        mentions = self.context.lexicon.find(name)
        whole = [mention for mention in mentions if mention.end - mention.start >= len(name.strip())]
        if not whole:
            return False
        candidates = whole[0].candidates
        return any(
            found.name == item and found.score >= max(_SURE, candidates[0].score) for found in candidates
        )


def spaced(text: str) -> str:
    """Chinese with a space around names in Latin letters."""
    return _LETTERS_MEET.sub(" ", text)
