"""Sales: which column is the amount of a sale, and how an amount and a profit follow from quantity and price.

A table of sales is a line of an order or invoice, or has a time and refers to what was sold. Stocks have
quantities and prices too; they are no sales.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2sql.naming import is_numeric, quoted_if_needed
from text2sql.semantics.entities import header_of, main_time, own_time
from text2sql.semantics.tables import ColumnFacts, Schema, TableFacts
from text2sql.semantics.vocabulary import names, words


@dataclass(frozen=True, slots=True)
class LineColumns:
    """The columns of a table of sales that amounts are computed from."""

    quantity: ColumnFacts
    price: ColumnFacts
    discount: ColumnFacts | None = None
    cost: ColumnFacts | None = None
    price_table: str = ""  # if the price is in the table of what was sold
    cost_table: str = ""


@dataclass(frozen=True, slots=True)
class Sale:
    amount: str = ""  # SQL; empty if a column has it
    profit: str = ""
    unit: str = ""


def is_about_sales(table: TableFacts, schema: Schema) -> bool:
    """Whether the name of the table or of its header says so, or the name of its time: `order_date`."""
    header, time = header_of(table, schema), table.column(own_time(table))
    about = [table.words, *([header.words] if header is not None else [])]
    says_so = any(map(words("sale").are_in, [*about, *([time.words] if time is not None else [])]))
    return says_so and not any(map(words("no_sale").are_in, about))


def revenue_column(table: TableFacts, schema: Schema) -> ColumnFacts | None:
    """The column that has the amount of a sale, if the table has sales or the column says so itself."""
    amounts = [c for c in table.of_kind("amount") if not c.words.has(frozenset(("unit", "per")))]
    named = [facts for facts in amounts if words("revenue").are_in(facts.words)]
    if named or not is_about_sales(table, schema):
        return next(iter(named), None)
    by_last_word = (facts for facts in amounts if facts.words.last in ("sale", "revenue"))
    return _first_named(amounts, "total") or next(by_last_word, None)


def sold_quantity(table: TableFacts, schema: Schema) -> ColumnFacts | None:
    """The column that says how many were sold, in a table of sales."""
    if not (main_time(table, schema) or is_about_sales(table, schema)):
        return None
    if words("no_sale").are_in(table.words):
        return None
    return next((facts for facts in table.columns if _is_quantity(facts)), None)


def line_columns(table: TableFacts, schema: Schema) -> LineColumns | None:
    """None if the table has no sales of single things."""
    quantity = sold_quantity(table, schema)
    if quantity is None or table.table.kind == "view":
        return None
    price = _first_named(table.columns, "price")
    cost = _first_named(table.columns, "cost")
    price_table = cost_table = ""
    sold = _sold(table, schema)
    if sold is not None:
        if price is None and (price := _first_named(sold.columns, "price")) is not None:
            price_table = sold.label
        if cost is None and (cost := _first_named(sold.columns, "cost")) is not None:
            cost_table = sold.label
    if price is None:
        return None
    discount = next((c for c in table.columns if _is_discount(c)), None)
    return LineColumns(quantity, price, discount, cost, price_table, cost_table)


def _sold(table: TableFacts, schema: Schema) -> TableFacts | None:
    """The only referred table with a price or a cost: what was sold."""
    header = header_of(table, schema)
    targets = {relation.to for relation in schema.parents(table.label)}
    found = [
        schema.tables[name]
        for name in sorted(targets)
        if name in schema.tables
        and (header is None or name != header.label)
        and (
            _first_named(schema.tables[name].columns, "price")
            or _first_named(schema.tables[name].columns, "cost")
        )
    ]
    return found[0] if len(found) == 1 else None


def _first_named(columns: Sequence[ColumnFacts], entry: str) -> ColumnFacts | None:
    """The numeric column with the best of these names."""
    for name in names(entry):
        for facts in columns:
            if facts.words.singulars == name and (facts.is_number or is_numeric(facts.column.type)):
                return facts
    return None


def _is_quantity(facts: ColumnFacts) -> bool:
    if facts.profile.kind != "quantity" or words("stock").are_in(facts.words):
        return False
    if facts.words.chinese:
        return facts.words.chinese.endswith(words("quantity").chinese)
    return facts.words.has(words("quantity").english)


def _is_discount(facts: ColumnFacts) -> bool:
    return is_numeric(facts.column.type) and words("discount").are_in(facts.words)


def find_sales(schema: Schema) -> Iterator[tuple[TableFacts, Sale]]:
    for table in schema.tables.values():
        line = line_columns(table, schema)
        if line is not None:
            yield table, _sale(line, revenue_column(table, schema), schema)


def _sale(line: LineColumns, amount: ColumnFacts | None, schema: Schema) -> Sale:
    dialect = schema.catalog.dialect
    quantity = quoted_if_needed(line.quantity.name, dialect)
    price = _column(line.price, line.price_table, dialect)
    paid = price
    if line.discount is not None:
        factor = _factor(line.discount, dialect)
        paid = factor.format(price=price) if factor else price
    total = "" if amount is not None else f"{quantity} * {paid}"
    profit = ""
    if line.cost is not None:
        cost = _column(line.cost, line.cost_table, dialect)
        if amount is not None:
            profit = f"{quoted_if_needed(amount.name, dialect)} - {quantity} * {cost}"
        else:
            profit = f"{quantity} * ({paid} - {cost})"
    return Sale(total, profit, line.price.profile.unit)


def _column(facts: ColumnFacts, table: str, dialect: str) -> str:
    name = quoted_if_needed(facts.name, dialect)
    return f"{_table(table, dialect)}.{name}" if table else name


def _table(label: str, dialect: str) -> str:
    return ".".join(quoted_if_needed(part, dialect) for part in label.split("."))


def _factor(discount: ColumnFacts, dialect: str) -> str:
    """How a discount changes a price; "" if that cannot be told.

    From 0 to 1 it is a fraction, up to 100 a percentage where the name says so. A Chinese 折扣 of 0.85 is
    what remains to be paid.
    """
    profile = discount.profile
    name = quoted_if_needed(discount.name, dialect)
    if profile.nulls > 0 or (profile.distinct is None and discount.column.nullable):
        name = f"COALESCE({name}, 0)"
    percent = words("percent").are_in(discount.words)
    smallest, largest = profile.smallest, profile.largest
    if not isinstance(smallest, int | float) or not isinstance(largest, int | float):
        if words("discount_amount").are_in(discount.words):
            return ""
        return f"{{price}} * (1 - {name} / 100.0)" if percent else f"{{price}} * (1 - {name})"
    if smallest < 0:
        return ""
    if smallest >= 0.5 and largest == 1:
        return f"{{price}} * {quoted_if_needed(discount.name, dialect)}"
    if largest <= 1:
        return f"{{price}} * (1 - {name})"
    return (
        f"{{price}} * (1 - {name} / 100.0)" if largest <= 100 and (percent or profile.kind == "rate") else ""
    )
