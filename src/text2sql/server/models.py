"""Request and response models, for validation and for the OpenAPI document."""

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, Field, model_validator

from text2sql.evaluation.questions import Match
from text2sql.i18n import Language
from text2sql.memory import ThreadInfo
from text2sql.types import Choice, Mode, PresetName, Problem, ResultColumn, Status, Summary

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
SourceName: TypeAlias = Annotated[Name | None, Field(description="A name from `GET /api/v1/sources`")]
ModelName: TypeAlias = Annotated[Name | None, Field(description="A name from `GET /api/v1/models`")]
Cell: TypeAlias = Any  # of a result
# An expected value. The nesting depth is fixed, because a client could otherwise exhaust the stack.
Scalar: TypeAlias = str | int | float | bool | None
Expected: TypeAlias = Scalar | list[Scalar] | dict[str, Scalar]

ANSWER: dict[str, Any] = {
    "status": "answered",
    "question": "How many customers are there?",
    "answer": "customers: 3.",
    "sql": "SELECT COUNT(*) AS customers FROM customers LIMIT 1000",
    "columns": ["customers"],
    "labels": ["Customers"],
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
    "suggestions": [],
    "result_id": "kP3mT0c1b7uQ",
    "thread_id": "0f9b7c0e5d2a4f6f8e3f0c5b1f7d2a9c",
}


class Body(BaseModel, extra="forbid"):
    """A request body; unknown fields are rejected."""


class TextPart(BaseModel):
    type: str = "text"
    text: str = Field("", max_length=20_000)


class ChatMessage(BaseModel):
    """A message as LangGraph's API takes it; fields that are not read are ignored."""

    role: str = Field("", max_length=40, description="`human` or `user`")
    type: str = Field("", max_length=40, description="The same, as LangChain writes it")
    content: Annotated[str, Field(max_length=20_000)] | Annotated[list[TextPart], Field(max_length=100)]

    @property
    def text(self) -> str:
        """What the user says; empty for a message of another role."""
        if (self.role or self.type) not in ("human", "user"):
            return ""
        parts = [] if isinstance(self.content, str) else self.content
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in parts)


class Pagination(BaseModel, extra="forbid"):
    page: int = Field(1, ge=1, le=1_000_000)
    page_size: int = Field(100, ge=1, le=1_000)


class Question(
    Body,
    json_schema_extra={
        "examples": [
            {"question": "Which five products sold best last year?"},
            {"question": "其中哪些在上海？", "thread_id": ANSWER["thread_id"], "language": "zh"},
            {
                "messages": [{"role": "human", "content": "查询所有客户"}],
                "pagination": {"page": 1, "page_size": 100},
            },
        ],
        "anyOf": [{"required": ["question"]}, {"required": ["messages"]}],
    },
):
    question: str = Field("", min_length=1, max_length=20_000)
    messages: list[ChatMessage] = Field(
        [],
        min_length=1,
        max_length=100,
        description="Instead of `question`; the last message is the question, the thread has the others",
    )
    pagination: Pagination | None = Field(None, description="Answer with one page of the rows")
    thread_id: Name | None = Field(None, description="The thread to continue; omit it to start a new one")
    source: SourceName = None
    model: ModelName = None
    mode: Mode | None = None
    preset: PresetName | None = None
    max_attempts: int | None = Field(
        None, ge=1, le=10, description="Queries that a model may write for the question"
    )
    explain: bool | None = Field(None, description="EXPLAIN the query before it runs")
    repair: bool | None = Field(
        None, description="`false`: ask the model for no further query after a failure"
    )
    summary: Summary | None = Field(
        None, description="How the answer is phrased; `off` gives the number of rows only"
    )
    language: Language | None = Field(
        None, description="Language of the answer; defaults to the language of the question"
    )
    allow_writes: bool | None = Field(
        None, description="`false` forbids writes even if the server allows them"
    )
    fresh: bool = Field(False, description="Bypass the result cache")
    seconds: float | None = Field(None, gt=0, le=3_600, allow_inf_nan=False)

    @model_validator(mode="after")
    def _read_messages(self) -> Self:
        if bool(self.question) == bool(self.messages):
            raise ValueError("give either `question` or `messages`")
        if self.messages:
            self.question = self.messages[-1].text.strip()
        if not self.question:
            raise ValueError("the last of `messages` must be of the role `human` and contain text")
        if len(self.question) > 20_000:
            raise ValueError("the question has more than 20,000 characters")
        return self


