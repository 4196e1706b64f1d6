"""The shop of `tests/sql/policy.json` as twins, for the case files, which read its tables."""

from typing import Any

from contract import shop
from contract.places import Place

_HIDDEN_TABLE = "CREATE TABLE secrets (id INTEGER, token VARCHAR(40), n INTEGER)"


def document() -> dict[str, Any]:
    return {"tables": shop.POLICY["tables"]}


def fill(place: Place, copy: str) -> None:
    shop.fill(place, with_hidden=True, other_hidden=copy == "right", backwards=copy == "shuffled")
    place.admin(_HIDDEN_TABLE)
    rows = "(1, 'x', 7)" if copy == "right" else "(1, 'a', 1), (2, 'b', 4), (3, 'c', 2)"
    place.admin(f"INSERT INTO secrets VALUES {rows}")
    if place.dialect == "postgres":
        place.admin("GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC")
