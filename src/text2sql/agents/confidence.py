"""How likely an answer is right, from what can be counted: a model's opinion of itself is worth little.

Each signal is 0 where nothing speaks against the answer and grows with what does; a logistic function of
their weighted sum is the confidence. `benchmarks/calibrate.py` fits the weights on the records of
`text2sql eval --out`, which carry the signals.
"""

import re
from collections.abc import Mapping
from math import exp

from text2sql.agents.state import Passed, SQLMessageState, Written
from text2sql.schema import Knowledge, unanswered, uncalled
from text2sql.sql.shape import hardness, is_loose, named

# Fitted by that to 278 questions about 30 training databases, in both languages; `bias` is what an answer
# without any signal gets. Blind, repairs, errors, tables and hardness are set by hand: what of these went
# wrong was read and mended, so that there they look more harmless than they are; unanswered, uncalled and
# loose, which came later, by hand too.
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
}
DOUBTFUL = 0.7  # below it another query is worth a call: the first one is then as often wrong as right
_LESS_LIKELY = 0.5  # what a nat is worth, by which another way was less likely than the first
_LEVELS = ("easy", "medium", "hard", "extra")
_TEXT = re.compile(r"'((?:[^']|'')+)'")
_MOST = 4.0  # of anything counted: the tenth error says no more than the fourth


def confidence(state: SQLMessageState) -> float | None:
    """None where there is no query that ran, so nothing to be sure of."""
    found = signals(state)
    return confidence_of(found) if found else None


def confidence_of(found: Mapping[str, float]) -> float:
    """Also for what was kept: a signal that is not known any more counts for nothing."""
    total = WEIGHTS["bias"] + sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items())
    return round(1.0 / (1.0 + exp(-total)), 4)


def signals(state: SQLMessageState) -> dict[str, float]:
    """Empty where no query was run."""
    execution, validation = state.get("execution_result"), state.get("validation_result")
    passed = validation["passed"][0] if validation and validation["passed"] else None
    if execution is None or passed is None:
        return {}
    rows = execution.get("telling", execution["row_count"])
    return signals_of(state, passed, rows, execution["agreement"])


def signals_of(
    state: SQLMessageState, passed: Passed, rows: int, agreement: float | None = None
) -> dict[str, float]:
    """Of one query that ran."""
    chosen = _written(state, passed)
    facts = _facts(state, passed, rows)
    logprob = chosen["logprob"] if chosen else None
    level = hardness(passed["sql"], state.get("connection_id", "").partition(":")[0])
    counted = {
        "doubt": 0.0 if logprob is None else -logprob,  # nats a token
        "wavering": -chosen.get("least", 0.0) if chosen else 0.0,  # at its least sure token
        "blind": float(logprob is None and state.get("attempts", 0) > 0),  # the model did not say how sure
        "retries": float(state.get("retry_count", 0)),
        "errors": float(len(state.get("error_history", []))),
        "disagreement": 0.0 if agreement is None else 1.0 - agreement,
        "hardness": float(_LEVELS.index(level)) if level in _LEVELS else _MOST,
        "assumptions": float(len(state.get("assumptions", []))),
    }
    return {name: round(min(value, _MOST), 4) for name, value in (facts | counted).items()}


def evidence(state: SQLMessageState, passed: Passed, rows: int) -> float:
    """What speaks against one of several queries, at most 0; its model's opinion of it counts for little."""
    facts, written = _facts(state, passed, rows), _written(state, passed)
    counted = sum(WEIGHTS[name] * min(value, _MOST) for name, value in facts.items())
    return counted + (_LESS_LIKELY * written.get("gap", 0.0) if written else 0.0)


def _written(state: SQLMessageState, passed: Passed) -> Written | None:
    held = state.get("candidates", [])
    return held[passed["candidate"]] if passed["candidate"] < len(held) else None


def _facts(state: SQLMessageState, passed: Passed, rows: int) -> dict[str, float]:
    return {
        "repairs": float(len(passed["repairs"])),
        "empty": float(rows == 0),
        "tables": float(max(0, len(passed["tables"]) - 1)),
        "unused": float(_unused(state, passed["sql"])),
        "unsaid": float(_unsaid(state, passed["sql"])),
        **passed.get("against", {}),  # a thread of an older version has none
    }


def against(question: str, sql: str, knowledge: Knowledge) -> dict[str, float]:
    """What of a query does not fit its question, or means nothing in particular."""
    catalogue = knowledge.catalogue
    speaks = named(sql, catalogue.dialect)
    keys = {key for table in catalogue.tables for key in table.primary_key}
    names = (*speaks.tables, *speaks.columns, *speaks.texts)
    return {
        "unanswered": float(unanswered(question, names, knowledge)),
        "uncalled": float(uncalled(question, speaks.columns)),
        "loose": float(is_loose(sql, catalogue.dialect, keys)),
    }


def _unused(state: SQLMessageState, sql: str) -> int:
    """Words of the question that stand in a column, but nowhere in the query."""
    info = state.get("schema_info")
    by_word: dict[str, list[str]] = {}
    for hit in info["values"] if info else ():
        by_word.setdefault(hit["said"], []).append(hit["value"])
    spelled = sql.replace("''", "'")
    return sum(not any(value in spelled for value in values) for values in by_word.values())


def _unsaid(state: SQLMessageState, sql: str) -> int:
    """Texts of the query that the question does not say: made up, or another word for what it says."""
    info = state.get("schema_info")
    heard = {hit["value"].casefold() for hit in (info["values"] if info else ())}
    question = state.get("question", "").casefold()
    texts = {one.replace("''", "'").strip("%").casefold() for one in _TEXT.findall(sql)}
    return sum(one not in heard and one not in question for one in texts)
