"""Columns that are parts of the name of a person."""

from collections.abc import Iterator, Sequence

from text2sql.text_normalization import words

_FIRST_NAMES = ({"first", "name"}, {"given", "name"}, {"fname"}, {"forename"})
_LAST_NAMES = ({"last", "name"}, {"surname"}, {"lname"}, {"family", "name"})


def name_parts(columns: Sequence[int], names: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """First and last names belong together."""
    rest = list(columns)
    for at in columns:
        if at not in rest:
            continue
        rest.remove(at)
        partner = next((other for other in rest if _are_a_name(names[at], names[other])), None)
        if partner is None:
            yield (at,)
        else:
            rest.remove(partner)
            first = at if _is_first(names[at]) else partner
            yield (first, partner if first == at else at)


def _are_a_name(first: str, second: str) -> bool:
    return (_is_first(first) and _is_last(second)) or (_is_last(first) and _is_first(second))


def _is_first(name: str) -> bool:
    parts = set(words(name.rsplit(".", 1)[-1]))
    return any(form <= parts for form in _FIRST_NAMES)


def _is_last(name: str) -> bool:
    parts = set(words(name.rsplit(".", 1)[-1]))
    return any(form <= parts for form in _LAST_NAMES)
