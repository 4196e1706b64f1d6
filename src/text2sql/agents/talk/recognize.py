"""Recognizes messages that are not about the data: a greeting, the tables, another chart, a file.

A pattern has to match the whole message, so that a question which only contains such words stays a question.
The patterns are in `en.toml` and `zh.toml`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias, get_args

from text2sql.agents.talk.pattern import Matcher, Node, Patterns, parse_pattern
from text2sql.agents.talk.vocabulary import vocabulary
from text2sql.schema import SchemaContext, label
from text2sql.schema.tokenizer import terms
from text2sql.text_normalization import words
from text2sql.types import Table

TalkKind: TypeAlias = Literal[
    "describe", "schema", "tables", "complaint", "examples", "capabilities", "identity", "certainty", "chart",
    "style", "export", "again", "explain", "thanks", "farewell", "greeting", "chat",
]  # fmt: skip
# In order of precedence.
_KINDS: tuple[TalkKind, ...] = get_args(TalkKind)
_POLITE: frozenset[TalkKind] = frozenset({"thanks", "farewell", "greeting", "chat"})
_LONGEST = {"en": 120, "zh": 40}  # characters: anything longer is a question
_CJK = re.compile(r"[\u3400-\u9fff]")
_CLAUSES = re.compile(
    r"[.,;:!?\n\u2026。，、；：！？~—-]+(?=\s|$|[\u3400-\u9fff])|[。，；！？、\n]+|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
)
_APOSTROPHES = (
    ("what's", "what is"), ("who's", "who is"), ("where's", "where is"), ("how's", "how is"),
    ("that's", "that is"), ("it's", "it is"), ("i'm", "i am"), ("you're", "you are"), ("don't", "do not"),
    ("i'd", "i would"), ("let's", "lets"), ("whats ", "what is "),
)  # fmt: skip
_MAX_VARIANTS = 16  # ways to remove polite words
_MAX_NAME_WORDS = 3  # or pairs of Chinese characters
_TABLE_WORDS = re.compile(r"\btable\b|\bcolumns?\b|\bfields?\b|字段|列名|表|哪些列|什么列|几列")
UNKNOWN = "?"  # prefix of a table name that does not exist


@dataclass(frozen=True, slots=True)
class Talk:
    kind: TalkKind
    detail: str = ""  # the named chart, file format or table


@dataclass(frozen=True, slots=True)
class _Rules:
    patterns: Mapping[TalkKind, tuple[Node, ...]]
    lists: Patterns
    before: tuple[str, ...]  # polite words, in English with the adjacent space
    after: tuple[str, ...]
    known_words: tuple[str, ...]
    charts: Mapping[str, str]  # word → kind of chart
    formats: Mapping[str, str]  # word → ending of a file


def talk_of(text: str, schema_context: SchemaContext) -> Talk | None:
    """None for everything that may be a question about the data."""
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").casefold().strip()
    if not folded or len(folded) > _LONGEST["zh" if _CJK.search(folded) else "en"]:
        return None
    whole = _recognized(folded, schema_context)
    if whole is not None:
        return whole
    clauses = [clause for clause in _CLAUSES.split(folded) if _normalize(clause)]
    parts = [_recognized(clause, schema_context) for clause in clauses]
    if len(parts) < 2 or None in parts:
        return None
    recognized = [part for part in parts if part is not None]
    return next((part for part in reversed(recognized) if part.kind not in _POLITE), recognized[0])


def _recognized(text: str, schema_context: SchemaContext) -> Talk | None:
    rules = _rules("zh" if _CJK.search(text) else "en")
    plain = _normalize(text)
    talk = _first_match(plain, rules, schema_context)
    if talk is None and rules.known_words:
        corrected = " ".join(_corrected(word, rules, schema_context) for word in plain.split())
        talk = _first_match(corrected, rules, schema_context) if corrected != plain else None
        text = corrected
    return talk or _from_vocabulary(text, schema_context)


def _from_vocabulary(text: str, schema_context: SchemaContext) -> Talk | None:
    spoken = _expand(text)
    names = {words(name) for name in _names(schema_context)}
    if any((word,) in names for word in words(spoken)):
        return None
    kind = vocabulary().kind_of(spoken, _KINDS)
    return None if kind is None else Talk(kind)


def _names(schema_context: SchemaContext) -> Iterator[str]:
    for table in schema_context.catalog.tables:
        yield table.name
        yield from (column.name for column in table.columns)


def _first_match(plain: str, rules: _Rules, schema_context: SchemaContext) -> Talk | None:
    variants = [rules.lists.matcher(text) for text in _variants(plain, rules)]
    for tried in (variants[:1], variants[1:]):  # the message as it is first: "instead" may matter
        for kind in _KINDS:
            for variant in tried:
                for pattern in rules.patterns.get(kind, ()):
                    captured = variant.fullmatch(pattern)
                    talk = captured is not None and _talk(kind, captured, variant.text, rules, schema_context)
                    if talk:
                        return talk
    return _unknown_table(variants, rules)


def _unknown_table(variants: Sequence[Matcher], rules: _Rules) -> Talk | None:
    """A request for the columns of a table that does not exist: a query could not answer it."""
    for variant in variants:
        for pattern in rules.patterns["describe"]:
            name = (variant.fullmatch(pattern) or {}).get("table", "")
            rest = variant.text.replace(name, " ", 1)
            is_name = len(words(name)) <= _MAX_NAME_WORDS and not vocabulary().covers(name)
            if name and is_name and _TABLE_WORDS.search(rest):
                return Talk("describe", f"{UNKNOWN}{name}")
    return None


def _variants(plain: str, rules: _Rules) -> list[str]:
    """The message, with polite words removed from its start and end, in every combination."""
    without_before = _strip_repeatedly(
        plain, lambda text: (text[len(word) :] for word in rules.before if text.startswith(word))
    )
    variants_of_each = (
        _strip_repeatedly(
            variant, lambda text: (text[: -len(word)] for word in rules.after if text.endswith(word))
        )
        for variant in without_before
    )
    return list(dict.fromkeys(variant for variants in variants_of_each for variant in variants))[
        :_MAX_VARIANTS
    ]


def _strip_repeatedly(text: str, shorter: Callable[[str], Iterable[str]]) -> list[str]:
    variants = [text]
    for variant in variants:  # the list grows while it is iterated
        variants += [shortened for shortened in shorter(variant) if shortened and shortened not in variants][
            : _MAX_VARIANTS - len(variants)
        ]
    return variants


def _talk(
    kind: TalkKind, captured: Mapping[str, str], text: str, rules: _Rules, schema_context: SchemaContext
) -> Talk | None:
    if kind == "describe":
        name = captured.get("table", "")
        # 客户结构 is how the customers are made up, 客户表的结构 is the table's
        is_table = not _CJK.search(name) or _TABLE_WORDS.search(text.replace(name, " ", 1))
        table = named_table(name, schema_context) if is_table else None
        return Talk(kind, label(table, schema_context.catalog)) if table else None
    if "noun" in captured and _is_own_word(captured["noun"], text, schema_context):
        return None
    if kind == "chart":
        return Talk(kind, rules.charts.get(captured.get("chart", ""), ""))
    return Talk(kind, rules.formats.get(captured.get("format", ""), captured.get("format", "")))


def _is_own_word(noun: str, plain: str, schema_context: SchemaContext) -> bool:
    """Whether the noun is an entity of this database: a restaurant has tables, so "which tables are there?"
    asks for its data.
    """
    if "database" in plain or "schema" in plain:
        return False
    word = words(noun)[-1:]
    return bool(word) and any(words(table.name)[-1:] == word for table in schema_context.catalog.tables)


def named_table(name: str, schema_context: SchemaContext) -> Table | None:
    """The only table with this name or comment, or that this word stands for."""
    table_name = re.sub(r"^(?:the|our|my|your|this|table) ", "", name.strip()).strip()
    if not table_name:
        return None
    tables = schema_context.catalog.tables
    parts = words(table_name.replace(" ", "_"))
    exact = [
        table
        for table in tables
        if table_name in (table.name.casefold(), label(table, schema_context.catalog).casefold())
        or table_name == table.comment.strip().casefold()
        or (parts and parts == words(table.name))
    ]
    if exact:
        return exact[0] if len(exact) == 1 else None
    if not _CJK.search(table_name):  # synonyms are matched across languages only
        return None
    name_terms = [term for term in terms(table_name) if not term.is_phrase]
    labels = schema_context.linker.named_by(name_terms[0]) if len(name_terms) == 1 else []
    by_label = {label(table, schema_context.catalog): table for table in tables}
    return by_label.get(labels[0]) if len(labels) == 1 else None


def _corrected(word: str, rules: _Rules, schema_context: SchemaContext) -> str:
    if len(word) < 4 or word in rules.known_words or any(map(schema_context.linker.knows, words(word))):
        return word
    transposed = (
        known for known in rules.known_words if known[0] == word[0] and sorted(known) == sorted(word)
    )
    return next(transposed, None) or next(iter(get_close_matches(word, rules.known_words, 1, 0.8)), word)


def _expand(text: str) -> str:
    for contraction, expanded in _APOSTROPHES:
        text = text.replace(contraction, expanded)
    return text


def _normalize(text: str) -> str:
    text = " ".join(re.sub(r"[^\w\s]|_(?!\w)", " ", _expand(text)).split())
    return re.sub(r"\s+", "", text) if _CJK.search(text) else text


# -- the patterns ------------------------------------------------------------------------------------


@cache
def _rules(language: Literal["en", "zh"]) -> _Rules:
    text = resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    space = " " if language == "en" else ""
    return _Rules(
        patterns={kind: tuple(map(parse_pattern, patterns)) for kind, patterns in data["patterns"].items()},
        lists=Patterns(data["words"]),
        before=tuple(f"{word}{space}" for word in data["polite_before"]),
        after=tuple(f"{space}{word}" for word in data["polite_after"]),
        known_words=tuple(data["known_words"]),
        charts={word: kind for kind, words_of_kind in data["charts"].items() for word in words_of_kind},
        formats={word: ending for ending, words_of_kind in data["formats"].items() for word in words_of_kind},
    )
