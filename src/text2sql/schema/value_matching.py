"""Find database values in a question: exact matches after normalization, and synonyms.

Uncertain matches are not reported: a wrong hint costs a small model more answers than it saves.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from text2sql.schema.glossary import glossary
from text2sql.schema.stopwords import vocabulary
from text2sql.schema.tokenizer import Term, folded, has_cjk, terms
from text2sql.text_normalization import normalised, singular, words
from text2sql.types import ValueHit

_WORDS_A_VALUE = 6
_CJK_CHARACTERS = 12
_NAMES = 30  # a column with more values than this is assumed to contain names
_PLACES = 5  # most columns that are reported for one value
_CJK = "\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_WORD = re.compile(rf"[^\W_{_CJK}]+(?:['’.&/-][^\W_{_CJK}]+)*", re.UNICODE)
_RUN = re.compile(r"[^\W_]+")
_PART = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_NUMBER = re.compile(r"[\d\s.,:/%-]+")
_QUOTED = re.compile(  # bounded, so that a text full of quotes costs no more than its length
    r"\"([^\"]{1,80})\"|“([^”]{1,80})”|「([^」]{1,80})」|《([^》]{1,80})》|`([^`]{1,80})`"
    r"|‘([^’]{1,80})’(?!\w)|(?<!\w)'((?:[^']|'(?=\w)){1,80})'(?!\w)"
)


class ColumnValues:
    """The values of one column: normalized form → its spellings; `grams` (letter bigram → forms) is built on
    first use.
    """

    __slots__ = ("complete", "forms", "grams", "qualified_name")

    def __init__(self, qualified_name: tuple[str, str]) -> None:
        self.qualified_name = qualified_name
        self.forms: dict[str, tuple[str, ...]] = {}
        self.complete = False
        self.grams: dict[str, list[str]] | None = None


class ValueMatcher:
    """Finds values in questions, by an index from normalized forms to columns."""

    def __init__(self, names: Iterable[str]) -> None:
        """`names`: of tables and columns. A word that is such a name never matches a value. A word that is
        part of one matches only values of that column: *good customers* and `good_or_bad_customer`.
        """
        parts = {name: words(name) for name in names}
        self._names = frozenset(
            " ".join(name_words) or normalised(name) for name, name_words in parts.items()
        )
        self._parts = frozenset(word for name_words in parts.values() for word in name_words)
        self.columns_by_form: dict[str, list[ColumnValues]] = defaultdict(list)
        self._heads: set[str] = set()  # beginnings of values: a word, or the first two Chinese characters

    def add(self, form: str, column: ColumnValues) -> None:
        self.columns_by_form[form].append(column)
        first = _WORD.match(form)
        self._heads.add(first.group() if first and not has_cjk(form) else form[:2])

    def find(self, question: str) -> list[ValueHit]:
        """All values in the question. A longer match wins over one inside it; quoted text only matches as a
        whole.
        """
        hits: list[ValueHit] = []
        taken_spans: list[tuple[int, int]] = []
        for match in _QUOTED.finditer(question):
            start, end = match.span(match.lastindex or 0)
            phrase = question[start:end].strip()
            hits += self._hits(phrase, self.columns_by_form.get(self._form(phrase), ()))
            taken_spans.append((start, end))
        for start, end in sorted(self._pieces(question), key=lambda piece: piece[0] - piece[1]):
            if any(start < other_end and other_start < end for other_start, other_end in taken_spans):
                continue
            phrase = question[start:end]
            columns = [
                column
                for column in self.columns_by_form.get(self._form(phrase), ())
                if self._is_plausible(phrase, column, capitals=question[:1].isupper())
            ]
            if columns and self._is_specific(phrase, len(columns)):
                taken_spans.append((start, end))
                hits += self._hits(phrase, columns)
        return [*hits, *self._synonym_hits(question, taken_spans)]

    def _synonym_hits(self, question: str, taken_spans: list[tuple[int, int]]) -> Iterator[ValueHit]:
        """Values that match by a synonym: France for *French* and 法国. Words that occur in a name of the
        schema do not count.
        """
        text = folded(question)
        for term in terms(question):
            is_name = term.is_chinese or _is_proper_name(term, text)
            is_inside = any(term.start < end and start < term.end for start, end in taken_spans)
            if not is_name or is_inside or term.is_general:
                continue
            others = [synonym for synonym in synonyms(term.word) if len(synonym) > 2 or has_cjk(synonym)]
            if any(self._is_in_a_name(word) for word in (term.word, *others)):
                continue
            for form in dict.fromkeys(map(normalised, others)):
                for column in self.columns_by_form.get(form, ())[:_PLACES]:
                    yield ValueHit(term.text, column.forms[form][0], *column.qualified_name)

    def _is_in_a_name(self, word: str) -> bool:
        """Whether the word occurs in the name of a table or column."""
        return " ".join(words(word)) in self._names or bool(self._parts.intersection(words(word)))

    def _form(self, phrase: str) -> str:
        """The normalized form; the singular if the form is not a value (*subsidiaries* for `Subsidiary`)."""
        form = normalised(phrase)
        return form if form in self.columns_by_form or not phrase.isascii() else singular(form)

    def _is_plausible(self, phrase: str, column: ColumnValues, *, capitals: bool) -> bool:
        """Whether the word can be a value of the column. *Heads born in each state* are about `born_state`,
        not about a department named State; and if the question uses capitals, *every mason* is not Mr Mason.
        """
        (word, *more) = words(phrase) or ("",)
        if more or not phrase.isascii() or phrase != phrase.lower():
            return True
        is_unlikely_name = (
            capitals and len(column.forms) > _NAMES and phrase not in column.forms[self._form(phrase)]
        )
        return not is_unlikely_name and (word not in self._parts or word in words(column.qualified_name[1]))

    def _hits(self, phrase: str, columns: Sequence[ColumnValues]) -> list[ValueHit]:
        form = self._form(phrase)
        hits: list[ValueHit] = []
        for column in columns[:_PLACES]:
            spellings = column.forms[form]
            chosen = (phrase,) if phrase in spellings else spellings
            hits += [ValueHit(phrase, value, *column.qualified_name) for value in chosen]
        return hits

    def _pieces(self, question: str) -> Iterator[tuple[int, int]]:
        """The spans of all word sequences, and of all Chinese substrings, that could be a value."""
        spans = [match.span() for match in _WORD.finditer(question)]
        for i, (start, first) in enumerate(spans):
            head = normalised(question[start:first])
            if head in self._heads or singular(head) in self._heads:
                for _, end in spans[i : i + _WORDS_A_VALUE]:
                    yield start, end
        for run in _RUN.finditer(question):
            if not has_cjk(run.group()):
                continue
            parts = [match.span() for match in _PART.finditer(question, *run.span())]
            for i, (start, _) in enumerate(parts):
                if normalised(question[start : start + 2]) in self._heads:
                    for _, end in parts[i : i + _CJK_CHARACTERS]:
                        yield start, end

    def _is_specific(self, phrase: str, columns: int) -> bool:
        """Whether the text identifies a value: not a number, a letter, a stop word, a name of the schema, or
        a value of many columns such as `yes`.
        """
        form = normalised(phrase)
        if len(form) < 2 or _NUMBER.fullmatch(form):
            return False
        if columns > 3 and len(form) <= 4 and not has_cjk(form):
            return False
        general = vocabulary()
        if general.is_general(form) or general.is_general(singular(form)):
            return False
        return (" ".join(words(phrase)) or form) not in self._names


def _is_proper_name(term: Term, text: str) -> bool:
    """Whether the term is capitalized and not part of a longer name, such as Meeting in *Annual Meeting*."""
    before, after = text[: term.start].split(" "), text[term.end :]
    part = len(before) > 2 and before[-1] == "" and before[-2][:1].isupper()
    return term.text != term.text.lower() and not part and not after[1:2].isupper()


def synonyms(text: str) -> list[str]:
    return glossary().synonyms(text) or glossary().synonyms(" ".join(words(text)))
