"""BigQuery through its client: project and dataset, credentials, and the maximum cost of a query.

Not tested against Google's service: only what runs without it is tested.
"""

from typing import Any, NoReturn

from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import GoogleAuthError
from google.cloud import bigquery
from google.oauth2 import service_account

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.engines.bigquery.errors import connection_error, translate
from text2sql.database.engines.bigquery.session import BigquerySession
from text2sql.database.engines.options import Options
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, Forbidden, UsageError

_OPTIONS = ("anonymous", "credentials", "endpoint", "location", "maximum_bytes_billed")
_DEFAULT_BYTES = 10_000_000_000  # limit of what one query may read, unless the URL sets another


class BigqueryEngine:
    """Opens clients of one BigQuery dataset."""

    dialect = "bigquery"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source = source
        self._options = Options(source, _OPTIONS)
        self._byte_limit = int(self._options.number("maximum_bytes_billed", _DEFAULT_BYTES))
        self._timeout = settings.connect_timeout
        if not source.database:
            raise UsageError("usage.db_url", url=f"bigquery://{source.host}", product="BigQuery")

    def connect(self) -> BigquerySession:
        try:
            client = bigquery.Client(project=self._source.host, **self._client_options())
        except (GoogleAuthError, OSError, ValueError) as error:
            raise connection_error(error) from error
        dataset = f"{self._source.host}.{self._source.database}"
        return BigquerySession(client, dataset, byte_limit=self._byte_limit, timeout=self._timeout)

    def connect_writing(self) -> NoReturn:
        raise Forbidden("no rehearsal", key="database.no_writes", product=BY_NAME[self.dialect].product)

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        """The pool closes the sessions; there is nothing else to close."""

    def _client_options(self) -> dict[str, Any]:
        """Credentials from a key file, none (an emulator), or the default credentials of this machine."""
        options: dict[str, Any] = {"location": self._options["location"] or None}
        if endpoint := self._options["endpoint"]:
            options["client_options"] = ClientOptions(api_endpoint=endpoint)
        if self._options.is_on("anonymous"):
            options["credentials"] = AnonymousCredentials()  # type: ignore[no-untyped-call]
        elif path := self._options["credentials"]:
            options["credentials"] = service_account.Credentials.from_service_account_file(path)  # type: ignore[no-untyped-call]
        return options
