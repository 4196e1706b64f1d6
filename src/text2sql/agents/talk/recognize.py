"""Recognizes messages that are not about the data: a greeting, the tables, another chart, a file.

What the schema linker finds in a message decides: one that names a table, a column or a word of them is
about the data, unless it asks for that table itself, for a cause or for advice. One that names nothing is
talk if an expression of conversation (a frame) occurs in it, or if all of its words belong to conversation.
A word that is both, such as *questions* where a table is called so, needs a frame, and for some kinds a word
such as *I*, *you* or *this*.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from text2sql.agents.talk.lexicon import CJK, KINDS, RUNS, Lexicon, TalkKind, lexicon
from text2sql.agents.talk.named_table import described_table
from text2sql.schema import SchemaContext, classified_terms, folded, names_nothing, uncovered_words
from text2sql.schema.tokenizer import Term
from text2sql.text_normalization import singular
from text2sql.text_normalization import words as words_of

_SHORTEST = 5  # letters of a word that is corrected
_LONGEST = {"en": 140, "zh": 50}  # characters: anything longer is a question
_POLITE = frozenset({"thanks", "farewell", "greeting", "chat"})
# Kinds whose frames contain words of questions themselves: "how many tables are there?"
_MAY_COUNT = frozenset(
    {"tables", "schema", "explain", "again", "language", "remove", "world", "sort", "chat", "identity"}
)
# Kinds that a list of data is asked for with the same words: "show me all charts".
_NEED_DEIXIS = frozenset({"tables", "chart"})
_CLAUSES = re.compile(
    r"[.,;:!?\n\u2026。，、；：！？~—-]+(?=\s|$|[\u3400-\u9fff])|[。，；！？、\n]+|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
)
_QUOTED = re.compile(r"""["“”「『].+["“”」』]""")  # a text to look for
_APOSTROPHES = (
    ("what's", "what is"), ("who's", "who is"), ("where's", "where is"), ("how's", "how is"),
    ("that's", "that is"), ("it's", "it is"), ("i'm", "i am"), ("you're", "you are"), ("don't", "do not"),
    ("i'd", "i would"), ("let's", "lets"), ("whats ", "what is "),
)  # fmt: skip
_DEIXIS = re.compile(
    r"\b(?:you|your|u|i|it|this|that|these|last|previous|above|as|into|instead)\b|[你您我这那它成换改]|刚才|刚刚|上面|上一"
)
_REASON = ("reason", "cause", "原因")
# An earlier question of the thread is meant, not a question that could be asked.
_EARLIER_QUESTION = re.compile(
    r"\b(?:was|were|did)\b.*\b(?:questions?|ask(?:ed)?)\b|我(?:的|刚才|之前|上次)?(?:第一|上一?|前一)个?问题|问过|问了什么"
)
_NEGATION = re.compile(
    r"\b(?:not?|without|don t|do not|hide|remove)\b|不(?:要|用|想|需要)|别(?!的)|去掉|取消|隐藏|只要|只看"
)
_INSTEAD_OF = re.compile(r"instead of|rather than|而不是|代替")
_TABLE = re.compile(r"\b(?:table|grid)\b|表格")


@dataclass(frozen=True, slots=True)
class Talk:
    kind: TalkKind
    detail: str = ""  # the named chart, file format, table, column to sort by, or language


@dataclass(frozen=True, slots=True)
class _Content:
    """What a message is about, as the schema sees it."""

    names: bool  # a word of the schema
    homonyms: bool  # a word of the schema that is also a word of conversation
    unmatched: bool  # a content word that is neither


def talk_of(text: str, schema_context: SchemaContext) -> Talk | None:
    """None for everything that may be a question about the data."""
    message = unicodedata.normalize("NFKC", text).replace("’", "'").strip()
    if (
        _QUOTED.search(message)
        or not message
        or len(message) > _LONGEST["zh" if CJK.search(message) else "en"]
    ):
        return None
    talk = _recognize(message, schema_context)
    corrected = _corrected(_plain(message), schema_context)
    if talk is None and corrected != _plain(message):
        talk = _recognize(corrected, schema_context)
    clauses = [clause for clause in _CLAUSES.split(message) if RUNS.search(clause)]
    if len(clauses) < 2 or (talk is not None and talk.kind not in _POLITE):
        return talk
    parts = [_recognize(clause, schema_context) for clause in clauses if not _is_filler(clause)]
    recognized = [part for part in parts if part is not None]
    if len(recognized) < len(parts):
        return None
    if not parts:
        return talk
    requests = [part for part in recognized if part.kind not in _POLITE]
    return requests[-1] if requests else min(recognized, key=lambda part: KINDS.index(part.kind))


def is_unrelated(question: str, schema_context: SchemaContext) -> bool:
    """Whether a message names nothing of the database, and neither counts nor narrows anything."""
    has_content = bool(uncovered_words(question, schema_context))
    counts = lexicon().analytic.search(_plain(question)) is not None
    return has_content and not counts and names_nothing(question, schema_context)


def _recognize(message: str, schema_context: SchemaContext) -> Talk | None:
    plain = _plain(message)
    table = described_table(plain, schema_context)
    if table is not None:
        return Talk("row_count" if table.wants_count else "describe", table.label)
    content, words = _content(message, schema_context), lexicon()
    if judged := _judgement(plain, content, words, schema_context):
        return judged
    if words.has_frame("sort", plain):  # what it names is a column of the last answer, or of the database
        return Talk("sort")
    if content.names:
        return None
    is_covered = words.covers(plain)
    counts = words.analytic.search(words.phrases.sub(" ", plain)) is not None
    is_deictic = not content.homonyms or (not content.unmatched and _DEIXIS.search(plain))
    for kind in KINDS:
        if (counts and kind not in _MAY_COUNT) or (kind == "examples" and _EARLIER_QUESTION.search(plain)):
            continue
        by_frame = (is_deictic or kind not in _NEED_DEIXIS) and words.has_frame(kind, plain)
        by_words = is_covered and ((kind in _POLITE and kind != "chat") or not content.homonyms)
        if by_frame or (by_words and words.has_cue(kind, plain)):
            return _talk(kind, plain, words)
    return None


def _corrected(plain: str, schema_context: SchemaContext) -> str:
    """The message without misspellings of words such as *tables*; names in the schema are never corrected."""
    meta = [word for word in lexicon().meta if word.isascii() and len(word) > 3]
    return " ".join(_correct_word(word, meta, schema_context) for word in plain.split())


def _correct_word(word: str, meta: Sequence[str], schema_context: SchemaContext) -> str:
    is_known = schema_context.glossary.is_english_word(singular(word)) or lexicon().is_conversation(word)
    if (
        len(word) < _SHORTEST
        or not word.isascii()
        or is_known
        or any(map(schema_context.linker.knows, words_of(word)))
    ):
        return word
    transposed = (known for known in meta if known[0] == word[0] and sorted(known) == sorted(word))
    return next(transposed, None) or next(iter(get_close_matches(word, meta, 1, 0.8)), word)


def _is_filler(clause: str) -> bool:
    """Whether a clause says nothing: "ok", "well then"."""
    plain, words = _plain(clause), lexicon()
    return words.covers(plain) and not any(
        words.has_cue(kind, plain) or words.has_frame(kind, plain) for kind in KINDS
    )


def _plain(message: str) -> str:
    """Lower-case words with single spaces; Chinese in runs."""
    text = message.casefold()
    for contraction, expanded in _APOSTROPHES:
        text = text.replace(contraction, expanded)
    return " ".join(RUNS.findall(text))


def _content(message: str, schema_context: SchemaContext) -> _Content:
    """Words inside a phrase of conversation ("descending order") are not content."""
    words, text = lexicon(), folded(message)
    phrases = [match.span() for match in words.phrases.finditer(text.casefold())]
    chinese = [match.span() for match in words.chinese.finditer(text)]
    last_words = {words_of(table.name)[-1:] for table in schema_context.catalog.tables}
    names = homonyms = unmatched = False
    for term, match in classified_terms(message, schema_context):
        is_phrase = _is_inside(term, phrases)
        is_talk = words.is_conversation(term.text.casefold()) or _is_inside(term, chinese)
        homonyms |= match == "general" and words_of(term.text)[-1:] in last_words
        if (is_phrase and not is_talk) or match in ("general", "neutral", "inside", "value"):
            continue
        if match in ("entity", "name", "table") or (match == "synonym" and not is_talk):
            homonyms |= is_talk
            names |= not is_talk
        else:
            unmatched |= not is_talk
    return _Content(names, homonyms, unmatched)


def _is_inside(term: Term, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= term.start and term.end <= end for start, end in spans)


def _judgement(plain: str, content: _Content, words: Lexicon, schema_context: SchemaContext) -> Talk | None:
    """A request for a cause or for advice; "why?" after an answer asks for its explanation."""
    is_about_data = content.names or content.unmatched
    if words.cause.search(plain) and not any(map(schema_context.linker.knows, _REASON)):
        if is_about_data:
            return Talk("cause")
        return (
            None if words.has_frame("complaint", plain) or words.analytic.search(plain) else Talk("explain")
        )
    if words.advice.search(plain) and not words.has_frame("examples", plain):
        return Talk("advice")
    return None


def _talk(kind: TalkKind, plain: str, words: Lexicon) -> Talk:
    if kind == "language":
        named = [language for word, language in words.languages.items() if word in plain]
        return Talk("again", named[-1] if named else "")
    forms = {"chart": words.charts, "export": words.formats}.get(kind, {})
    return Talk(kind, _named_form(plain, forms))


def _named_form(text: str, forms: Mapping[str, str]) -> str:
    """The only kind of chart or file that is named; "no pie chart" asks for the table."""
    text = _INSTEAD_OF.split(text)[0]
    named = {form for word, form in forms.items() if re.search(rf"(?<![a-z]){word}(?![a-z])", text)}
    if "table" in named and (_NEGATION.search(text) or (_TABLE.search(text) and len(named) == 1)):
        return "table"
    chosen = named - {"table"}
    chosen = chosen - {"csv"} or chosen  # an Excel file is no CSV file
    return chosen.pop() if len(chosen) == 1 else ""
