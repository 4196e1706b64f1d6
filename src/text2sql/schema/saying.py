"""What a question says in so many words, for repairs that hold a query to it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from text2sql.schema.coverage import uncovered
from text2sql.schema.denying import denial
from text2sql.schema.glossary import LONGEST_PHRASE
from text2sql.schema.knowledge import Knowledge
from text2sql.schema.listing import listed
from text2sql.schema.terms import Term, terms
from text2sql.schema.things import named, things
from text2sql.types import Columns, Said, ValueHit
from text2sql.wording import words

_EACH = re.compile(
    r"(?i)\b(?:each|every|per|(?:for|(?<!number )of|by|in|across) (?:the )?different)\s+"
    r"(?!\w+(?: \w+)? once\b)(\w+(?:\s+\w+)?)"
    r"|(?:(?<!平均)每一?[个位种家名类所座]?(?!\w{1,6}一次)|各个?|^不同|[按在，]不同)([\u3400-\u9fff]{1,4})"
)
_SOUGHT = re.compile(
    r"(?i)\b(?:which|what)\s+(?:(?:is|are|was|were)\s+the\s+)?(\w+(?:\s+\w+)?)"
    r"|哪[一些个种款位家辆部所座本张只]*([\u3400-\u9fff]{1,4})"
)
_OF = re.compile(  # *list the name of all …*
    r"(?i)\b(?:show|list|give|return|find|display|what (?:is|are))\s+(?:me\s+)?(?:all\s+)?the\s+"
    r"(\w+(?:\s+\w+)?)\s+of\b"
    r"|的([\u3400-\u9fff]{2,4})(?=是什么|有哪些|。?$)"
)
_ORDER = re.compile(
    r"(?i)\b(?:(?:sort(?:ed)?|order(?:ed)?|ranked) by|order of)\s+(?:the\s+|their\s+)?(\w+(?:\s+\w+)?)"
    r"|按照?[^，。]*?([\u3400-\u9fff]{2,4}?)(?=的?(?:[升降]序|从|由|排))"
)
_WHOLE = re.compile(
    r"(?i)\b(all|every|everything|info\w*|details?|data|records?|rows?)\b|全部|所有|信息|详[细情]|资料|数据|记录"
)
_DETAILS = re.compile(r"(?i)\bdetails?\b|详[细情]|细节")
_DIFFERENT = re.compile(
    r"(?i)\b(different|distinct|unique)\b"
    r"|\b(no|without|not|don['’]t) (duplicat|repe(at|tit))\w*"
    r"|\beach (\w+ )?(only )?once\b|不同|不要?重复|去重|只[列出算][^，。]{0,2}一次"
)
_DISTINCT = re.compile(
    r"(?i)\b(?:different|distinct|unique)\s+(\w+(?:\s+\w+)?)|不同的?([\u3400-\u9fff]{1,4})"
)
_BOTH = re.compile(r"(?i)\bboth\b.*\band\b|既.*又|同时")
_AVERAGE = re.compile(r"(?i)\b(average|mean)\b|平均")
_TOTAL = re.compile(r"(?i)\b(total|sum|altogether|in all)\b|总[额和共计量数]|合计|一共")
_AVERAGES = (frozenset({"average", "mean"}), "平均")
_TOTALS = (frozenset({"total"}), "总")
_TOTAL_NUMBER = re.compile(r"(?i)\btotal (?:number|amount|count)\b")


def said(question: str, knowledge: Knowledge, hits: Sequence[ValueHit] = ()) -> Said:
    """Which words are about which tables; the values that were found are words about theirs."""
    touched = {name: set(held) for name, held in knowledge.linker.touched(question).items()}
    for hit in hits:
        touched.setdefault(hit.table, set()).add(hit.said)
    return Said(
        {name: frozenset(held) for name, held in touched.items()},
        not uncovered(question, knowledge),
        text=question.casefold(),
        heard=tuple(hits),
        values=tuple(hit for hit in in_one_column(hits) if _is_a_name(hit, question, touched)),
        each=_called(_EACH, question, knowledge),
        sought=_details(question, knowledge)
        or _called(_OF, question, knowledge)
        or (() if _WHOLE.search(question) else _called(_SOUGHT, question, knowledge)),
        ranked=_ranked(question, knowledge),
        listed=listed(question, knowledge),
        different=bool(_DIFFERENT.search(question)),
        distinct=_called(_DISTINCT, question, knowledge),
        words=_words(question, knowledge),
        both=bool(_BOTH.search(question)),
        denial=denial(question, knowledge, hits),
        things=things(question, knowledge),
        named=named(question, knowledge),
        measure=_measure(question),
        averaged=_folded_up(_AVERAGES, question, knowledge),
        totalled=_folded_up(_TOTALS, question, knowledge),
    )


def _measure(question: str) -> Literal["avg", "sum", ""]:
    average, total = _AVERAGE.search(question), _TOTAL.search(question)
    if bool(average) == bool(total):
        return ""
    return "avg" if average else "sum"


def _called(how: re.Pattern[str], question: str, knowledge: Knowledge) -> Columns:
    """The columns that go by the words after it; where none does, those that stand for what they name."""
    called, _ = knowledge.linker.columns
    for match in how.finditer(question):
        english, chinese = match.groups()
        pieces = [english, *english.split()] if english else _pieces(chinese)
        for piece in pieces:
            meant = knowledge.glossary.synonyms(piece) if chinese else ()
            ways = [way for way in dict.fromkeys(map(words, (piece, *meant))) if way]
            for more in ((), ("id",)):
                found = [place for way in ways for place in called.get((*way, *more), ())]
                if found:
                    return tuple(dict.fromkeys(found))
    return ()


def _details(question: str, knowledge: Knowledge) -> Columns:
    """*The details of the ship*: columns that are called so, `other_ship_details`; not all there is."""
    if not _DETAILS.search(question):
        return ()
    called, _ = knowledge.linker.columns
    return tuple(place for name, places in called.items() if name[-1:] == ("detail",) for place in places)


def _folded_up(how: tuple[frozenset[str], str], question: str, knowledge: Knowledge) -> Columns:
    """The columns that the question names only behind one of these words."""
    called, _ = knowledge.linker.columns
    line, (english, chinese) = words(_TOTAL_NUMBER.sub("total", question)), how
    found: dict[tuple[str, str], None] = {}
    for at in (at for at, word in enumerate(line) if word in english):
        for name in (line[at + 1 : at + 1 + n] for n in range(1, LONGEST_PHRASE + 1)):
            places = [one for one in range(len(line)) if line[one : one + len(name)] == name]
            if name in called and all(one and line[one - 1] in english for one in places):
                found.update(dict.fromkeys(called[name]))
    for match in re.finditer(rf"{chinese}([\u3400-\u9fff]{{1,4}})", question):
        for piece in _pieces(match[1]):
            if question.count(piece) == question.count(f"{chinese}{piece}"):
                ways = map(words, knowledge.glossary.synonyms(piece))
                found.update(dict.fromkeys(place for way in ways for place in called.get(way, ())))
    return tuple(found)


def _words(question: str, knowledge: Knowledge) -> Columns:
    called, _ = knowledge.linker.columns
    meant = (way for term in terms(question) if term.is_chinese for way in _english(term, knowledge))
    lines = [words(way) for way in (question, *meant)]
    lengths = range(1, LONGEST_PHRASE + 1)
    runs = (line[at : at + n] for line in lines for at in range(len(line)) for n in lengths)
    return tuple(dict.fromkeys(place for run in runs for place in called.get(run, ())))


def _english(term: Term, knowledge: Knowledge) -> Iterator[str]:
    """Verbs as flags have them, too: 退休 may be `retired`."""
    for one in knowledge.glossary.synonyms(term.word):
        if one.isascii():
            yield from (one, f"{one}d", f"{one}ed")


def _pieces(run: str) -> list[str]:
    """How it may begin, the longest first; then how it may end."""
    ends = range(len(run), 0, -1)
    return [*(run[:n] for n in ends), *(run[-n:] for n in ends if n > 1)]


def _ranked(question: str, knowledge: Knowledge) -> Columns:
    """The columns that only the order is said to be by."""
    order = _ORDER.search(question)
    if order is None:
        return ()
    called = _called(_ORDER, question[order.start() :], knowledge)
    rest = f"{question[: order.start()]} {question[order.end() :]}"
    if order[2] and order[2][-2:] in rest:
        return ()
    elsewhere = set(words(rest))
    return () if any(elsewhere & set(words(name)) for _, name in called) else called


def _is_a_name(hit: ValueHit, question: str, touched: Mapping[str, set[str]]) -> bool:
    """Written as one, or what a thing is called: *gold members*, *how many females*. *Who paid* is a verb."""
    if hit.said != hit.said.lower() or not hit.said.isascii():
        return True
    if re.search(rf"(?i)\b(which|how many|every|all)\s+{re.escape(hit.said)}\b", question):
        return True
    after = re.search(re.escape(hit.said) + r"\W+(\w+)", question)
    return after is not None and after[1] in touched.get(hit.table, ())


def in_one_column(hits: Iterable[ValueHit]) -> list[ValueHit]:
    """Of words that stand in one column only: which one is meant needs no guess."""
    held = list(hits)
    places: dict[str, set[tuple[str, str]]] = {}
    for hit in held:
        places.setdefault(hit.said, set()).add((hit.table, hit.column))
    return [hit for hit in held if len(places[hit.said]) == 1]
