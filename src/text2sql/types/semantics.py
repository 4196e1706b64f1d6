"""What a database can be asked about: entities, measures, dimensions and joins.

They are found from the catalog and the profile, or declared in a project. Tables have their labels as names
(`schema.table_labels`), columns are spelled as in the catalog.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Aggregate: TypeAlias = Literal[
    "count", "count_distinct", "sum", "average", "median", "percentile", "min", "max"
]
DimensionKind: TypeAlias = Literal["category", "time", "boolean", "label", "number", "key"]
MeasureKind: TypeAlias = Literal["amount", "quantity", "rate", "duration", "score", "number"]


@dataclass(frozen=True, slots=True)
class Entity:
    """What one row of a table is: a customer, an order, a film."""

    table: str
    key: tuple[str, ...] = ()  # the columns that identify a row
    labels: tuple[str, ...] = ()  # the columns that name a row for a reader: `FirstName`, `LastName`
    # The name of the time dimension of its rows, if there is an obvious one. For lines of an order it is in
    # the table of orders.
    time: str = ""
    synonyms: tuple[str, ...] = ()
    is_bridge: bool = False  # a table that only connects others
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class Dimension:
    """A column to group by, to filter by, or to show."""

    name: str  # `table.column`, or a declared name; unique
    table: str
    column: str
    kind: DimensionKind = "category"
    format: str = ""  # of a date, time or number that is kept as text or as a number: `profile.Format`
    unit: str = ""
    synonyms: tuple[str, ...] = ()
    personal: bool = False  # about a person


@dataclass(frozen=True, slots=True)
class Measure:
    """A number per row of a table that can be aggregated; or, declared, an aggregate or a ratio of two.

    `expression` is SQL over columns of `table`, without table names: `quantity * unit_price`. It may also use
    columns of a table that each row refers to, with that table's label: `quantity * (price - products.cost)`.
    A number that is kept as text is converted by the format of its dimension.
    `/` divides real numbers, and gives NULL for a zero denominator.
    """

    name: str  # `table.column`, or a declared or found name such as `revenue`; unique
    table: str
    expression: str
    aggregate: Aggregate = "sum"  # how it is aggregated unless the question says otherwise
    is_aggregate: bool = False  # True: `expression` aggregates itself, as in `SUM(amount) / COUNT(*)`
    filter: str = ""  # SQL condition over columns of `table`
    time: str = ""  # the name of its time dimension, if declared or obvious
    kind: MeasureKind = "number"
    unit: str = ""
    synonyms: tuple[str, ...] = ()
    numerator: str = ""  # of a ratio: the names of two other measures
    denominator: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A join: each row of `table` refers to at most one row of `to`."""

    table: str
    columns: tuple[str, ...]
    to: str
    referred: tuple[str, ...]
    role: str = ""  # what the columns say beyond the table they refer to: `manager`, `origin`; often empty
    declared: bool = True  # by a foreign key or a person; False: inferred from names and values


@dataclass(frozen=True, slots=True)
class SemanticModel:
    """Everything that analytic queries on a database may use.

    Where a word fits several measures, the first one is preferred whose table reaches the dimensions of the
    question without multiplying rows: revenue by month is the total of invoices, by product the amount of
    their lines.
    """

    dialect: str
    entities: tuple[Entity, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    measures: tuple[Measure, ...] = ()
    relations: tuple[Relation, ...] = ()

    def entity(self, table: str) -> Entity | None:
        return next((entity for entity in self.entities if entity.table == table), None)

    def dimension(self, name: str) -> Dimension | None:
        return next((dimension for dimension in self.dimensions if dimension.name == name), None)

    def measure(self, name: str) -> Measure | None:
        return next((measure for measure in self.measures if measure.name == name), None)
