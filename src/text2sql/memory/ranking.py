"""Which kept questions resemble a new one: by the words they share, rare ones more than common ones. English
words and Chinese pairs of characters alike; nothing to be downloaded, trained or kept in step.
"""

import math
from collections import Counter
from collections.abc import Iterable

from text2sql.memory.kept import Pair
from text2sql.wording import normalised, words


def ranked(question: str, pairs: Iterable[Pair], most: int) -> list[tuple[float, Pair]]:
    """The best first, each with the cosine of its words' weights: 1.0 is the same words, 0.0 none of them."""
    known = [(pair, frozenset(words(pair.question))) for pair in pairs]
    spread = Counter(word for _, those in known for word in those)
    rarity = {word: _rarity(len(known), seen) for word, seen in spread.items()}
    unseen = _rarity(len(known), 0)
    asked = frozenset(words(question))
    length = math.sqrt(sum(rarity.get(word, unseen) ** 2 for word in asked))
    found = []
    for pair, those in known:
        shared = sum(rarity[word] ** 2 for word in those & asked)
        if shared:
            own = math.sqrt(sum(rarity[word] ** 2 for word in those))
            found.append((round(shared / (own * length), 4), pair))
        elif normalised(pair.question) == normalised(question):  # nothing but words that say nothing
            found.append((1.0, pair))
    return sorted(found, key=lambda one: (-one[0], -one[1].created, one[1].question))[:most]


def _rarity(count: int, seen: int) -> float:
    return math.log(1 + (count + 1) / (seen + 0.5))
