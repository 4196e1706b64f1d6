"""Estimates how likely an answer is right, from countable signals; a model's own opinion is worth little.

Each signal is 0 where nothing is wrong and grows with what is. A logistic function of their weighted sum is
the confidence. `benchmarks/calibrate.py` fits the weights to the records of `text2sql eval --out`, which
contain the signals.
"""

import asyncio
import re
from collections.abc import Mapping
from math import exp

from text2sql.agents.state import GeneratedQuery, SQLMessageState, ValidatedQuery
from text2sql.question import analytic_kinds
from text2sql.schema import SchemaContext, count_ignored_words, count_unrequested_columns, uncovered_words
from text2sql.sql import in_worker
from text2sql.sql.query_features import QueryFeatures, query_features
from text2sql.types import Certainty, SqlRejected

# Fitted to 278 questions about 30 training databases, in both languages; `bias` is the score of an answer
# without any signal. Set by hand: blind, repairs, errors, tables and hardness, because their failures on the
# training databases were fixed, so that the fit would understate them; and unanswered, uncalled, loose and
# the last three, which were added later. The names are stored in answers and records, so they stay.
WEIGHTS: Mapping[str, float] = {
    "bias": 4.448,
    "doubt": -4.404,
    "wavering": -1.726,
    "blind": -0.4,
    "repairs": -0.5,
    "retries": -0.451,
    "errors": -0.3,
    "disagreement": -2.071,
    "empty": -2.073,
    "tables": -0.3,
    "hardness": -0.35,
    "unused": -1.011,
    "unsaid": -0.723,
    "unanswered": -0.5,
    "uncalled": -0.3,
    "loose": -1.0,
    "assumptions": -1.015,
    "analytic": -1.5,
    "unmatched": -1.5,
    "follow_up": -1.5,
    "compiled": -2.0,
    "edited": -0.5,
    "loosely_named": -8.0,  # by how much a name differs from the words that it was found by
}
EXTRA = ("analytic", "unmatched", "follow_up")  # signals of the question itself
# Fitted so that at most one in ten of the answers shown as sure is wrong, to 212 answers of the embedded
# model about 24 databases (benchmarks/certainty.py): at 0.85, 11 of 75 were wrong, at 0.93 2 of 42.
SURE = 0.93
PROBABLY = 0.6
_IMPLAUSIBLE = 0.1  # below it, an answer says which words of its question match nothing
DOUBTFUL = 0.7  # below it another query is worth a call: the first one is then wrong as often as right
_GAP_WEIGHT = 0.5  # per nat by which an alternative was less likely than the first query
_LEVELS = ("easy", "medium", "hard", "extra")
_TEXT = re.compile(r"'((?:[^']|'')+)'")
_MAX_SIGNAL = 4.0  # the tenth error says no more than the fourth


def confidence(state: SQLMessageState) -> float | None:
    """None if no query ran."""
    values = signals(state)
    return confidence_of(values) if values else None


def confidence_of(values: Mapping[str, float]) -> float:
    """Also for stored signals: those that no longer exist are ignored."""
    total = WEIGHTS["bias"] + sum(WEIGHTS.get(name, 0.0) * value for name, value in values.items())
    return round(1.0 / (1.0 + exp(-total)), 4)


def certainty_of(confidence: float | None) -> Certainty | None:
    """The only place that maps a confidence to a word."""
    if confidence is None:
        return None
    return "sure" if confidence >= SURE else "probably" if confidence >= PROBABLY else "not_sure"


def signals(state: SQLMessageState) -> dict[str, float]:
    """Empty if no query ran or was drafted."""
    execution, validation = state.get("execution_result"), state.get("validation_result")
    passed = validation["passed"][0] if validation and validation["passed"] else None
    drafted = execution is None and state.get("status") == "answered"
    if passed is None or (execution is None and not drafted):
        return {}
    if state.get("compiled"):
        return _compiled_signals(state, execution["row_count"] if execution else 1)
    if not state.get("attempts") and not state.get("error_history"):
        return {"verified": 1.0}  # a person has verified this query
    if execution is None:  # a draft: what it returns is not known
        return {**signals_of(state, passed, rows=1), **_stored_question_signals(state, passed)}
    rows = execution.get("informative_rows", execution["row_count"])
    return {
        **signals_of(state, passed, rows, execution["agreement"]),
        **_stored_question_signals(state, passed),
    }


def _compiled_signals(state: SQLMessageState, rows: int) -> dict[str, float]:
    """Of a query that was compiled from a question which rules read completely."""
    return {
        "compiled": 1.0,
        "empty": float(rows == 0),
        "assumptions": float(len(state.get("assumptions", []))),
        "edited": float(bool(state.get("follow_up"))),
        "loosely_named": 1.0 - (state.get("analytic") or {}).get("weakest", 1.0),
    }


def _stored_question_signals(state: SQLMessageState, passed: ValidatedQuery) -> dict[str, float]:
    """Signals of the question. `analytic` applies only to the small model, which gives probabilities."""
    stored = passed.get("extra", {})
    generated = _generated_query(state, passed)
    is_small = generated is not None and generated["logprob"] is not None
    return {name: min(value, _MAX_SIGNAL) for name, value in stored.items() if is_small or name != "analytic"}


