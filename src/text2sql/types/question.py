"""What a question says, independent of any SQL."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


@dataclass(frozen=True, slots=True)
class QuestionIntent:
    """What a question says about the schema, extracted by rules. Tables have their labels as names."""

    named: tuple[str, ...] = ()  # *the names of the members*: the tables whose names are requested


class QuestionTerm(Protocol):
    """One word of a question, or a phrase. `start` and `end` are positions in the question (NFKC)."""

    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def word(self) -> str:
        """In lower case and singular."""
        ...

    @property
    def is_chinese(self) -> bool: ...
    @property
    def is_phrase(self) -> bool: ...


QuestionTermT = TypeVar("QuestionTermT", bound=QuestionTerm)
QuestionTermT_contra = TypeVar("QuestionTermT_contra", bound=QuestionTerm, contravariant=True)


class SchemaWords(Protocol, Generic[QuestionTermT_contra]):
    """What words mean in a schema. `schema/` implements it and `question/` uses it."""

    def named_by(self, term: QuestionTermT_contra) -> list[str]:
        """The tables whose whole name is the word or one of its synonyms."""
        ...
