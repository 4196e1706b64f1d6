"""Says what a result means, as an analyst would: a sentence and up to three findings, in English or Chinese.

`describe_result` is a pure function of the result, of what is known about its columns, and of the question.
Every number in its text is in the result or computed from it.
"""

from text2sql.answers.description import AnswerText, describe_result
from text2sql.answers.query_words import describe_query, facts_of

__all__ = ["AnswerText", "describe_query", "describe_result", "facts_of"]
