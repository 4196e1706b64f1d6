"""A clinic's database in two variants that differ in everything a policy hides, and in nothing it shows.

The right variant has other hidden values, NULLs and other types where the left has values, hidden columns in
other positions, one hidden column and one hidden table more, and, under row rules, other hidden rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from contract.engine_databases import EngineDatabase

Kind = Literal["number", "text", "date"]
Side = Literal["left", "right"]
Row = dict[str, object]
CLAIMS: dict[str, object] = {"clinic": 1, "user": "Annex"}
_TYPES = {"number": "INTEGER", "text": "VARCHAR(60)", "date": "DATE"}


@dataclass(frozen=True)
class Table:
    """`hidden` maps a hidden column to its type on the left and on the right; "" is a missing column."""

    name: str
    visible: dict[str, Kind]
    hidden: dict[str, tuple[Kind | Literal[""], Kind | Literal[""]]]
    rows: tuple[tuple[object, ...], ...]  # of the visible columns
    rule: str = ""
    fixed: Row = field(default_factory=dict)  # hidden cells that a row rule reads: equal on both sides


TABLES = (
    Table(
        "patients",
        {"id": "number", "name": "text", "city": "text", "born": "date", "weight": "number"},
        {
            "diagnosis": ("text", "text"),
            "insurance": ("number", "text"),
            "ward": ("number", "number"),
            "allergy": ("", "text"),
            "clinic": ("number", "number"),
        },
        (
            (1, "Ann", "Oslo", "1990-02-03", 61),
            (2, "Bob", "Rome", "1985-07-30", 82),
            (3, "王芳", "北京", None, 55),
            (4, "Eve", "Oslo", "2001-12-31", 70),
            (5, "Joe", None, "1970-01-01", None),
        ),
        "clinic = :clinic",
        {"clinic": 1},
    ),
    Table(
        "visits",
        {
            "id": "number",
            "patient_id": "number",
            "day": "date",
            "fee": "number",
            "note": "text",
            "payroll": "number",
        },
        {
            "name": ("text", "text"),
            "discount": ("number", "number"),
            "patients": ("text", "number"),
            "amount": ("", "number"),
        },
        (
            (1, 1, "2024-01-05", 30, "5", 1),
            (2, 1, "2024-02-06", 45, "7", 2),
            (3, 2, "2024-02-06", 20, "x", 3),
            (4, 3, "2024-03-09", 99, None, 4),
            (5, 4, None, 12, "8", None),
            (6, 5, "2024-04-01", None, "9", 6),
            (7, 4, "2024-04-02", 45, "5", 7),
        ),
        "patient_id IN (SELECT patient FROM shares WHERE clinic = :clinic)",
    ),
    Table(
        "ward",
        {"id": "number", "ward": "text", "beds": "number"},
        {"fee": ("number", "number"), "code": ("text", "")},
        ((1, "North", 4), (2, "South", 8), (3, "Annex", 1)),
        "beds > 2 OR ward = :user",
    ),
    Table(
        "staff",
        {"id": "number", "name": "text", "boss_id": "number"},
        {"salary": ("number", "number"), "level": ("number", "number")},
        ((1, "Kim", None), (2, "Lee", 1), (3, "Max", 1), (4, "Nia", 2)),
        "level < 5",
        {"level": 1},
    ),
    Table(
        "病房",
        {"编号": "number", "名称": "text", "病房": "text"},
        {"密码": ("text", "text"), "visits": ("number", "text")},
        ((1, "东", "a"), (2, "西", "b"), (3, "南", "a")),
        '"编号" < 10',
    ),
    Table(
        "order",
        {"group": "number", "select": "text"},
        {"where": ("text", "text")},
        ((1, "one"), (2, "two"), (3, None)),
    ),
)
HIDDEN_TABLES = ("payroll", "审计", "shares", "payroll_view", "vault")
VIEW = {"id": "number", "fee": "number", "patient": "text"}
_HIDDEN_DATES = ("1999-09-09", "2011-11-11")


def document(*, rows: bool) -> dict[str, Any]:
    """The policy, with row rules or without."""
    tables = {table.name: list(table.visible) for table in TABLES} | {"visit_view": list(VIEW)}
    if not rows:
        return {"tables": tables}
    rules = {table.name: table.rule for table in TABLES if table.rule} | {"visit_view": "clinic = :clinic"}
    return {"tables": tables, "rows": rules}


def fill(engine_db: EngineDatabase, side: Side, *, rows: bool, backwards: bool = False) -> None:
    """Make the variant; `rows` adds rows that the row rules hide, `backwards` inserts in the other order."""
    statements = [*_statements(engine_db, side, rows=rows, backwards=backwards)]
    if engine_db.dialect in (
        "duckdb",
        "postgres",
    ):  # where each call opens a connection, and may hold several
        statements = [";\n".join(statements)]
    for statement in statements:
        engine_db.admin(statement.replace('"', engine_db.facts.quote))


def _statements(engine_db: EngineDatabase, side: Side, *, rows: bool, backwards: bool) -> Iterator[str]:
    yield from (f"DROP {old}" for old in ("VIEW big_orders", "TABLE uses", "TABLE orders", "TABLE customers"))
    yield 'DROP TABLE "order"'
    for table in TABLES:
        visible: dict[str, str] = dict(table.visible)
        hidden = {name: kinds[side == "right"] for name, kinds in table.hidden.items()}
        hidden = {name: kind for name, kind in hidden.items() if kind}
        columns = {**hidden, **visible} if side == "left" else {**visible, **dict(reversed(hidden.items()))}
        yield from _table(engine_db, table.name, columns, _filled(table, side, rows), backwards)
    yield from _hidden_tables(engine_db, side, backwards)
    yield (
        "CREATE VIEW visit_view AS SELECT v.id AS id, v.fee AS fee, p.name AS patient, "
        "p.diagnosis AS diagnosis, p.clinic AS clinic FROM visits v JOIN patients p ON p.id = v.patient_id"
    )
    yield "CREATE VIEW payroll_view AS SELECT id, secret FROM payroll"
    if engine_db.dialect == "postgres":
        yield "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC"


def _hidden_tables(engine_db: EngineDatabase, side: Side, backwards: bool) -> Iterator[str]:
    other = side == "right"
    pay: list[Row] = [
        {"id": n, "patient_id": n % 5, "amount": n * (7 if other else 3), "secret": f"{side} {n}"}
        for n in range(1, 7 if other else 5)
    ]
    columns = {"id": "number", "patient_id": "number", "amount": "number", "secret": "text"}
    yield from _table(engine_db, "payroll", columns, pay, backwards)
    audit_rows: list[Row] = [{"编号": 1, "密码": side}, *([{"编号": 2, "密码": "x"}] if other else [])]
    yield from _table(engine_db, "审计", {"编号": "number", "密码": "text"}, audit_rows, backwards)
    shares: list[Row] = [{"patient": n, "clinic": 1} for n in range(1, 6)]
    shares += [{"patient": n, "clinic": 2} for n in range(20, 25 if other else 22)]
    yield from _table(engine_db, "shares", {"patient": "number", "clinic": "number"}, shares, backwards)
    if other:
        yield from _table(engine_db, "vault", {"id": "number", "secret": "text"}, [], backwards)


def _filled(table: Table, side: Side, rows: bool) -> list[Row]:
    made: list[Row] = []
    for row_number, row in enumerate(table.rows):
        made.append(
            {
                **_hidden_cells(table, side, row_number),
                **dict(zip(table.visible, row, strict=True)),
                **table.fixed,
            }
        )
    if rows and table.rule:
        unseen = _hidden_rows(table, side)
        made = [*unseen[:1], *made[:2], *unseen[1:], *made[2:]]
    return made


def _hidden_cells(table: Table, side: Side, row_number: int) -> Row:
    """Different on both sides, in every row; on the right every third hidden column is NULL."""
    cells: Row = {}
    for index, (name, kinds) in enumerate(table.hidden.items()):
        kind = kinds[side == "right"]
        number = 10 + row_number * 3 + index if side == "left" else 100 + row_number * row_number + index
        text = f"{name} {row_number}" if side == "left" else f"{9 - row_number} {name}"
        cells[name] = number if kind == "number" else text
        if side == "right" and index % 3 == 1:
            cells[name] = None
    return cells


def _hidden_rows(table: Table, side: Side) -> list[Row]:
    """Rows that no rule shows: they would fail, or change, most of what is asked of them."""
    count = 3 if side == "left" else 2
    made: list[Row] = []
    for n in range(count):
        row: Row = _hidden_cells(table, side, 7 + n)
        for name, kind in table.visible.items():
            number = 30 + n if side == "left" else 60 + n * 9
            row[name] = {"number": number, "text": f"hidden {side} {n}", "date": _HIDDEN_DATES[n % 2]}[kind]
        row |= {"clinic": 2, "patient_id": 20 + n, "level": 9} | {"beds": 1 + n % 2, "编号": 50 + n}
        made.append(row)
    return made


def _table(
    engine_db: EngineDatabase, name: str, columns: dict[str, str], rows: Sequence[Row], backwards: bool
) -> Iterator[str]:
    listed = ", ".join(f'"{column}" {_TYPES[kind]}' for column, kind in columns.items())
    yield f'CREATE TABLE "{name}" ({listed})'
    ordered = list(reversed(rows)) if backwards else rows
    values = ", ".join(f"({', '.join(_literal(row.get(column)) for column in columns)})" for row in ordered)
    if values:
        yield f'INSERT INTO "{name}" VALUES {values}'


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else f"'{value}'"