class Preferences(Body, json_schema_extra={"examples": [{"language": "zh", "preset": "light"}]}):
    """Options that a user's questions have unless they name others; null leaves one to the server."""

    language: Language | None = None
    mode: Mode | None = None
    preset: PresetName | None = None
    model: ModelName = None


class Resume(Body, json_schema_extra={"examples": [{"confirm": True}, {}]}):
    confirm: bool | None = Field(
        None,
        description="Run the write that needs confirmation? Omit it to continue an interrupted question",
    )


class RollBack(Body, json_schema_extra={"examples": [{"turns": 1}]}):
    turns: int = Field(1, ge=1, le=1_000)


class Statement(Body, json_schema_extra={"examples": [{"sql": "SELECT name FROM customers ORDER BY name"}]}):
    sql: str = Field(min_length=1, max_length=60_000)
    source: SourceName = None
    thread_id: Name | None = None


class ReportRequest(
    Body, json_schema_extra={"examples": [{"template": "Customers: {{ How many customers are there? }}"}]}
):
    template: str = Field(
        min_length=1, max_length=10_000_000, description="The template: text, or Base64 for docx"
    )
    format: Literal["md", "html", "docx"] = "md"
    parameters: dict[str, str] = Field(default_factory=dict, max_length=100)
    lock: str = Field(
        "", max_length=2_000_000, description="The lock file of an earlier report, whose queries are reused"
    )
    locked: bool = Field(False, description="Call no model; a question that is missing in the lock fails")
    date: str | None = Field(
        None, max_length=10, description="Date of the report (YYYY-MM-DD); defaults to today"
    )
    source: SourceName = None
    language: Language | None = Field(
        None, description="Language of the answers; defaults to the language of each question"
    )


class EvaluationQuestion(
    Body,
    json_schema_extra={
        "examples": [{"question": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}]
    },
):
    """A question in the format of `text2sql eval --db`: with `sql` (or `gold_sql`) or expected `rows`."""

    question: str = Field(min_length=1, max_length=20_000)
    sql: str | None = Field(None, min_length=1, max_length=60_000)
    gold_sql: str | None = Field(None, min_length=1, max_length=60_000)
    rows: list[list[Expected] | dict[str, Expected] | Scalar] | Scalar = Field(
        None, description="Expected rows: lists, objects, or single values for one column"
    )
    ordered: bool = Field(
        False, description="Whether the order of `rows` matters, and of a reference if `match` is lenient"
    )
    any_of: list[str] = Field([], max_length=20, description="Further queries that are right as well")
    status: list[Status] = Field(
        [], description="The acceptable statuses; `answered` if there is a reference"
    )
    facts: list[str | list[str]] = Field(
        [],
        max_length=50,
        description="What the sentence must contain: numbers or words, or lists of which one",
    )
    match: Match = Field("exact", description="`lenient`: additional columns are allowed")
    thread: str = Field("", max_length=200, description="Questions of one thread are asked in order")
    kind: str = Field("", max_length=100, description="A word to group the report by")
    lang: str = Field("", max_length=20, description="The language of the question, to group the report by")
    today: str = Field("", max_length=10, description="The date on which the question is asked (YYYY-MM-DD)")
    id: Name | int | None = Field(None, description="Defaults to the position in the list")
    db_id: Name | None = Field(None, description="Ignored; use `source`")
    evidence: str = Field(
        "", max_length=20_000, description="Additional context that is sent with the question"
    )
    difficulty: str = Field("", max_length=40)


class EvaluationRequest(
    Body,
    json_schema_extra={
        "examples": [{"questions": [{"question": "How many customers are there?", "rows": [3]}]}]
    },
):
    questions: list[EvaluationQuestion] = Field(min_length=1, max_length=10_000)
    name: Name = Field("questions", description="Name of the question set, shown in the report")
    source: SourceName = None
    model: ModelName = None
    limit: int | None = Field(
        None, ge=1, description="Ask a random sample of this size; the same `seed` gives the same sample"
    )
    seed: int = Field(0, ge=-(2**63), lt=2**63)


