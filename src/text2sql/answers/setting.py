"""What every sentence may use: the result, the question, the language and the period."""

from collections.abc import Sequence
from dataclasses import dataclass

from text2sql.answers.phrases import be, capitalized, phrase, with_article
from text2sql.answers.relative_times import names_a_past_period, names_a_period
from text2sql.answers.view import Measure, ResultView
from text2sql.i18n import Language
from text2sql.result_columns.dates import dates_text, period_text


@dataclass(frozen=True, slots=True)
class AnswerText:
    """A result in words. `says_truncated`: the sentence already says that there are more rows."""

    sentence: str
    findings: tuple[str, ...] = ()
    says_truncated: bool = False


@dataclass(frozen=True)
class Setting:
    view: ResultView
    question: str
    lang: Language
    last_period_incomplete: bool = False

    def say(self, key: str, **facts: object) -> str:
        return phrase(key, self.lang, **facts)

    @property
    def is_past(self) -> bool:
        return self.view.facts.period is not None or names_a_past_period(self.question)

    @property
    def period(self) -> str:
        """` in 2025`, or in Chinese `2025年`, before the noun; empty without a period."""
        period = self.view.facts.period
        if period is None:
            return ""
        start, before = period
        name, is_plain = period_text(start, before, self.lang)
        dates = dates_text(start, before, self.lang)
        is_relative = names_a_period(self.question)
        if dates != name and (not is_plain or is_relative) and (before - start).days > 1:
            name = f"{name}（{dates}）" if self.lang == "zh" else f"{name} ({dates})"
        if self.lang == "zh":
            return name
        preposition = (
            "on"
            if (before - start).days == 1
            else "from"
            if name[:4].isdigit() and " to " in name[:17]
            else "in"
        )
        return f" {preposition} {name}"

    @property
    def dates(self) -> str:
        """The dates of the period in brackets, where the question names it in another way."""
        period = self.view.facts.period
        if period is None:
            return ""
        text = dates_text(*period, self.lang)
        return f"（{text}）" if self.lang == "zh" else f" ({text})"

    def subject(self, measure: Measure) -> dict[str, str]:
        """The noun of a measure in its forms, for phrases."""
        noun = measure.noun
        return {
            "noun": noun,
            "subject": with_article(noun),
            "Subject": capitalized(with_article(noun)),
            "be": be(noun, past=self.is_past),
        }

    def sentences(self, parts: Sequence[str]) -> str:
        return ("" if self.lang == "zh" else " ").join(part for part in parts if part)
