"""Read a question into an `AnalyticQuery` by rules, in both languages."""

from text2sql.question.reading.draft import AnalyticReading, OpenChoice
from text2sql.question.reading.followup import edit
from text2sql.question.reading.pieces import QuestionParts
from text2sql.question.reading.reader import read_question

__all__ = ["AnalyticReading", "OpenChoice", "QuestionParts", "edit", "read_question"]
