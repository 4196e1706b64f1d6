"""The answer to a question, with its receipt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from text2sql.types.catalog import ValueHit
from text2sql.types.model import Location, Usage
from text2sql.types.values import Row, Value

if TYPE_CHECKING:
    from rich.console import ConsoleRenderable

# Neither pandas nor pyarrow is a dependency.
DataFrame: TypeAlias = Any
ArrowTable: TypeAlias = Any

Status: TypeAlias = Literal["answered", "clarify", "refused", "no_data", "conversation", "confirm", "failed"]
Mode: TypeAlias = Literal["hybrid", "database_direct", "chat_direct"]
PresetName: TypeAlias = Literal["default", "light", "repair_once", "hybrid", "static"]
# How an answer is phrased: by a template, by the model in a second call, or as the number of rows only.
Summary: TypeAlias = Literal["template", "model", "off"]
# `sure` is shown without a caveat: at most one in ten such answers should be wrong (docs/evaluation.md).
Certainty: TypeAlias = Literal["sure", "probably", "not_sure"]


@dataclass(frozen=True, slots=True)
class Classification:
    """Whether the user asks for data or just talks, with the confidence and the method of the decision."""

    kind: Literal["data", "conversation"] = "data"
    confidence: float = 1.0
    reason: str = ""
    method: Literal["rules", "model", "mode"] = "rules"


@dataclass(frozen=True, slots=True)
class StageError:
    """An error in one stage of the pipeline. A later attempt may still have succeeded."""

    stage: str
    kind: str  # the `kind` of the error, or the guard rule
    detail: str
    sql: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a clarification question. The user answers with its label or its number."""

    label: str
    question: str  # the complete question that this choice leads to


@dataclass(frozen=True, slots=True)
class Shared:
    """The database values that a question disclosed to a model; all empty if no model was called."""

    location: Location | Literal[""] = ""  # `hosted`: the values left this machine
    values: str = ""  # the setting `share_values`: none, categories or samples
    columns: tuple[str, ...] = ()  # `table.column` of each column whose values were in a prompt
    rows: int = 0  # number of table and result rows in prompts


@dataclass(frozen=True, slots=True)
class Receipt:
    """How an answer was produced: the evidence, the stages and the cost."""

    sql: str = ""
    dialect: str = ""
    tables: tuple[str, ...] = ()
    values: tuple[ValueHit, ...] = ()
    assumptions: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()  # the checks that the query passed: guard, columns, explain, ran
    repairs: tuple[str, ...] = ()  # the fixes that were applied without a model
    classification: Classification = Classification()
    path: tuple[str, ...] = ()  # the stages, in order
    errors: tuple[StageError, ...] = ()
    attempts: int = 0  # number of queries that a model generated
    candidates: tuple[str, ...] = ()  # the queries to choose from, as the model generated them
    confidence: float | None = None
    certainty: Certainty | None = None  # the confidence as a category; None if no query answered
    taken_for: str = ""  # a paraphrase of the query
    signals: Mapping[str, float] = field(default_factory=dict)  # the features behind the confidence
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    shared: Shared = Shared()
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    statements: int = 0  # number of statements sent to the database, EXPLAIN included
    mode: Mode = "hybrid"
    preset: str = "default"
    summary: Summary = "template"  # how the answer was phrased
    reason: str = ""  # why there is no result, such as `missing_database_info`; empty if there is one
    served: str = ""  # for an answer from the cache: when it was computed (ISO 8601, UTC)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a question has no answer: a code for programs, a message and a hint for users."""

    kind: str  # an error's `kind`, a guard rule, or a reason such as `ambiguous_question`
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The final answer to a question, with its query, its rows and its receipt.

    >>> answer = Answer("answered", "How many?", "There are 2.", columns=("n",), rows=((2,),), row_count=1)
    >>> answer.status, answer.rows[0][0]
    ('answered', 2)
    """

    status: Status
    question: str
    answer: str  # a sentence: the result, a clarification question, a refusal or an error
    sql: str = ""
    columns: tuple[str, ...] = ()  # as the database names them
    rows: tuple[Row, ...] = ()
    row_count: int = 0
    truncated: bool = False
    chart: Mapping[str, object] | None = None
    receipt: Receipt = Receipt()
    error: Problem | None = None
    choices: tuple[Choice, ...] = ()
    result_id: str = ""  # key of the stored rows, for paging and export until they expire
    thread_id: str = ""
    pagination: Mapping[str, int | bool] | None = None  # if `rows` are one page of the result
    labels: tuple[str, ...] = ()  # the columns in words, for headers; as many as `columns`, or none
    suggestions: tuple[str, ...] = ()  # the next questions that may be asked in this thread; up to three

    def to_dicts(self) -> list[dict[str, Value]]:
        """The rows as dictionaries. Of several columns with one name, the later ones get a number.

        >>> Answer("answered", "", "", columns=("city", "n"), rows=(("Oslo", 2),)).to_dicts()
        [{'city': 'Oslo', 'n': 2}]
        """
        from text2sql import answer_formats  # noqa: PLC0415 -- it needs messages, which need types

        return answer_formats.dicts(self)

    def to_pandas(self) -> "DataFrame":
        """The rows as a pandas DataFrame. Needs pandas.

        >>> frame = Answer("answered", "", "", columns=("city", "n"), rows=(("Oslo", 2),)).to_pandas()
        >>> list(frame["city"])
        ['Oslo']
        """
        from text2sql import answer_formats  # noqa: PLC0415 -- as above

        return answer_formats.pandas_frame(self)

    def to_arrow(self) -> "ArrowTable":
        """The rows as an Arrow table. Needs pyarrow. A column of several types is text.

        >>> table = Answer("answered", "", "", columns=("city", "n"), rows=(("Oslo", 2),)).to_arrow()
        >>> table.column_names
        ['city', 'n']
        """
        from text2sql import answer_formats  # noqa: PLC0415 -- as above

        return answer_formats.arrow_table(self)

    def __rich__(self) -> "ConsoleRenderable":
        """What `rich.print` shows: the sentence, the certainty, the first rows and the query."""
        from text2sql import answer_formats  # noqa: PLC0415 -- as above

        return answer_formats.rich_text(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: the same as HTML."""
        from text2sql import answer_formats  # noqa: PLC0415 -- as above

        return answer_formats.html(self)
