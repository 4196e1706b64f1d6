"""Recognizes messages that are not about the data: a greeting, the tables, another chart, a file.

A pattern has to match the whole message, so that a question which only contains such words stays a question.
The patterns are in `en.toml` and `zh.toml`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from text2sql.agents.talk.coverage import covered
from text2sql.agents.talk.pattern import Matcher
from text2sql.agents.talk.rules import KINDS, Rules, TalkKind, load_rules
from text2sql.agents.talk.vocabulary import vocabulary
from text2sql.schema import SchemaContext, label
from text2sql.schema.tokenizer import terms
from text2sql.text_normalization import words
from text2sql.types import Table

_POLITE: frozenset[TalkKind] = frozenset({"thanks", "farewell", "greeting", "chat"})
_LONGEST = {"en": 120, "zh": 40}  # characters: anything longer is a question
_CJK = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[a-z]+")
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
    detail: str = ""  # the named chart, file format, table or language


def talk_of(text: str, schema_context: SchemaContext) -> Talk | None:
    """None for everything that may be a question about the data."""
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").casefold().strip()
    if not folded or len(folded) > _LONGEST["zh" if _CJK.search(folded) else "en"]:
        return None
    if talk := _by_patterns(folded, schema_context):
        return talk
    clauses = [clause for clause in _CLAUSES.split(folded) if _normalize(clause)]
    parts = [
        _by_patterns(clause, schema_context) or _by_vocabulary(clause, schema_context) for clause in clauses
    ]
    recognized = [part for part in parts if part is not None]
    if len(parts) < 2 or None in parts:
        return _by_vocabulary(folded, schema_context)
    requests = [part for part in recognized if part.kind not in _POLITE]
    return requests[-1] if requests else min(recognized, key=lambda part: KINDS.index(part.kind))


def _by_patterns(text: str, schema_context: SchemaContext) -> Talk | None:
    for rules in _rules_for(text):
        plain = _normalize(text, rules.language)
        for variant in (plain, _correct(plain, rules, schema_context)):
            if variant and (talk := _first_match(variant, rules, schema_context)):
                return talk
    return None


def _by_vocabulary(text: str, schema_context: SchemaContext) -> Talk | None:
    for rules in _rules_for(text):
        for variant in (_expand(text), _correct(_normalize(text, rules.language), rules, schema_context)):
            if variant and (match := covered(variant, rules, schema_context)):
                return Talk(*match)
    return None


def _rules_for(text: str) -> list[Rules]:
    """English rules also for an English sentence with a Chinese name: "what columns does 客户 have"."""
    if not _CJK.search(text):
        return [load_rules("en")]
    return [load_rules("zh"), *([load_rules("en")] if len(_LATIN.findall(text)) > 1 else [])]


def _first_match(plain: str, rules: Rules, schema_context: SchemaContext) -> Talk | None:
    variants = [rules.lists.matcher(text) for text in _variants(plain, rules)]
    for group in (variants[:1], variants[1:]):  # the message as it is first: "instead" may matter
        for kind in KINDS:
            for variant in group:
                for pattern in rules.patterns.get(kind, ()):
                    captured = variant.fullmatch(pattern)
                    talk = captured is not None and _talk(kind, captured, variant.text, rules, schema_context)
                    if talk:
                        return talk
    return _unknown_table(variants, rules)


def _unknown_table(variants: Sequence[Matcher], rules: Rules) -> Talk | None:
    """A request for the columns of a table that does not exist: a query could not answer it."""
    for variant in variants:
        for pattern in rules.patterns["describe"]:
            name = (variant.fullmatch(pattern) or {}).get("table", "")
            rest = variant.text.replace(name, " ", 1)
            is_name = len(words(name)) <= _MAX_NAME_WORDS and not vocabulary().covers(name)
            if name and is_name and _TABLE_WORDS.search(rest):
                return Talk("describe", f"{UNKNOWN}{name}")
    return None


def _variants(plain: str, rules: Rules) -> list[str]:
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
    kind: TalkKind, captured: Mapping[str, str], text: str, rules: Rules, schema_context: SchemaContext
) -> Talk | None:
    if kind == "describe":
        name = captured.get("table", "")
        # 客户结构 is how the customers are made up, 客户表的结构 is the table's
        is_chinese = rules.language == "zh" and _CJK.search(name)
        is_table = not is_chinese or _TABLE_WORDS.search(text.replace(name, " ", 1))
        table = named_table(name, schema_context) if is_table else None
        return Talk(kind, label(table, schema_context.catalog)) if table else None
    if "noun" in captured and _is_own_word(captured["noun"], text, schema_context):
        return None
    if language := captured.get("language"):
        # "in English" may also be a follow-up about languages; "say it in English" is not
        is_data = "verb" not in captured and schema_context.linker.knows("language")
        return None if is_data else Talk(kind, rules.languages[language])
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


def _corrected(word: str, rules: Rules, schema_context: SchemaContext) -> str:
    is_word = len(word) < 4 or word in rules.known_words or word in vocabulary().words
    if is_word or any(map(schema_context.linker.knows, words(word))):
        return word
    transposed = (
        known for known in rules.known_words if known[0] == word[0] and sorted(known) == sorted(word)
    )
    return next(transposed, None) or next(iter(get_close_matches(word, rules.known_words, 1, 0.8)), word)


def _correct(plain: str, rules: Rules, schema_context: SchemaContext) -> str:
    """The message without misspellings; empty if it has none."""
    if not rules.known_words:
        return ""
    corrected = " ".join(_corrected(word, rules, schema_context) for word in plain.split())
    return corrected if corrected != plain else ""


def _expand(text: str) -> str:
    for contraction, expanded in _APOSTROPHES:
        text = text.replace(contraction, expanded)
    return text


def _normalize(text: str, language: str = "") -> str:
    text = " ".join(re.sub(r"[^\w\s]|_(?!\w)", " ", _expand(text)).split())
    return re.sub(r"\s+", "", text) if _CJK.search(text) and language != "en" else text
