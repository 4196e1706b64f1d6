"""Values that a question says: normalised-exact, or by another word for them. An uncertain hint costs a small
model more answers than it saves.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from text2sql.schema.glossary import glossary
from text2sql.schema.terms import Term, folded, has_cjk, terms
from text2sql.schema.vocabulary import vocabulary
from text2sql.types import ValueHit
from text2sql.wording import normalised, singular, words

_WORDS_A_VALUE = 6
_CJK_CHARACTERS = 12
_NAMES = 30  # values from which on a column is taken for one of names
_PLACES = 5  # in which one value is reported
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
    """One column: normalised text → its spellings, and, once somebody asks, which pairs of letters it has."""

    __slots__ = ("complete", "forms", "grams", "place")

    def __init__(self, place: tuple[str, str]) -> None:
        self.place = place
        self.forms: dict[str, tuple[str, ...]] = {}
        self.complete = False
        self.grams: dict[str, list[str]] | None = None


class Spotter:
    """Holds under which forms values stand where, and finds them in questions."""

    def __init__(self, names: Iterable[str]) -> None:
        """`names` of tables and columns: a word that is one of them is not taken for a value, and one that is
        a part of them only for a value of such a column: *good customers* of `good_or_bad_customer`.
        """
        parts = {name: words(name) for name in names}
        self._names = frozenset(" ".join(held) or normalised(name) for name, held in parts.items())
        self._parts = frozenset(word for held in parts.values() for word in held)
        self.places: dict[str, list[ColumnValues]] = defaultdict(list)
        self._heads: set[str] = set()  # how values begin: a word, or two characters of what holds Chinese

    def hold(self, form: str, held: ColumnValues) -> None:
        self.places[form].append(held)
        first = _WORD.match(form)
        self._heads.add(first.group() if first and not has_cjk(form) else form[:2])

    def find(self, question: str) -> list[ValueHit]:
        """Longest first; a piece inside a longer hit is not reported again. Quoted text is taken whole."""
        hits: list[ValueHit] = []
        taken: list[tuple[int, int]] = []
        for match in _QUOTED.finditer(question):
            start, end = match.span(match.lastindex or 0)
            said = question[start:end].strip()
            hits += self._hits(said, self.places.get(self._form(said), ()))
            taken.append((start, end))  # what is quoted is meant as a whole
        for start, end in sorted(self._pieces(question), key=lambda piece: piece[0] - piece[1]):
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            said = question[start:end]
            places = [
                one
                for one in self.places.get(self._form(said), ())
                if self._may_be(said, one, capitals=question[:1].isupper())
            ]
            if places and self._is_telling(said, len(places)):
                taken.append((start, end))
                hits += self._hits(said, places)
        return [*hits, *self._meant(question, taken)]

    def _meant(self, question: str, taken: list[tuple[int, int]]) -> Iterator[ValueHit]:
        """Values that go by another word: the France of *French* and 法国. Not by one that is a name here."""
        text = folded(question)
        for term in terms(question):
            name = term.is_chinese or _is_a_name(term, text)
            inside = any(term.start < end and start < term.end for start, end in taken)
            if not name or inside or term.is_general:
                continue
            others = [one for one in synonyms(term.word) if len(one) > 2 or has_cjk(one)]
            if any(self._is_called(one) for one in (term.word, *others)):
                continue
            for form in dict.fromkeys(map(normalised, others)):
                for held in self.places.get(form, ())[:_PLACES]:
                    yield ValueHit(term.said, held.forms[form][0], *held.place)

    def _is_called(self, word: str) -> bool:
        """Whether a name of this schema has it."""
        return " ".join(words(word)) in self._names or bool(self._parts.intersection(words(word)))

    def _form(self, said: str) -> str:
        """As values are kept; of *subsidiaries* there may only be the `Subsidiary`."""
        form = normalised(said)
        return form if form in self.places or not said.isascii() else singular(form)

    def _may_be(self, said: str, held: ColumnValues, *, capitals: bool) -> bool:
        """*Heads born in each state* are about `born_state`, not about a department that is called State; and
        whoever writes `capitals` means no Mr Mason by *every mason*.
        """
        (word, *more) = words(said) or ("",)
        if more or not said.isascii() or said != said.lower():
            return True
        names = capitals and len(held.forms) > _NAMES and said not in held.forms[self._form(said)]
        return not names and (word not in self._parts or word in words(held.place[1]))

    def _hits(self, said: str, places: Sequence[ColumnValues]) -> list[ValueHit]:
        form = self._form(said)
        found: list[ValueHit] = []
        for held in places[:_PLACES]:
            spellings = held.forms[form]
            chosen = (said,) if said in spellings else spellings
            found += [ValueHit(said, value, *held.place) for value in chosen]
        return found

    def _pieces(self, question: str) -> Iterator[tuple[int, int]]:
        """Every run of words, and every run with Chinese characters, that could be a value."""
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

    def _is_telling(self, said: str, places: int) -> bool:
        """Not a number, not a letter, not a word of every question, not a name of this schema, and not one
        that stands everywhere, such as `yes`.
        """
        form = normalised(said)
        if len(form) < 2 or _NUMBER.fullmatch(form) or (places > 3 and len(form) <= 4 and not has_cjk(form)):
            return False
        general = vocabulary()
        if general.is_general(form) or general.is_general(singular(form)):
            return False
        return (" ".join(words(said)) or form) not in self._names


def _is_a_name(term: Term, text: str) -> bool:
    """Written as one, and not a part of a longer one: the Meeting of an *Annual Meeting* is no conference."""
    before, after = text[: term.start].split(" "), text[term.end :]
    part = len(before) > 2 and before[-1] == "" and before[-2][:1].isupper()
    return term.said != term.said.lower() and not part and not after[1:2].isupper()


def synonyms(text: str) -> list[str]:
    return glossary().synonyms(text) or glossary().synonyms(" ".join(words(text)))
