"""Whether a question names a time by its distance from today, so that the answer shows the dates."""

import re

_RELATIVE = re.compile(
    r"\b(?:last|this|past|previous|current|recent|next|yesterday|today|since|so far|"
    r"year to date|ytd|mtd|fy\s?\d+|q[1-4])\b|"
    r"上个?[年月季周]|本[年月季周]|这个?[年月季周]|今年|去年|前年|昨天|今天|最近|近\d|过去|以来|上半年|下半年|财年|季度",
    re.IGNORECASE,
)


_PAST = re.compile(
    r"\b(?:last|past|previous|yesterday|ago|did)\b|上个?[年月季周]|去年|前年|昨天|过去", re.IGNORECASE
)


def names_a_past_period(question: str) -> bool:
    return _PAST.search(question) is not None


def names_a_period(question: str) -> bool:
    return _RELATIVE.search(question) is not None
