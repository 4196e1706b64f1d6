"""A small database of museums for the tests of the fixes: a catalog, column values and analyzed questions.
`_FACTS` defines a table per line: columns with types, `*` primary key, `!` not null, `→` foreign key, `~` a
space.
"""

import unicodedata
from dataclasses import replace

from text2sql.types import Catalog, Column, ForeignKey, Negation, QuestionIntent, Table, ValueHit

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


# A question about countries of artists and directors of museums, but not about the tables between them.
ASKED = QuestionIntent(
    {
        "artist": frozenset({"artists", "countries"}),
        "painting": frozenset({"artists"}),
        "museum": frozenset({"museums", "directors"}),
        "loan": frozenset({"loans"}),
    },
    understood=True,
)


_TAUGHT = {name: frozenset({f"{name}s"}) for name in ("artist", "teacher", "school", "studied")}

# The analyzed question for each file of cases.
SAID = {
    "anti_join.denied": QuestionIntent({}, understood=True, negation=Negation()),
    "asked_value.denied": QuestionIntent(
        {},
        understood=True,
        text="gold visitors without a visit to a museum in the north",
        values=(
            ValueHit("gold", "Gold", "visitor", "card_type"),
            ValueHit("north", "North", "city", "region"),
        ),
        negation=Negation((ValueHit("north", "North", "city", "region"),)),
    ),
    "asked_value.called": QuestionIntent(
        {},
        understood=True,
        text="what did rosa luz paint in france",
        values=(
            ValueHit("Rosa Luz", "Rosa Luz", "artist", "Name"),
            ValueHit("France", "france", "artist", "country"),
        ),
    ),
    "asked_without.any": QuestionIntent(
        {}, understood=True, negation=Negation(lacks=True, at_all=True), text="any"
    ),
    "asked_without.neither": QuestionIntent({}, understood=True, negation=Negation(lacks=True)),
    "unasked_join": ASKED,
    "asked_value": QuestionIntent(
        {}, understood=True, values=(ValueHit("north", "North", "city", "region"),)
    ),
    "asked_column": QuestionIntent({}, understood=True, sought=(("artist", "country"), ("city", "region"))),
    "asked_column.listed": QuestionIntent(
        {}, understood=True, listed=((("artist", "Name"),), (("artist", "country"), ("city", "region")))
    ),
    "asked_each": QuestionIntent({}, understood=True, each=(("artist", "country"), ("city", "region"))),
    "asked_distinct": QuestionIntent({}, understood=True, different=True),
    "asked_distinct.each": QuestionIntent(
        {}, understood=True, different=True, distinct=(("visit", "visitor_id"),)
    ),
    "asked_either": QuestionIntent(
        {}, understood=True, text="artists of spain or born before 1900, and living"
    ),
    "asked_list": QuestionIntent(
        {},
        understood=True,
        listed=((("artist", "Name"), ("city", "city_name")), (("artist", "country"), ("city", "region"))),
    ),
    "asked_not": QuestionIntent(
        {}, understood=True, negation=Negation((ValueHit("silver", "Silver", "visitor", "card_type"),))
    ),
    "asked_part": QuestionIntent({}, understood=True, text="names that have the letter a"),
    "asked_part.first": QuestionIntent({}, understood=True, text="titles that start with an a"),
    "counted_rows": QuestionIntent(
        {"artist": frozenset({"artist"}), "painting": frozenset({"artist", "paintings"})}, understood=True
    ),
    "said_number": QuestionIntent({}, understood=True, text="超过2000万，或者 1.5 million"),
    "unasked_column": QuestionIntent(
        {}, understood=True, ranked=(("artist", "BirthYear"), ("painting", "price"))
    ),
    "asked_both": QuestionIntent({}, understood=True, both=True),
    "asked_without": QuestionIntent({}, understood=True, negation=Negation()),
    "asked_flag": QuestionIntent({}, understood=True, words=(("ticket", "is_refunded"), ("ticket", "kind"))),
    "asked_flag.number": QuestionIntent(
        {}, understood=True, words=(("ticket", "has_discount"), ("ticket", "island"))
    ),
    "asked_flag.denied": QuestionIntent(
        {}, understood=True, words=(("ticket", "is_refunded"),), negation=Negation()
    ),
    "asked_without.not": QuestionIntent(
        {},
        understood=True,
        negation=Negation((ValueHit("silver", "Silver", "visitor", "card_type"),), fails=True),
    ),
    "other_end": QuestionIntent(_TAUGHT, understood=True, text="rosa luz's teachers"),
    "other_end.zh": QuestionIntent({}, understood=True, text="rosa luz 的老师"),
    "other_end.of": QuestionIntent({}, understood=True, text="artists who had rosa luz"),
    "right_end": QuestionIntent(_TAUGHT, understood=True, text="which artists have no teachers?"),
    "right_end.is": QuestionIntent(_TAUGHT, understood=True, text="which artists were teachers of somebody?"),
    "right_end.zh": QuestionIntent(_TAUGHT, understood=True, text="哪些画家没有老师？"),
    "right_end.which": QuestionIntent(_TAUGHT, understood=True, text="老师有哪些？"),
    "right_end.names": QuestionIntent(_TAUGHT, understood=True, text="names of the teachers"),
    "asked_age": QuestionIntent({}, understood=True, text="the oldest artist"),
    "asked_age.order": QuestionIntent({}, understood=True, text="artists from the youngest to the oldest"),
    "asked_age.zh": QuestionIntent({}, understood=True, text="最年轻的画家是谁？"),
    "asked_best": QuestionIntent({}, understood=True, text="the best-ranked schools"),
    "asked_order": QuestionIntent(
        {}, understood=True, text="paintings of artists with at least two of them, sorted by price"
    ),
    "asked_order.zh": QuestionIntent({}, understood=True, text="价格大于5的画，按绘制日期排列"),
    "asked_order.down": QuestionIntent({}, understood=True, text="sorted by price, highest first"),
    "unasked_limit": QuestionIntent({}, understood=True, text="titles and prices, the most expensive first."),
    "unasked_limit.zh": QuestionIntent({}, understood=True, text="画的标题和价格，按价格从高到低排列"),
    "unasked_limit.front": QuestionIntent({}, understood=True, text="画的标题和价格，价格最高的排在最前"),
    "unasked_limit.one": QuestionIntent({}, understood=True, text="价格最高的画，按价格从高到低排列"),
    "other_thing": QuestionIntent({}, understood=True, things=frozenset({"museum", "visitor"})),
    "other_end.self": QuestionIntent({}, understood=True, text="who belongs to rosa luz?"),
    "unasked_join.named": replace(ASKED, things=frozenset({"artist", "painting"})),
    "unasked_join.led": replace(ASKED, things=frozenset({"visitor"})),
    "namesakes.by_name": QuestionIntent({}, understood=True, text="number of visits per museum name"),
    "asked_either.bound": QuestionIntent({}, understood=True, text="artists born in 1900 or later in spain"),
    "said_value.denied": QuestionIntent(
        {},
        understood=True,
        text="plain visitors, not the gold ones",
        heard=(ValueHit("gold", "Gold", "visitor", "card_type"),),
        negation=Negation((ValueHit("gold", "Gold", "visitor", "card_type"),)),
    ),
    "asked_part.time": QuestionIntent({}, understood=True, text="paintings started in may"),
    "asked_except": QuestionIntent(
        {}, understood=True, negation=Negation((ValueHit("silver", "Silver", "visitor", "card_type"),))
    ),
    "asked_having": QuestionIntent({}, understood=True, negation=Negation(had=("museum", "painting"))),
    "asked_measure": QuestionIntent({}, understood=True, measure="avg"),
    "asked_measure.named": QuestionIntent({}, understood=True, averaged=(("painting", "price"),)),
    "asked_total": QuestionIntent(
        {}, understood=True, totalled=(("city", "Population"), ("visit", "visitor_id"))
    ),
    "said_measure": QuestionIntent(
        {}, understood=True, text="the average rank", averaged=(("school", "Rank"),)
    ),
    "said_measure.more": QuestionIntent(
        {}, understood=True, text="the average world rank", averaged=(("school", "Rank"),)
    ),
    "asked_name": QuestionIntent({}, understood=True, named=("museum",)),
    "asked_owner": QuestionIntent({}, understood=True, named=("museum",)),
    "said_value": QuestionIntent(
        {},
        understood=True,
        text="gold visitors of museums in france",
        heard=(ValueHit("gold", "Gold", "visitor", "card_type"),),
    ),
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

    def holding(self, table: str, column: str, text: str) -> list[str]:
        return [stored for stored in _VALUES.get((table, column), ()) if _bare(text) in _bare(stored)]

    def within(self, table: str, column: str, text: str) -> list[str]:
        return [stored for stored in _VALUES.get((table, column), ()) if _bare(stored) in _bare(text)]

    def nearest(self, table: str, column: str, value: str, most: int = 5) -> list[str]:
        return list(_VALUES.get((table, column), ()))[:most]

    def places(self, value: str) -> list[tuple[str, str]]:
        return [place for place, values in _VALUES.items() if _bare(value) in map(_bare, values)]


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(
        "".join(character for character in folded if not unicodedata.combining(character)).split()
    )
