"""What a question says, independent of any SQL: whose names it asks for, and the kinds of analysis.
The words and phrases of each language are in `patterns_en.toml` and `patterns_zh.toml`.

This package does not know the schema index: callers pass in the terms of the question and what they match.
"""

from text2sql.question.analytic import analytic_kinds
from text2sql.question.intent import question_intent

__all__ = ["analytic_kinds", "question_intent"]
