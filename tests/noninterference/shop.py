"""The shop of `tests/sql/policy.json` as twins, for the case files, which read its tables."""

from typing import Any

from contract import shop
from contract.engine_databases import EngineDatabase

_HIDDEN_TABLE = "CREATE TABLE secrets (id INTEGER, token VARCHAR(40), n INTEGER)"


def document() -> dict[str, Any]:
    return {"tables": shop.POLICY["tables"]}


def fill(engine_db: EngineDatabase, copy: str) -> None:
    shop.fill(engine_db, with_hidden=True, other_hidden=copy == "right", backwards=copy == "shuffled")
    engine_db.admin(_HIDDEN_TABLE)
    rows = "(1, 'x', 7)" if copy == "right" else "(1, 'a', 1), (2, 'b', 4), (3, 'c', 2)"
    engine_db.admin(f"INSERT INTO secrets VALUES {rows}")
    if engine_db.dialect == "postgres":
        engine_db.admin("GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC")