def is_implausible(
    state: SQLMessageState, passed: ValidatedQuery, rows: int, agreement: float | None
) -> bool:
    """Whether a small model very likely answered another question, as words of this one match nothing."""
    extra = _stored_question_signals(state, passed)
    if not extra.get("unmatched") or extra.get("follow_up") or "analytic" not in extra:
        return False
    return confidence_of({**signals_of(state, passed, rows, agreement), **extra}) < _IMPLAUSIBLE


def signals_of(
    state: SQLMessageState, passed: ValidatedQuery, rows: int, agreement: float | None = None
) -> dict[str, float]:
    """Signals of one query that ran."""
    generated = _generated_query(state, passed)
    facts = _query_signals(state, passed, rows)
    logprob = generated["logprob"] if generated else None
    level = passed.get("hardness", "easy")  # a thread of an older version has none
    counted = {
        "doubt": 0.0 if logprob is None else -logprob,  # nats per token
        "wavering": -generated.get("least", 0.0) if generated else 0.0,  # at its least likely token
        "blind": float(logprob is None and state.get("attempts", 0) > 0),  # the model gave no probabilities
        "retries": float(state.get("retry_count", 0)),
        "errors": float(len(state.get("error_history", []))),
        "disagreement": 0.0 if agreement is None else 1.0 - agreement,
        "hardness": float(_LEVELS.index(level)) if level in _LEVELS else _MAX_SIGNAL,
        "assumptions": float(len(state.get("assumptions", []))),
    }
    return {name: round(min(value, _MAX_SIGNAL), 4) for name, value in (facts | counted).items()}


def evidence(state: SQLMessageState, passed: ValidatedQuery, rows: int) -> float:
    """A score, at most 0, to compare queries for one question; the model's own probability weighs little."""
    facts, generated = _query_signals(state, passed, rows), _generated_query(state, passed)
    counted = sum(WEIGHTS[name] * min(value, _MAX_SIGNAL) for name, value in facts.items())
    return counted + (_GAP_WEIGHT * generated.get("gap", 0.0) if generated else 0.0)


def _generated_query(state: SQLMessageState, passed: ValidatedQuery) -> GeneratedQuery | None:
    candidates = state.get("candidates", [])
    return candidates[passed["candidate"]] if passed["candidate"] < len(candidates) else None


def _query_signals(state: SQLMessageState, passed: ValidatedQuery, rows: int) -> dict[str, float]:
    return {
        "repairs": float(len(passed["repairs"])),
        "empty": float(rows == 0),
        "tables": float(max(0, len(passed["tables"]) - 1)),
        "unused": float(_unused_values(state, passed["sql"])),
        "unsaid": float(_invented_texts(state, passed["sql"])),
        **passed.get("against", {}),  # a thread of an older version has none
    }


def question_signals(question: str, schema_context: SchemaContext, *, follow_up: bool) -> dict[str, float]:
    """What the question asks for that a small model seldom gets right, or that matches nothing in the
    database.
    """
    return {
        "analytic": float(len(analytic_kinds(question, schema_context.catalog))),
        "unmatched": float(len(uncovered_words(question, schema_context))),
        "follow_up": float(follow_up),
    }


async def mismatch_signals(
    question: str, sql: str, shown: str, schema_context: SchemaContext
) -> tuple[str, dict[str, float]]:
    """The hardness of a query, and signals that it does not fit its question or is ambiguous."""
    catalog = schema_context.catalog
    keys = {key for table in catalog.tables for key in table.primary_key}
    features = await in_worker(query_features, sql, shown, catalog.dialect, keys)
    if isinstance(features, SqlRejected):
        features = QueryFeatures()
    names = (*features.used_names.tables, *features.used_names.columns, *features.used_names.texts)
    misfits = {
        "unanswered": float(await asyncio.to_thread(count_ignored_words, question, names, schema_context)),
        "uncalled": float(count_unrequested_columns(question, features.used_names.columns)),
        "loose": float(features.shows_arbitrary_row),
    }
    return features.hardness, misfits


def _unused_values(state: SQLMessageState, sql: str) -> int:
    """How many words of the question match a database value that the query does not use."""
    info = state.get("schema_info")
    by_word: dict[str, list[str]] = {}
    for hit in info["values"] if info else ():
        by_word.setdefault(hit["said"], []).append(hit["value"])
    spelled = sql.replace("''", "'")
    return sum(not any(value in spelled for value in values) for values in by_word.values())


def _invented_texts(state: SQLMessageState, sql: str) -> int:
    """How many texts of the query are neither in the question nor values that it mentions."""
    info = state.get("schema_info")
    known_values = {hit["value"].casefold() for hit in (info["values"] if info else ())}
    question = state.get("question", "").casefold()
    texts = {text.replace("''", "'").strip("%").casefold() for text in _TEXT.findall(sql)}
    return sum(text not in known_values and text not in question for text in texts)
