"""Which measures, dimensions and entities of a database are worth asking about."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from text2sql.agents.analytic.reading import AnalyticContext
from text2sql.types import Dimension, Entity, Measure

_FEWEST, _MOST = 2, 30  # values of a dimension to group by
_MOST_NULLS = 0.4
_UNKNOWN = 1_000  # its number of values: after those that are known to be few


@dataclass(frozen=True, slots=True)
class SuggestionItems:
    """`about`: tables that come first."""

    context: AnalyticContext
    about: tuple[str, ...] = ()

    def measures(self) -> list[Measure]:
        """In the order of the semantic model. A price or rate per row is no total to ask for first."""
        totals = [m for m in self.context.model.measures if m.aggregate == "sum" and not m.numerator]
        return sorted(totals, key=lambda measure: measure.table not in self.about)

    def averages(self) -> list[Measure]:
        found = [m for m in self.context.model.measures if m.aggregate == "average"]
        return sorted(found, key=lambda measure: measure.table not in self.about)

    def entities(self) -> list[Entity]:
        """Things that have names first, those near the main measure before others."""
        found = [e for e in self.context.model.entities if not e.is_bridge and not e.is_view]
        main = self.measures()[:1]
        distance = self.reached(main[0].table) if main else {}
        far = len(found)
        return sorted(
            found, key=lambda e: (e.table not in self.about, not e.labels, distance.get(e.table, far))
        )

    def categories(self, table: str) -> list[Dimension]:
        """Dimensions with few values, of the table or of one that its rows refer to."""
        distance = self.reached(table)
        ranked = [
            (distance[dimension.table], count, at, dimension)
            for at, dimension in enumerate(self.context.model.dimensions)
            if dimension.table in distance
            and dimension.kind == "category"
            and not dimension.personal
            and self._names_groups(dimension)
            and (count := self._count(dimension)) >= _FEWEST
            and (count <= _MOST or count == _UNKNOWN)
        ]
        ranked.sort(key=lambda entry: (entry[1] == _UNKNOWN, entry[0], entry[2]))
        return [dimension for *_, dimension in ranked]

    def reached(self, table: str) -> dict[str, int]:
        """The tables that each row of `table` refers to, with the number of joins on the way."""
        distance, level = {table: 0}, [table]
        while level:
            level = [r.to for name in level for r in self.context.model.relations if r.table == name]
            level = [name for name in dict.fromkeys(level) if name not in distance]
            distance.update({name: max(distance.values()) + 1 for name in level})
        return distance

    def values(self, dimension: Dimension) -> list[str]:
        """All values, if they are known and few."""
        return self.context.schema_context.values.all_of(dimension.table, dimension.column, _MOST)

    def children(self, entity: Entity) -> Iterator[Entity]:
        """Events that refer to the entity."""
        for relation in self.context.model.relations:
            child = self.context.model.entity(relation.table)
            has_own_time = child is not None and child.time.startswith(f"{child.table}.")
            if relation.to == entity.table and not relation.role and child is not None and has_own_time:
                yield child

    def years(self, time_name: str) -> tuple[int, int] | None:
        """The first and the last year of a time dimension, if the profile knows them."""
        dimension, profile = self.context.model.dimension(time_name), self.context.schema_context.profile
        known = profile.column(dimension.table, dimension.column) if profile and dimension else None
        if known is None:
            return None
        first, last = _year(known.smallest), _year(known.largest)
        return (first, last) if first and last else None

    def _names_groups(self, dimension: Dimension) -> bool:
        """Most rows have a value, and values are no mere numbers."""
        profile = self.context.schema_context.profile
        known = profile.column(dimension.table, dimension.column) if profile else None
        profiled = [str(value) for value, _ in known.values] if known else []
        values = self.values(dimension) or profiled
        is_filled = known is None or known.nulls <= _MOST_NULLS
        return is_filled and not (values and all(value.isdigit() for value in values))

    def _count(self, dimension: Dimension) -> int:
        """The number of different values."""
        values = len(self.values(dimension))
        profile = self.context.schema_context.profile
        known = profile.column(dimension.table, dimension.column) if profile else None
        return values or (known.distinct if known and known.distinct is not None else _UNKNOWN)


def _year(value: object) -> int:
    try:
        return date.fromisoformat(str(value)[:10]).year
    except ValueError:
        return 0
