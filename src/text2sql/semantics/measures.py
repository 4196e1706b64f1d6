"""Measures: columns that can be aggregated, and amounts that are computed from several of them.

The order of the measures is their preference for a word that fits several, such as *revenue*. First come the
totals of orders and invoices, then line amounts, profits, single amounts such as payments, quantities of
lines, the other columns, and last those of views. A question with a dimension that a measure's table does not
reach takes the next measure: revenue by product is not in an invoice's total.
"""

from collections.abc import Iterator

from text2sql.naming import quoted_if_needed
from text2sql.naming.kinds import averaged
from text2sql.semantics.entities import header_of, main_time
from text2sql.semantics.sales import find_sales, line_columns, revenue_column, sold_quantity
from text2sql.semantics.synonyms import column_synonyms
from text2sql.semantics.tables import ColumnFacts, Schema, Synonyms, TableFacts
from text2sql.semantics.vocabulary import measure_synonyms, words
from text2sql.types import Aggregate, Measure

_HEADER, _LINE, _PROFIT, _AMOUNT, _QUANTITY, _OTHER, _VIEW = range(7)


def find_measures(schema: Schema, synonyms: Synonyms) -> tuple[Measure, ...]:
    ranked: list[tuple[int, Measure]] = []
    headers = {header.label for header in _headers(schema)}
    for table in schema.tables.values():
        ranked += _column_measures(table, schema, synonyms, table.label in headers)
    ranked += _derived(schema, has_header_total=any(rank == _HEADER for rank, _ in ranked))
    ranked.sort(key=lambda entry: entry[0])
    return tuple(measure for _, measure in ranked)


def _headers(schema: Schema) -> Iterator[TableFacts]:
    for table in schema.tables.values():
        header = header_of(table, schema)
        if header is not None:
            yield header


def _column_measures(
    table: TableFacts, schema: Schema, synonyms: Synonyms, is_header: bool
) -> Iterator[tuple[int, Measure]]:
    time = main_time(table, schema)
    special = _special_columns(table, schema, is_header)
    referring = {column for relation in schema.parents(table.label) for column in relation.columns}
    topics = {other.topic for other in schema.tables.values()}
    for facts in table.columns:
        names_a_row = (
            facts.profile.kind == "number" and facts.words.singulars in topics
        )  # the `store` of a sale
        if not facts.is_number or names_a_row or facts.name in (*referring, *table.key):
            continue
        rank, more = special.get(facts.name, (_OTHER, ()))
        yield (
            _VIEW if table.table.kind == "view" else rank,
            Measure(
                f"{table.label}.{facts.name}",
                table.label,
                quoted_if_needed(facts.name, schema.catalog.dialect),
                default_aggregate(facts),
                time=time,
                kind=facts.profile.kind,  # type: ignore[arg-type]  # `is_number` names the same kinds
                unit=facts.profile.unit,
                synonyms=tuple(dict.fromkeys((*column_synonyms(facts, synonyms), *more))),
            ),
        )


def _special_columns(
    table: TableFacts, schema: Schema, is_header: bool
) -> dict[str, tuple[int, tuple[str, ...]]]:
    """The columns with a preference and synonyms of their own: amount, quantity and profit of sales."""
    special: dict[str, tuple[int, tuple[str, ...]]] = {}
    for facts in table.of_kind("amount"):
        if words("profit").are_in(facts.words):
            special[facts.name] = (_PROFIT, measure_synonyms("profit"))
            break
    quantity, revenue = sold_quantity(table, schema), revenue_column(table, schema)
    is_line = line_columns(table, schema) is not None
    if quantity is not None and (is_line or revenue is not None):
        special[quantity.name] = (_QUANTITY, measure_synonyms("quantity"))
    if revenue is not None:
        special[revenue.name] = (
            _HEADER if is_header else _LINE if is_line else _AMOUNT,
            measure_synonyms("revenue"),
        )
    return special


def default_aggregate(facts: ColumnFacts) -> Aggregate:
    """Amounts and quantities add up; prices, rates, scores, ages and durations are averaged."""
    if averaged(facts.name) or facts.profile.kind not in ("amount", "quantity"):
        return "sum" if facts.meaning == "area" else "average"
    return "sum"


def _derived(schema: Schema, *, has_header_total: bool) -> Iterator[tuple[int, Measure]]:
    """Amounts that no column has: the amount of a line, and its profit."""
    names: set[str] = set()

    def measure(
        name: str, expression: str, synonyms: tuple[str, ...], table: TableFacts, unit: str
    ) -> Measure:
        unique = f"{table.label} {name}" if name in names else name
        names.add(unique)
        others = tuple(word for word in synonyms if word != unique)
        time = main_time(table, schema)
        return Measure(unique, table.label, expression, time=time, kind="amount", unit=unit, synonyms=others)

    for table, sale in find_sales(schema):
        if sale.amount:
            name = "sales amount" if has_header_total else "revenue"
            yield _LINE, measure(name, sale.amount, measure_synonyms("revenue"), table, sale.unit)
        if sale.profit:
            yield _PROFIT, measure("profit", sale.profit, measure_synonyms("profit"), table, sale.unit)
