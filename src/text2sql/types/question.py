"""What a question says, independent of any SQL."""

from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar


@dataclass(frozen=True, slots=True)
class QuestionIntent:
    """What a question says about the schema, extracted by rules. Tables have their labels as names."""

    named: tuple[str, ...] = ()  # *the names of the members*: the tables whose names are requested


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that say what to compute: *how many*, *top 5*. Positions are in the folded question."""

    kind: str  # a key of `question/cues_en.toml`
    text: str
    start: int
    end: int
    number: float | None = None
    second: float | None = None  # of *between 3 and 5*
    unit: str = ""


@dataclass(frozen=True, slots=True)
class SchemaCandidate:
    """Something in the schema that words may mean."""

    kind: Literal["entity", "dimension", "measure"]
    name: str  # of the entity's table, the dimension or the measure
    table: str
    score: float  # 1.0: the whole name, word by word


@dataclass(frozen=True, slots=True)
class SchemaMention:
    """Words that mean something in the schema; the best candidates first."""

    text: str
    start: int
    end: int
    candidates: tuple[SchemaCandidate, ...]


@dataclass(frozen=True, slots=True)
class ValueMention:
    """Words that are a value of one or several columns: pairs of dimension and stored value."""

    text: str
    start: int
    end: int
    hits: tuple[tuple[str, str], ...]


class QuestionTerm(Protocol):
    """One word of a question, or a phrase. `start` and `end` are positions in the question (NFKC)."""

    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def meanings(self) -> frozenset[int]: ...
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
