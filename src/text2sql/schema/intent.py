"""Extract what a question states explicitly (grouping, ordering, requested columns, negation …) for fixes
that compare a query with it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from text2sql.schema.entities import mentioned_tables, tables_to_name
from text2sql.schema.glossary import LONGEST_PHRASE
from text2sql.schema.negation import negation
from text2sql.schema.out_of_scope import uncovered_words
from text2sql.schema.requested_columns import listed_columns
from text2sql.schema.schema_context import SchemaContext
from text2sql.schema.tokenizer import Term, terms
from text2sql.text_normalization import words
from text2sql.types import Columns, QuestionIntent, ValueHit

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


def said(question: str, schema_context: SchemaContext, hits: Sequence[ValueHit] = ()) -> QuestionIntent:
    """Build the `QuestionIntent`. A matched value counts as a word that touches its table."""
    touched = {name: set(touching) for name, touching in schema_context.linker.touched(question).items()}
    for hit in hits:
        touched.setdefault(hit.table, set()).add(hit.said)
    return QuestionIntent(
        {name: frozenset(touching) for name, touching in touched.items()},
        not uncovered_words(question, schema_context),
        text=question.casefold(),
        heard=tuple(hits),
        values=tuple(hit for hit in in_one_column(hits) if _is_proper_name(hit, question, touched)),
        each=_columns_named_by(_EACH, question, schema_context),
        sought=_details(question, schema_context)
        or _columns_named_by(_OF, question, schema_context)
        or (() if _WHOLE.search(question) else _columns_named_by(_SOUGHT, question, schema_context)),
        ranked=_ranked(question, schema_context),
        listed=listed_columns(question, schema_context),
        different=bool(_DIFFERENT.search(question)),
        distinct=_columns_named_by(_DISTINCT, question, schema_context),
        words=_mentioned_columns(question, schema_context),
        both=bool(_BOTH.search(question)),
        negation=negation(question, schema_context, hits),
        things=mentioned_tables(question, schema_context),
        named=tables_to_name(question, schema_context),
        measure=_measure(question),
        averaged=_only_aggregated(_AVERAGES, question, schema_context),
        totalled=_only_aggregated(_TOTALS, question, schema_context),
    )


def _measure(question: str) -> Literal["avg", "sum", ""]:
    average, total = _AVERAGE.search(question), _TOTAL.search(question)
    if bool(average) == bool(total):
        return ""
    return "avg" if average else "sum"


def _columns_named_by(pattern: re.Pattern[str], question: str, schema_context: SchemaContext) -> Columns:
    """The columns whose names match the words that the pattern captures; else those named `<words>_id`."""
    columns_by_name, _ = schema_context.linker.columns
    for match in pattern.finditer(question):
        english, chinese = match.groups()
        pieces = [english, *english.split()] if english else _prefixes_and_suffixes(chinese)
        for piece in pieces:
            synonyms = schema_context.glossary.synonyms(piece) if chinese else ()
            names = [name for name in dict.fromkeys(map(words, (piece, *synonyms))) if name]
            for suffix in ((), ("id",)):
                columns = [column for name in names for column in columns_by_name.get((*name, *suffix), ())]
                if columns:
                    return tuple(dict.fromkeys(columns))
    return ()


def _details(question: str, schema_context: SchemaContext) -> Columns:
    """The columns for *the details of the ship*: `other_ship_details`, not every column of the table."""
    if not _DETAILS.search(question):
        return ()
    columns_by_name, _ = schema_context.linker.columns
    return tuple(
        column for name, columns in columns_by_name.items() if name[-1:] == ("detail",) for column in columns
    )


def _only_aggregated(
    markers: tuple[frozenset[str], str], question: str, schema_context: SchemaContext
) -> Columns:
    """The columns that the question mentions only directly after one of these words."""
    columns_by_name, _ = schema_context.linker.columns
    line, (english, chinese) = words(_TOTAL_NUMBER.sub("total", question)), markers
    found: dict[tuple[str, str], None] = {}
    for at in (at for at, word in enumerate(line) if word in english):
        for name in (line[at + 1 : at + 1 + n] for n in range(1, LONGEST_PHRASE + 1)):
            starts = [start for start in range(len(line)) if line[start : start + len(name)] == name]
            if name in columns_by_name and all(start and line[start - 1] in english for start in starts):
                found.update(dict.fromkeys(columns_by_name[name]))
    for match in re.finditer(rf"{chinese}([\u3400-\u9fff]{{1,4}})", question):
        for piece in _prefixes_and_suffixes(match[1]):
            if question.count(piece) == question.count(f"{chinese}{piece}"):
                names = map(words, schema_context.glossary.synonyms(piece))
                found.update(
                    dict.fromkeys(column for name in names for column in columns_by_name.get(name, ()))
                )
    return tuple(found)


def _mentioned_columns(question: str, schema_context: SchemaContext) -> Columns:
    """The columns whose whole name stands in the question, directly or in translation."""
    columns_by_name, _ = schema_context.linker.columns
    translations = (
        text for term in terms(question) if term.is_chinese for text in _english(term, schema_context)
    )
    lines = [words(text) for text in (question, *translations)]
    lengths = range(1, LONGEST_PHRASE + 1)
    ngrams = (line[at : at + n] for line in lines for at in range(len(line)) for n in lengths)
    return tuple(dict.fromkeys(column for ngram in ngrams for column in columns_by_name.get(ngram, ())))


def _english(term: Term, schema_context: SchemaContext) -> Iterator[str]:
    """The English synonyms, also as participles, because flags are named so: 退休 may be `retired`."""
    for synonym in schema_context.glossary.synonyms(term.word):
        if synonym.isascii():
            yield from (synonym, f"{synonym}d", f"{synonym}ed")


def _prefixes_and_suffixes(run: str) -> list[str]:
    """The prefixes of the text, the longest first; then its suffixes."""
    ends = range(len(run), 0, -1)
    return [*(run[:n] for n in ends), *(run[-n:] for n in ends if n > 1)]


def _ranked(question: str, schema_context: SchemaContext) -> Columns:
    """The columns that the question mentions only to order by them."""
    order = _ORDER.search(question)
    if order is None:
        return ()
    columns = _columns_named_by(_ORDER, question[order.start() :], schema_context)
    rest = f"{question[: order.start()]} {question[order.end() :]}"
    if order[2] and order[2][-2:] in rest:
        return ()
    elsewhere = set(words(rest))
    return () if any(elsewhere & set(words(name)) for _, name in columns) else columns


def _is_proper_name(hit: ValueHit, question: str, touched: Mapping[str, set[str]]) -> bool:
    """Whether the value is used as a name: capitalized, or before a noun (*gold members*, *how many
    females*). The verb in *who paid* is not.
    """
    if hit.said != hit.said.lower() or not hit.said.isascii():
        return True
    if re.search(rf"(?i)\b(which|how many|every|all)\s+{re.escape(hit.said)}\b", question):
        return True
    after = re.search(re.escape(hit.said) + r"\W+(\w+)", question)
    return after is not None and after[1] in touched.get(hit.table, ())


def in_one_column(hits: Iterable[ValueHit]) -> list[ValueHit]:
    """Only the hits whose text occurs in exactly one column, so that the column is unambiguous."""
    all_hits = list(hits)
    columns: dict[str, set[tuple[str, str]]] = {}
    for hit in all_hits:
        columns.setdefault(hit.said, set()).add((hit.table, hit.column))
    return [hit for hit in all_hits if len(columns[hit.said]) == 1]
