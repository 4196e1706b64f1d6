"""Ranks stored questions by similarity to a new one: by shared words, rare words weighted higher. Works for
English words and for pairs of Chinese characters; needs no download, training or index. Similarity of meaning
comes from an embedding model, if there is one (`semantic.py`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from text2sql.memory.records import Pair
from text2sql.text_normalization import normalised, words


def rank_pairs(
    question: str, pairs: Iterable[Pair], most: int, meanings: Mapping[str, float] = MappingProxyType({})
) -> list[tuple[float, Pair]]:
    """Best first, each with the cosine similarity of the weighted words: from 0.0 (none
    shared) to 1.0 (all), or its score in `meanings` if that is higher.
    """
    candidates = [(pair, frozenset(words(pair.question))) for pair in pairs]
    document_frequency = Counter(word for _, pair_words in candidates for word in pair_words)
    weights = {word: _inverse_frequency(len(candidates), seen) for word, seen in document_frequency.items()}
    unseen_weight = _inverse_frequency(len(candidates), 0)
    question_words = frozenset(words(question))
    norm = math.sqrt(sum(weights.get(word, unseen_weight) ** 2 for word in question_words))
    scored = []
    for pair, pair_words in candidates:
        shared = sum(weights[word] ** 2 for word in pair_words & question_words)
        score = meanings.get(pair.question, 0.0)
        if shared:
            pair_norm = math.sqrt(sum(weights[word] ** 2 for word in pair_words))
            score = max(score, round(shared / (pair_norm * norm), 4))
        elif normalised(pair.question) == normalised(question):  # only stop words
            score = 1.0
        if score:
            scored.append((score, pair))
    return sorted(scored, key=lambda item: (-item[0], -item[1].created, item[1].question))[:most]


def _inverse_frequency(count: int, seen: int) -> float:
    return math.log(1 + (count + 1) / (seen + 0.5))
