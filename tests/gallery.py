"""A small database of museums for the tests of the fixes: a catalog and column values.
`_FACTS` defines a table per line: columns with types, `*` primary key, `!` not null, `→` foreign key, `~` a
space.
"""

import unicodedata

from text2sql.types import Catalog, Column, ForeignKey, Table

_FACTS = """
artist: artist_id* int, Name text, country text, BirthYear int
painting: painting_id* int, title text, artist_id! int → artist.artist_id, museum_id int → museum.museum_id, price int, painted_on date
museum: museum_id* int, museum_name text, city_id int → city.city_id, opened date, director text
city: city_id* int, city_name text, region text, Population int
visitor: id* int, full_name text, card_type text, home_city text
visit: id* int, visitor_id int → visitor.id, museum_id int → museum.museum_id, paid int, visited_on text
teacher: artist_id* int → artist.artist_id, teacher_id* int → artist.artist_id
school: school_id* int, Name text, founded int, World_Rank int, Rank int, Open~Since int
studied: artist_id* int → artist.artist_id, school_id* int → school.school_id
ticket: ticket_id* int, museum_id int → museum.museum_id, kind text, is_refunded text, has_discount int, island text
loan: loan_id* int, painting_id int → painting.painting_id, lender int → museum.museum_id, borrower int → museum.museum_id, days int
"""  # noqa: E501

_VALUES = {
    ("artist", "country"): ("france", "Côte d'Ivoire", "Spain"),
    ("artist", "Name"): ("Rosa Luz", "Ada Weiß"),
    ("museum", "museum_name"): ("Old Mill", "Harbour House"),
    ("museum", "director"): ("Ada Weiß", "Tom Reed"),
    ("city", "city_name"): ("Lyon", "Porto"),
    ("city", "region"): ("North", "South", "Near North"),
    ("visitor", "card_type"): ("Gold", "Silver"),
    ("visitor", "home_city"): ("Lyon", "Turin"),
    ("ticket", "is_refunded"): ("Yes", "No"),
    ("ticket", "kind"): ("Day", "Night"),
}


def _table(line: str) -> Table:
    name, _, definitions = line.partition(": ")
    columns, keys, foreign = [], [], []
    for part in definitions.split(", "):
        column, type_name, *link = part.split(" ", 2)
        stored = column.rstrip("*!").replace("~", " ")
        columns.append(Column(stored, type_name, nullable=column[-1] not in "*!"))
        keys += [stored] if column.endswith("*") else []
        if link:
            table, _, referred = link[0].removeprefix("→ ").partition(".")
            foreign.append(ForeignKey((stored,), table, (referred,)))
    return Table(name, tuple(columns), primary_key=tuple(keys), foreign_keys=tuple(foreign))


def gallery(dialect: str = "sqlite") -> Catalog:
    return Catalog(dialect, "", tuple(map(_table, _FACTS.strip().splitlines())), "gallery")


class GalleryValues:
    """The `ValueDomains` of the gallery."""

    def contains(self, table: str, column: str, value: str) -> bool | None:
        values = _VALUES.get((table, column))
        return None if values is None else value in values

    def spelled(self, table: str, column: str, value: str) -> str | None:
        matches = [stored for stored in _VALUES.get((table, column), ()) if _bare(stored) == _bare(value)]
        return matches[0] if matches else None

    def nearest(self, table: str, column: str, value: str, most: int = 5) -> list[str]:
        return list(_VALUES.get((table, column), ()))[:most]

    def columns_with(self, value: str) -> list[tuple[str, str]]:
        return [place for place, values in _VALUES.items() if _bare(value) in map(_bare, values)]


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(
        "".join(character for character in folded if not unicodedata.combining(character)).split()
    )
