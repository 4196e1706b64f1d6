"""What requests and responses look like, for validation and for the OpenAPI document."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from text2sql.types import Mode, Status

Preset: TypeAlias = Literal["default", "light", "repair_once", "hybrid", "static"]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Json: TypeAlias = Any  # a cell: what JSON can carry
# What a result is expected to hold; a depth that somebody else chooses would be a stack's.
Scalar: TypeAlias = str | int | float | bool | None
Expected: TypeAlias = Scalar | list[Scalar] | dict[str, Scalar]

ANSWER: dict[str, Any] = {
    "status": "answered",
    "question": "How many customers are there?",
    "answer": "customers: 3.",
    "sql": "SELECT COUNT(*) AS customers FROM customers LIMIT 1000",
    "columns": ["customers"],
    "rows": [[3]],
    "row_count": 1,
    "truncated": False,
    "chart": None,
    "receipt": {
        "model": "local",
        "checks": ["guard", "explain", "ran"],
        "tables": ["customers"],
        "served": "",
    },
    "error": None,
    "choices": [],
    "result_id": "kP3mT0c1b7uQ",
    "thread_id": "0f9b7c0e5d2a4f6f8e3f0c5b1f7d2a9c",
}


class Body(BaseModel):
    """A field that is not known is a mistake, and is said to be one."""

    model_config = ConfigDict(extra="forbid")


class Question(Body):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "Which five products sold best last year?"},
                {"question": "其中哪些在上海？", "thread_id": ANSWER["thread_id"], "language": "zh"},
            ]
        },
    )
    question: str = Field(min_length=1, max_length=20_000)
    thread_id: Name | None = Field(None, description="The conversation that it goes on with; else a new one")
    source: Name | None = Field(None, description="One of GET /api/v1/sources")
    model: Name | None = Field(None, description="One of GET /api/v1/models")
    mode: Mode | None = None
    preset: Preset | None = None
    language: Literal["zh", "en"] | None = Field(None, description="Of the answer; else the question's own")
    allow_writes: bool | None = Field(None, description="False refuses a write that the server would allow")
    fresh: bool = Field(False, description="Do not answer from the result cache")
    seconds: float | None = Field(None, gt=0, le=3_600, allow_inf_nan=False)


class Resume(Body):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"confirm": True}, {}]})
    confirm: bool | None = Field(
        None, description="The answer to a `confirm`; without it a question that was cut off goes on"
    )


class RollBack(Body):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"turns": 1}]})
    turns: int = Field(1, ge=1, le=1_000)


class Statement(Body):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"sql": "SELECT name FROM customers ORDER BY name"}]}
    )
    sql: str = Field(min_length=1, max_length=60_000)
    source: Name | None = None
    thread_id: Name | None = None


class ReportRequest(Body):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"template": "Customers: {{ How many customers are there? }}"}]},
    )
    template: str = Field(min_length=1, max_length=10_000_000, description="Text; in Base64 for docx")
    format: Literal["md", "html", "docx"] = "md"
    parameters: dict[str, str] = Field(default_factory=dict, max_length=100)
    lock: str = Field("", max_length=2_000_000, description="An earlier report's lock: its queries are used")
    locked: bool = Field(False, description="Ask no model: what the lock does not have fails")
    date: str | None = Field(None, max_length=10, description="The day of the report; else today")
    source: Name | None = None
    language: Literal["zh", "en"] | None = Field(None, description="Of the answers; else each question's own")


class EvaluationQuestion(Body):
    """As `text2sql eval --db` takes it: `sql` (or `gold_sql`), or else the expected `rows`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}
            ]
        },
    )
    question: str = Field(min_length=1, max_length=20_000)
    sql: str | None = Field(None, min_length=1, max_length=60_000)
    gold_sql: str | None = Field(None, min_length=1, max_length=60_000)
    rows: list[list[Expected] | dict[str, Expected] | Scalar] | Scalar = Field(
        None, description="Lists, objects, or bare values of one column"
    )
    ordered: bool = Field(False, description="The order of `rows` matters")
    id: Name | int | None = Field(None, description="Else its number in the list")
    db_id: Name | None = Field(None, description="Says nothing here: `source` does")
    evidence: str = Field("", max_length=20_000, description="What the asker adds; asked with the question")
    difficulty: str = Field("", max_length=40)


class EvaluationRequest(Body):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"questions": [{"question": "How many customers are there?", "rows": [3]}]}]
        },
    )
    questions: list[EvaluationQuestion] = Field(min_length=1, max_length=10_000)
    name: Name = Field("questions", description="Of the set, in the report")
    source: Name | None = Field(None, description="One of GET /api/v1/sources")
    model: Name | None = Field(None, description="One of GET /api/v1/models")
    limit: int | None = Field(None, ge=1, description="Ask so many of them, the same for the same `seed`")
    seed: int = Field(0, ge=-(2**63), lt=2**63)


