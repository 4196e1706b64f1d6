"""BigQuery through its client: which project and dataset, with whose account, and what a query may cost.

Not yet run against Google's service: what runs without it is tested, the rest is not.
"""

from typing import Any, NoReturn

from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import GoogleAuthError
from google.cloud import bigquery
from google.oauth2 import service_account

from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.engines.bigquery.errors import refused, translate
from text2sql.database.engines.bigquery.session import BigquerySession
from text2sql.database.engines.options import Options
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, Forbidden, UsageError

_OPTIONS = ("anonymous", "credentials", "endpoint", "location", "maximum_bytes_billed")
_BYTES = 10_000_000_000  # what one query may read unless the address says otherwise


class BigqueryEngine:
    dialect = "bigquery"

    def __init__(self, source: Source, settings: Settings) -> None:
        self._source = source
        self._options = Options(source, _OPTIONS)
        self._bytes = int(self._options.number("maximum_bytes_billed", _BYTES))
        self._patience = settings.connect_timeout
        if not source.database:
            raise UsageError("usage.db_url", url=f"bigquery://{source.host}", product="BigQuery")

    def connect(self) -> BigquerySession:
        try:
            client = bigquery.Client(project=self._source.host, **self._account())
        except (GoogleAuthError, OSError, ValueError) as error:
            raise refused(error) from error
        dataset = f"{self._source.host}.{self._source.database}"
        return BigquerySession(client, dataset, most_bytes=self._bytes, patience=self._patience)

    def connect_writing(self) -> NoReturn:
        raise Forbidden("no rehearsal", key="database.no_writes", product=BY_NAME[self.dialect].product)

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        """Sessions are the pool's; there is nothing else."""

    def _account(self) -> dict[str, Any]:
        """A key file that the address names, nobody (an emulator), or whom this machine is logged in as."""
        given: dict[str, Any] = {"location": self._options["location"] or None}
        if endpoint := self._options["endpoint"]:
            given["client_options"] = ClientOptions(api_endpoint=endpoint)
        if self._options.is_on("anonymous"):
            given["credentials"] = AnonymousCredentials()  # type: ignore[no-untyped-call]
        elif path := self._options["credentials"]:
            given["credentials"] = service_account.Credentials.from_service_account_file(path)  # type: ignore[no-untyped-call]
        return given
