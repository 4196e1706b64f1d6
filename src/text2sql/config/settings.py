"""All settings, with their defaults and help texts.

The environment variable of `pool_size` is `TEXT2SQL_POOL_SIZE`; in `text2sql.toml` it is the key `pool_size`
of the table `[database]`. The others are named likewise.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, get_args

from text2sql.types import Calendar, FiscalYearNamed, Limits, Mode, PresetName, Summary


def setting(
    default: Any,
    help_text: str,
    *,
    secret: bool = False,
    may_be_zero: bool = False,
    choices: tuple[str | int, ...] = (),
    old_variable: str = "",
    path: bool = False,
    protected: bool = False,
    is_date: bool = False,
) -> Any:
    """A dataclass field with the metadata of a setting.

    `old_variable` is a former name of the environment variable, which still works for one version. A `path`
    in a file is relative to that file. A `protected` setting decides where data and keys go, what is run or
    who may do what: a file that was only found in the current folder cannot set it.
    """
    metadata = {
        "help": help_text,
        "secret": secret,
        "may_be_zero": may_be_zero,
        "choices": choices,
        "old_variable": old_variable,
        "path": path,
        "protected": protected,
        "is_date": is_date,
    }
    return field(default=default, repr=not secret, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    lang: str = setting("", "language of messages, zh or en; empty follows the system's locale")
    # the database
    db: str = setting(
        "",
        "the database to ask: a URL, or the path of a SQLite, DuckDB or data file, or of a folder of them",
        path=True,
    )
    row_limit: int = setting(1_000, "rows a query may return")
    byte_limit: int = setting(16_000_000, "bytes a result may take")
    cell_byte_limit: int = setting(64_000, "bytes one cell may take before it is cut")
    engine_memory: int = setting(
        2_048, "megabytes that a connection to a SQLite or DuckDB file may use; it runs in its own process"
    )
    time_limit: float = setting(30.0, "seconds a query may run")
    file_time: float = setting(600.0, "seconds that reading a data file or a folder may take")
    pool_size: int = setting(20, "connections kept open to a database")
    pool_overflow: int = setting(10, "additional connections under load")
    account_pool_size: int = setting(5, "connections kept open for each account of the `accounts` file")
    pool_wait: float = setting(30.0, "seconds to wait for a free connection")
    pool_recycle: float = setting(3600.0, "seconds after which a connection is replaced")
    connect_timeout: float = setting(10.0, "seconds to wait for a server to accept a connection")
    # the model
    model: str = setting(
        "local", "`local`, the path of a GGUF file, or `provider:model` for a hosted one", path=True
    )
    fallback: str = setting("", "models to try when that one is unavailable, separated by commas")
    share_values: str = setting(
        "",
        "values of the database that a model may be shown: `none`, `categories` or `samples`; empty is "
        "`categories` for a hosted model, `samples` for one on this machine",
        choices=("none", "categories", "samples"),
        protected=True,
    )
    model_size: str = setting(
        "",
        "how the model is asked: `small` or `large`; empty is `small` for the embedded one and open models "
        "of fewer than 8 billion parameters, `large` for all others",
        choices=("small", "large"),
    )
    api_key: str = setting(
        "", "key of the hosted model; empty leaves it to the provider's own variable", secret=True
    )
    base_url: str = setting("", "address of an OpenAI-compatible endpoint", protected=True)
    api_version: str = setting("", "API version, for Azure OpenAI")
    deployment: str = setting("", "deployment name, for Azure OpenAI")
    temperature: float = setting(0.0, "randomness of a hosted model's answer", may_be_zero=True)
    max_tokens: int = setting(1_024, "tokens a model may answer with")
    model_timeout: float = setting(
        60.0, "seconds a model call may take in total, from when the model starts on it"
    )
    first_token_timeout: float = setting(45.0, "seconds to wait for the first token")
    idle_timeout: float = setting(20.0, "seconds a model may pause between two tokens")
    requests_per_minute: int = setting(
        60, "calls per minute to a hosted model; 0 for no limit", may_be_zero=True
    )
    tokens_per_minute: int = setting(
        0, "tokens per minute to a hosted model; 0 for no limit", may_be_zero=True
    )
    recording: str = setting(
        "",
        "a folder that keeps each prompt with its reply; `--model recorded:FOLDER` plays them again",
        path=True,
    )
    prompts_dir: str = setting(
        "", "a folder whose *.md files replace the built-in prompts of the same name", path=True
    )
    # the embedded model
    cache_dir: str = setting(
        "",
        "directory of the model file and its caches; empty is the user's cache directory",
        path=True,
        protected=True,
    )
    model_adapter: str = setting(
        "",
        "a LoRA adapter (GGUF) for the embedded model; empty is the built-in one, `none` uses no adapter",
        path=True,
        protected=True,
    )
    model_threads: int = setting(
        0, "threads of the embedded model; 0 uses the number of CPU cores", may_be_zero=True
    )
    model_context: int = setting(16_384, "tokens of context the embedded model shares between requests")
    model_idle: float = setting(900.0, "idle seconds after which the embedded model's process ends")
    prefix_cache_bytes: int = setting(2_000_000_000, "bytes of evaluated schema prefixes kept on disk")
    # answering a question
    mode: str = setting("hybrid", "`hybrid`, `database_direct` or `chat_direct`", choices=get_args(Mode))
    preset: str = setting(
        "default",
        "which steps a question may use: `default`, `light`, `repair_once`, `hybrid`, `static`",
        choices=get_args(PresetName),
    )
    max_attempts: int = setting(
        3, "queries that a model may write for one question; a preset may allow fewer"
    )
    explain: str = setting(
        "",
        "EXPLAIN a query before it runs: `on` or `off`; empty follows the preset",
        choices=("on", "off"),
    )
    repair: str = setting(
        "",
        "ask the model for another query after a failure: `on` or `off`; empty follows the preset",
        choices=("on", "off"),
    )
    fixes: str = setting(
        "",
        "which fixes may be applied to a model's query: `all`, `none`, kinds (`dialect`, `names`, `joins`, "
        "`values`, `question`) or names, separated by commas; `-name` leaves one out; empty follows "
        "the preset",
    )
    summary: str = setting(
        "template",
        "how the answer is phrased: by a `template`, by the `model` in a second call, or `off`: the number "
        "of rows only",
        choices=get_args(Summary),
    )
    allow_writes: bool = setting(
        False, "allow writes that a user confirms; without it every write is refused", protected=True
    )
    candidates: int = setting(1, "candidate queries per model call; the best is chosen by its results")
    grammar: bool = setting(False, "constrain the embedded model to valid queries of the schema")
    analytic: bool = setting(
        True, "with a small model, compile periods, growth, shares, medians … from the question, without it"
    )
    sql_tokens: int = setting(400, "tokens a query may take")
    schema_tokens: int = setting(
        0, "tokens of schema in a prompt; 0 follows the model, larger schemas are linked", may_be_zero=True
    )
    linked_tables: int = setting(12, "tables chosen for a question when the schema is too large")
    question_length: int = setting(2_000, "characters of a question; a longer one is not read")
    question_time: float = setting(180.0, "seconds a question may take before it is stopped")
    question_tokens: int = setting(60_000, "tokens after which a question makes no further attempts")
    catalog_age: float = setting(
        300.0,
        "seconds after which a catalog is refreshed",
        old_variable="TEXT2SQL_CATALOGUE_AGE",
    )
    value_rows: int = setting(5_000, "distinct values per text column that are matched with questions")
    values_time: float = setting(20.0, "seconds that reading those values in the background may take")
    values_wait: float = setting(
        20.0,
        "seconds that a question waits for those values; a shorter wait can change early answers",
        may_be_zero=True,
    )
    profile_time: float = setting(20.0, "seconds that reading the profile in the background may take")
    profile_rows: int = setting(100_000, "rows per table that are scanned for the profile")
    today: str = setting(
        "",
        "the date (YYYY-MM-DD) that questions take for the current one, for tests and evaluations; empty is "
        "the real date",
        is_date=True,
    )
    # time in questions
    week_start: int = setting(
        1, "first day of a week, from 1 for Monday to 7 for Sunday", choices=tuple(range(1, 8))
    )
    fiscal_year_start: int = setting(
        1, "month in which a fiscal year starts, 1 to 12", choices=tuple(range(1, 13))
    )
    fiscal_year_named: str = setting(
        "end",
        "the calendar year that names a fiscal year: the one of its `start` or of its `end`",
        choices=get_args(FiscalYearNamed),
    )
    time_zone: str = setting(
        "", "time zone of the current day, such as `Asia/Shanghai`; empty is the system's"
    )
    # memory
    memory: str = setting(
        "",
        "where threads and knowledge are kept: a file, a postgresql:// URL, or `none`; "
        "empty is memory.db among the user's data",
        secret=True,
        path=True,
        protected=True,
    )
    data_dir: str = setting("", "where memory.db is kept; empty is the user's data directory", path=True)
    pairs_dir: str = setting(
        "", "a folder of *.sql files with verified questions, to be shared through Git", path=True
    )
    embedding_model: str = setting(
        "",
        "`provider:model` of an OpenAI-compatible provider, to find verified questions by meaning; empty "
        "compares words",
    )
    result_lifetime: float = setting(86_400.0, "seconds a result can be paged and exported")
    result_keep_rows: int = setting(1_000, "rows that are stored per result for that")
    # charts
    font_dir: str = setting("", "a folder of additional fonts for chart images", path=True)
    chart_mcp: str = setting(
        "",
        "command of a chart server to draw PNG pictures with, such as `npx -y @antv/mcp-server-chart`",
        protected=True,
    )
    # the MCP server
    mcp_tokens: int = setting(4_000, "tokens that one reply of the MCP server may take")
    # agents of Google's ADK
    adk_tokens: int = setting(
        4_000, "tokens that one result of a tool may take, in the state of an ADK session too"
    )
    # the HTTP server
    models: str = setting("", "additional models that a request may name, separated by commas")
    stream_grace: float = setting(20.0, "seconds that a stream continues without a reader")
    stream_keep: float = setting(60.0, "seconds that a finished stream can be read again")
    stream_bytes: int = setting(64_000_000, "bytes of events that one stream may hold")
    heartbeat: float = setting(10.0, "seconds of silence after which a stream sends a heartbeat")
    shutdown_grace: float = setting(5.0, "seconds that running questions may take when the server shuts down")
    cache_lifetime: float = setting(
        300.0, "seconds that an answer is cached for the same question; 0 for never", may_be_zero=True
    )
    cache: str = setting(
        "",
        "where servers share that, and count requests together: a redis:// or rediss:// URL; "
        "empty keeps it in each process",
        secret=True,
        protected=True,
    )
    export_rows: int = setting(1_000_000, "rows of a result that can be exported")
    export_time: float = setting(300.0, "seconds that an export may take")
    body_limit: int = setting(65_536, "bytes that a request may send")
    hosts: str = setting("", "additional host names of the server, separated by commas", protected=True)
    cors_origins: str = setting(
        "", "other origins whose pages may send requests, separated by commas", protected=True
    )
    audit: str = setting(
        "auto", "audit log: `on`, `off`, or `auto` for on with authentication", protected=True
    )
    background: bool = setting(
        True, "run jobs of the shared queue in this server; off leaves them to others (PostgreSQL memory)"
    )
    refresh_every: str = setting(
        "", "cron expression for refreshing all catalogs; empty refreshes them when they are old"
    )
    # authentication
    auth: str = setting(
        "",
        "how users sign in: `keys`, `tokens` or `keys,tokens`; empty for no authentication",
        protected=True,
    )
    token_issuer: str = setting(
        "", "issuer of tokens: their `iss`, and the address of an OpenID provider", protected=True
    )
    token_audience: str = setting("", "audience of tokens: their `aud`", protected=True)
    token_secret: str = setting("", "the secret of tokens signed with HS256", secret=True, protected=True)
    token_keys: str = setting(
        "",
        "file or address of the issuer's public keys (JWKS); empty asks the issuer where they are",
        path=True,
        protected=True,
    )
    token_user: str = setting("sub", "the claim with the user's name", protected=True)
    token_roles: str = setting(
        "roles", "the claim with the roles; a dot selects a nested field", protected=True
    )
    token_sources: str = setting(
        "sources", "the claim with the permitted sources; without it all are permitted", protected=True
    )
    accounts: str = setting(
        "",
        "a JSON file of database accounts that run the queries of single roles; see `serve --accounts`",
        path=True,
        protected=True,
    )
    # load limits
    work_limit: int = setting(100, "concurrent questions, pages and exports per process")
    user_work_limit: int = setting(20, "of those, per user")
    source_work_limit: int = setting(60, "of those, per source")
    queue_limit: int = setting(1_000, "requests that may wait; beyond that the response is 503")
    user_queue_limit: int = setting(100, "of those, per user; beyond that the response is 429")
    queue_wait: float = setting(30.0, "seconds that a request may wait")
    user_requests_per_minute: int = setting(
        600, "requests per minute and user; 0 for no limit", may_be_zero=True
    )

    @property
    def limits(self) -> Limits:
        return Limits(self.row_limit, self.byte_limit, self.cell_byte_limit, self.time_limit)

    @property
    def calendar(self) -> Calendar:
        named: FiscalYearNamed = "start" if self.fiscal_year_named == "start" else "end"
        return Calendar(self.week_start, self.fiscal_year_start, named, self.time_zone)


# The tables of `text2sql.toml`, each with its first setting; the settings up to the next one belong to it.
_FIRST = {
    "general": "lang",
    "database": "db",
    "model": "model",
    "embedded": "cache_dir",
    "question": "mode",
    "time": "week_start",
    "memory": "memory",
    "charts": "font_dir",
    "mcp": "mcp_tokens",
    "adk": "adk_tokens",
    "server": "models",
    "auth": "auth",
    "load": "work_limit",
}


def _grouped() -> dict[str, dict[str, Field[Any]]]:
    group_of = {first: group for group, first in _FIRST.items()}
    groups: dict[str, dict[str, Field[Any]]] = {}
    group = ""
    for setting_field in fields(Settings):
        group = group_of.get(setting_field.name, group)
        groups.setdefault(group, {})[setting_field.name] = setting_field
    return groups


GROUPS: Mapping[str, Mapping[str, Field[Any]]] = _grouped()


def variable(name: str) -> str:
    return f"TEXT2SQL_{name.upper()}"