class RefreshRequest(Body, json_schema_extra={"examples": [{}]}):
    """An empty object."""


class Feedback(
    Body,
    json_schema_extra={"examples": [{"question": ANSWER["question"], "sql": ANSWER["sql"], "good": True}]},
):
    question: str = Field(min_length=1, max_length=20_000)
    sql: str = Field(min_length=1, max_length=60_000)
    good: bool
    thread_id: Name | None = None
    result_id: Name | None = None
    source: SourceName = None
    comment: str = Field("", max_length=4_000)


# -- responses -----------------------------------------------------------------------------------


class ProblemDetails(BaseModel):
    """A problem as defined by RFC 9457. `kind` is stable; `title`, `detail` and `hint` are localized."""

    type: str
    title: str
    status: int
    detail: str
    kind: str
    hint: str
    instance: str | None = None
    request_id: str | None = None
    retry_after: int | None = Field(None, description="Seconds, as in the `Retry-After` header")
    errors: list[dict[str, str]] | None = None


class PageNumbers(BaseModel):
    total_count: int
    page: int
    page_size: int
    total_pages: int
    has_next: bool
    has_prev: bool


class AnswerObject(BaseModel, json_schema_extra={"examples": [ANSWER]}):
    """An answer, as `text2sql ask --json` prints it."""

    status: Status
    question: str
    answer: str
    sql: str
    columns: list[str]
    labels: list[str] = Field(description="The columns in words, for headers; as many as `columns`")
    rows: list[list[Cell]]
    row_count: int
    truncated: bool
    chart: dict[str, Any] | None
    receipt: dict[str, Any] = Field(
        description="How the answer was produced. `served`: creation time of a cached answer, else empty"
    )
    error: Problem | None
    choices: list[Choice]
    suggestions: list[str] = Field(description="The next questions that may be asked in this thread")
    result_id: str
    thread_id: str
    pagination: PageNumbers | None = Field(
        None, description="Only if the request has `pagination`: `rows` are then one page"
    )


class JobState(BaseModel):
    status: Literal["running", "done", "failed"]
    problem: ProblemDetails | None


class ReportState(JobState):
    report_id: str
    stage: Literal["", "draft", "run", "repair"]
    done: int = Field(description="Questions that completed the current stage")
    total: int
    formats: list[str] = Field(description="Available formats of the result, once the job is done")
    record: dict[str, Any] | None = Field(description="Outcome and cost of each question")


class EvaluationState(JobState):
    evaluation_id: str
    done: int = Field(description="Questions asked so far")
    total: int
    judged: int = Field(description="Questions asked so far whose reference query could be run")
    right: int
    accuracy: float | None = Field(description="`right` divided by `judged`, so far")
    formats: list[str] = Field(description="Available formats of the result, once the job is done")
    summary: dict[str, Any] | None = Field(
        description="The summary of the run, as `text2sql eval --json` prints it"
    )


class RefreshState(JobState):
    refresh_id: str
    source: str


class Threads(BaseModel):
    threads: list[ThreadInfo] = Field(description="`updated` is Unix time in seconds")


class Thread(BaseModel):
    thread_id: str
    source: str = Field(description="The source of the thread, a name from `GET /api/v1/sources`")
    turns: list[AnswerObject] = Field(
        description="Oldest first, with up to 100 rows each; without `result_id` the rows have expired"
    )


class TurnsLeft(BaseModel):
    turns_left: int


class Page(PageNumbers):
    columns: list[ResultColumn]
    rows: list[list[Cell]]
    truncated: str = Field(description="The limit that truncated this page: `rows`, `bytes`, or empty")
    cut_cells: int = Field(description="Number of shortened cells")


class ChartObject(BaseModel):
    kind: str
    kinds: list[str]
    spec: dict[str, Any]


class SchemaObject(BaseModel):
    """A schema, as `text2sql schema --json` prints it."""

    dialect: str
    default_schema: str
    fingerprint: str
    tables: list[dict[str, Any]]


class SourceEntry(BaseModel):
    name: str
    dialect: str
    product: str


class Examples(BaseModel):
    questions: list[str]


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
    cache: bool | None = None  # whether Redis is available, if it is configured
