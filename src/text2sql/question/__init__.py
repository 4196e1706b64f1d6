"""What a question says, independent of any SQL: whose names it asks for, the kinds of analysis, and time.
The words and phrases of each language are in `patterns_en.toml` and `patterns_zh.toml`; time has a package.

This package does not know the schema index: callers pass in the terms of the question and what they match.
"""

from text2sql.question.analytic import analytic_kinds
from text2sql.question.intent import question_intent
from text2sql.question.time import describe_range, read_time

__all__ = ["analytic_kinds", "describe_range", "question_intent", "read_time"]