class RefreshRequest(Body):
    """Nothing is to be said."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}]})


class Feedback(Body):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"question": ANSWER["question"], "sql": ANSWER["sql"], "good": True}]
        },
    )
    question: str = Field(min_length=1, max_length=20_000)
    sql: str = Field(min_length=1, max_length=60_000)
    good: bool
    thread_id: Name | None = None
    result_id: Name | None = None
    source: Name | None = None
    comment: str = Field("", max_length=4_000)


# -- responses -----------------------------------------------------------------------------------


class ProblemDetails(BaseModel):
    """RFC 9457. `kind` is for programs; `title`, `detail` and `hint` are in the reader's language."""

    type: str
    title: str
    status: int
    detail: str
    kind: str
    hint: str
    instance: str | None = None
    request_id: str | None = None
    retry_after: int | None = Field(None, description="Seconds, as in the header Retry-After")
    errors: list[dict[str, str]] | None = None


class AnswerError(BaseModel):
    kind: str
    message: str
    hint: str


class AnswerChoice(BaseModel):
    label: str
    question: str


class AnswerObject(BaseModel):
    """What `text2sql ask --json` prints."""

    model_config = ConfigDict(json_schema_extra={"examples": [ANSWER]})
    status: Status
    question: str
    answer: str
    sql: str
    columns: list[str]
    rows: list[list[Json]]
    row_count: int
    truncated: bool
    chart: dict[str, Any] | None
    receipt: dict[str, Any] = Field(
        description="How it came about. `served` is empty, or since when the result cache had the answer"
    )
    error: AnswerError | None
    choices: list[AnswerChoice]
    result_id: str
    thread_id: str


class ReportState(BaseModel):
    report_id: str
    status: Literal["running", "done", "failed"]
    stage: Literal["", "draft", "run", "repair"]
    done: int = Field(description="Questions that have passed the stage")
    total: int
    formats: list[str] = Field(description="In which it can be fetched, once it is done")
    record: dict[str, Any] | None = Field(description="What became of each question, and what it cost")
    problem: ProblemDetails | None


class EvaluationState(BaseModel):
    evaluation_id: str
    status: Literal["running", "done", "failed"]
    done: int = Field(description="Questions that were asked and judged")
    total: int
    judged: int = Field(description="Of those done, the ones whose reference runs")
    right: int
    accuracy: float | None = Field(description="`right` of `judged`, so far")
    formats: list[str] = Field(description="In which it can be fetched, once it is done")
    summary: dict[str, Any] | None = Field(description="What `text2sql eval --json` prints of the run")
    problem: ProblemDetails | None


class RefreshState(BaseModel):
    refresh_id: str
    source: str
    status: Literal["running", "done", "failed"]
    problem: ProblemDetails | None


class ThreadEntry(BaseModel):
    thread_id: str
    title: str
    turns: int
    updated: float = Field(description="Seconds since 1970")


class Threads(BaseModel):
    threads: list[ThreadEntry]


class ThreadTurn(BaseModel):
    model_config = ConfigDict(extra="allow")
    question: str
    sql: str
    status: Status
    answer: str


class Thread(BaseModel):
    thread_id: str
    turns: list[ThreadTurn]


class TurnsLeft(BaseModel):
    turns_left: int


class PageColumn(BaseModel):
    name: str
    type: str


class Page(BaseModel):
    columns: list[PageColumn]
    rows: list[list[Json]]
    total_count: int
    page: int
    page_size: int
    total_pages: int
    has_next: bool
    has_prev: bool
    truncated: str = Field(description="Empty, or the limit that cut this page: `rows` or `bytes`")
    cut_cells: int = Field(description="Cells that were shortened")


class ChartObject(BaseModel):
    kind: str
    kinds: list[str]
    spec: dict[str, Any]


class SchemaObject(BaseModel):
    """What `text2sql schema --json` prints."""

    dialect: str
    default_schema: str
    fingerprint: str
    tables: list[dict[str, Any]]


class SourceEntry(BaseModel):
    name: str
    dialect: str
    product: str


class SourcesList(BaseModel):
    sources: list[SourceEntry]
    default: str


class ModelsList(BaseModel):
    models: list[str]
    default: str


class Health(BaseModel):
    status: Literal["ok"]


class Readiness(BaseModel):
    status: Literal["ready", "not ready"]
    sources: dict[str, bool]
    cache: bool | None = None  # whether the Redis can be used, where there is one
