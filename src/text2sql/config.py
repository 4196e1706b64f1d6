"""Every setting: name, default, help and environment variable, read once.

A setting's variable is its name in capitals after `TEXT2SQL_`: `pool_size` is `TEXT2SQL_POOL_SIZE`.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from text2sql.errors import UsageError
from text2sql.types import Limits


def setting(default: Any, help_text: str, *, secret: bool = False, may_be_zero: bool = False) -> Any:
    metadata = {"help": help_text, "secret": secret, "may_be_zero": may_be_zero}
    return field(default=default, repr=not secret, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    lang: str = setting("", "language of messages, zh or en; empty follows the system's locale")
    # the database
    db: str = setting(
        "",
        "the database to ask: a URL, or the path of a SQLite, DuckDB, CSV or Parquet file",
    )
    row_limit: int = setting(1_000, "rows a query may return")
    byte_limit: int = setting(16_000_000, "bytes a result may take")
    cell_byte_limit: int = setting(64_000, "bytes one cell may take before it is cut")
    time_limit: float = setting(30.0, "seconds a query may run")
    pool_size: int = setting(20, "connections kept open to a database")
    pool_overflow: int = setting(10, "connections more than that when it is busy")
    pool_wait: float = setting(30.0, "seconds to wait for a free connection")
    pool_recycle: float = setting(3600.0, "seconds after which a connection is replaced")
    connect_timeout: float = setting(10.0, "seconds to wait for a server to accept a connection")
    # the model
    model: str = setting("local", "`local`, the path of a GGUF file, or `provider:model` for a hosted one")
    fallback: str = setting("", "models to try when that one is unavailable, separated by commas")
    api_key: str = setting(
        "", "key of the hosted model; empty leaves it to the provider's own variable", secret=True
    )
    base_url: str = setting("", "address of an OpenAI-compatible endpoint")
    api_version: str = setting("", "API version, for Azure OpenAI")
    deployment: str = setting("", "deployment name, for Azure OpenAI")
    temperature: float = setting(0.0, "randomness of a hosted model's answer", may_be_zero=True)
    max_tokens: int = setting(1_024, "tokens a model may answer with")
    model_timeout: float = setting(60.0, "seconds a model call may take in all")
    first_token_timeout: float = setting(45.0, "seconds to wait for the first token")
    idle_timeout: float = setting(20.0, "seconds a model may pause between two tokens")
    requests_per_minute: int = setting(
        60, "calls a minute to a hosted model; 0 for no limit", may_be_zero=True
    )
    tokens_per_minute: int = setting(0, "tokens a minute to a hosted model; 0 for no limit", may_be_zero=True)
    # the embedded model
    cache_dir: str = setting("", "where the model's file and its caches are kept; empty is the user's cache")
    model_adapter: str = setting(
        "", "a LoRA adapter (GGUF) for the embedded model; empty is ours, `none` lays nothing over it"
    )
    model_threads: int = setting(0, "threads of the embedded model; 0 follows the cores", may_be_zero=True)
    model_context: int = setting(16_384, "tokens of context the embedded model shares between requests")
    model_idle: float = setting(900.0, "seconds without a question after which the embedded model ends")
    prefix_cache_bytes: int = setting(2_000_000_000, "bytes of evaluated schemas kept on disk")
    prompts_dir: str = setting("", "a folder whose *.md files replace the built-in prompts of the same name")
    # a question on its way
    mode: str = setting("hybrid", "`hybrid`, `database_direct` or `chat_direct`")
    preset: str = setting(
        "default", "how far a question may go: `default`, `light`, `repair_once`, `hybrid`, `static`"
    )
    summary: str = setting("template", "who says the answer: `template`, or `model` for a second call")
    allow_writes: bool = setting(False, "let a person confirm a write; without it every write is refused")
    candidates: int = setting(1, "queries a model writes in one call, chosen by what they return")
    grammar: bool = setting(False, "let the embedded model write nothing but a query of this schema")
    sql_tokens: int = setting(400, "tokens a query may take")
    schema_tokens: int = setting(
        0, "tokens of schema in a prompt; 0 follows the model, larger schemas are linked", may_be_zero=True
    )
    linked_tables: int = setting(12, "tables chosen for a question when the schema is too large")
    question_length: int = setting(2_000, "characters of a question that are read")
    question_time: float = setting(180.0, "seconds a question may take; what runs longer is stopped")
    question_tokens: int = setting(60_000, "tokens after which nothing more is tried for a question")
    catalogue_age: float = setting(300.0, "seconds after which a catalogue is looked at again")
    value_rows: int = setting(5_000, "distinct values of a text column that are looked up in questions")
    values_time: float = setting(20.0, "seconds that reading those values may take, while nobody waits")
    values_wait: float = setting(1.5, "seconds that a question waits for them", may_be_zero=True)
    # memory
    memory: str = setting(
        "",
        "where threads and knowledge are kept: a file, a postgresql:// URL, or `none`; "
        "empty is memory.db among the user's data",
        secret=True,
    )
    data_dir: str = setting("", "where memory.db is kept; empty is the user's data directory")
    pairs_dir: str = setting("", "a folder of *.sql files with verified questions, to be shared through Git")
    result_lifetime: float = setting(86_400.0, "seconds a result can be paged and exported")
    result_keep_rows: int = setting(1_000, "rows of a result that are kept for that")
    # charts
    font_dir: str = setting("", "a folder of fonts for the pictures of charts, besides the system's")
    chart_mcp: str = setting(
        "", "command of a chart server to draw PNG pictures with, such as `npx -y @antv/mcp-server-chart`"
    )
    # the MCP server
    mcp_tokens: int = setting(4_000, "tokens that one reply of the MCP server may take")
    # agents of Google's ADK
    adk_tokens: int = setting(
        4_000, "tokens that one result of a tool may take, in the state of an ADK session too"
    )
    # the HTTP server
    models: str = setting("", "models that a request may name besides the server's own, separated by commas")
    stream_grace: float = setting(20.0, "seconds that a stream which nobody reads goes on")
    stream_keep: float = setting(60.0, "seconds that a stream can be read again after its end")
    stream_bytes: int = setting(64_000_000, "bytes of events that one stream may hold")
    heartbeat: float = setting(10.0, "seconds of silence after which a stream says that it is still there")
    shutdown_grace: float = setting(5.0, "seconds that questions may go on when the server is told to stop")
    cache_lifetime: float = setting(
        300.0, "seconds that an answer is given again to the same question; 0 for never", may_be_zero=True
    )
    cache: str = setting(
        "",
        "where servers share that, and count requests together: a redis:// or rediss:// URL; "
        "empty keeps it in each process",
        secret=True,
    )
    export_rows: int = setting(1_000_000, "rows of a result that can be exported")
    export_time: float = setting(300.0, "seconds that an export may take")
    body_limit: int = setting(65_536, "bytes that a request may send")
    # who may come in
    auth: str = setting("", "how people sign in: `keys`, `tokens` or `keys,tokens`; empty for not at all")
    token_issuer: str = setting("", "who signs tokens: their `iss`, and the address of an OpenID provider")
    token_audience: str = setting("", "whom tokens must be for: their `aud`")
    token_secret: str = setting("", "the secret of tokens signed with HS256", secret=True)
    token_keys: str = setting(
        "", "file or address of the issuer's public keys (JWKS); empty asks the issuer where they are"
    )
    token_user: str = setting("sub", "the claim that names the person")
    token_roles: str = setting("roles", "the claim that lists the roles, with dots for what lies deeper")
    token_sources: str = setting(
        "sources", "the claim that lists the sources which may be asked; all without it"
    )
    hosts: str = setting("", "names that the server answers to besides its address, separated by commas")
    cors_origins: str = setting("", "pages of other origins that may ask, separated by commas")
    audit: str = setting("auto", "keep who asked what: `on`, `off`, or `auto` for where people sign in")
    background: bool = setting(
        True, "do the work of the shared queue in this server; off leaves it to others (PostgreSQL memory)"
    )
    refresh_every: str = setting(
        "", "when all catalogues are read anew, in the five fields of cron; empty for when they are old"
    )
    # load
    work_limit: int = setting(100, "questions, pages and exports at once in one process")
    user_work_limit: int = setting(20, "of those, of one user")
    source_work_limit: int = setting(60, "of those, on one source")
    queue_limit: int = setting(1_000, "how many may wait for that; beyond it the answer is 503")
    user_queue_limit: int = setting(100, "of those, of one user; beyond it the answer is 429")
    queue_wait: float = setting(30.0, "seconds that one may wait")
    user_requests_per_minute: int = setting(
        600, "requests a minute of one user; 0 for no limit", may_be_zero=True
    )

    @property
    def limits(self) -> Limits:
        return Limits(self.row_limit, self.byte_limit, self.cell_byte_limit, self.time_limit)


_SWITCH = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


def variable(name: str) -> str:
    return f"TEXT2SQL_{name.upper()}"


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings as the environment, then a `.env` file in this folder, give them; a value of the wrong kind
    is an error that names it.
    """
    if environment is None:
        environment = {**read_env_file(Path(".env")), **os.environ}
    given: dict[str, Any] = {}
    for one in fields(Settings):
        text = environment.get(variable(one.name), "").strip()
        if text:
            given[one.name] = _value(one, text)
    return Settings(**given)


def _value(one: Field[Any], text: str) -> Any:
    kind: type[str] | type[int] | type[float] | type[bool] = type(one.default)  # type: ignore[assignment]
    name = variable(one.name)
    shown = "…" if one.metadata["secret"] else text
    try:
        value = _SWITCH[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise UsageError("usage.setting", name=name, value=shown, kind=kind.__name__) from None
    if isinstance(value, str | bool):
        return value
    if not math.isfinite(value) or value < 0 or (value == 0 and not one.metadata["may_be_zero"]):
        raise UsageError("usage.setting_positive", name=name, value=shown)
    return value


def read_env_file(path: Path) -> dict[str, str]:
    """`NAME=value` lines, with comments and quotes; nothing is expanded or executed."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    found = {}
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and name.strip().isidentifier():
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            found[name.strip()] = value[1:-1] if quoted else value.partition(" #")[0].strip()
    return found
