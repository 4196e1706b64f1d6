"""Entities: the columns that name a row, its main time, and whether a table only connects others."""

from text2sql.naming import is_numeric
from text2sql.naming.kinds import FEW, PEOPLE
from text2sql.semantics.synonyms import table_synonyms
from text2sql.semantics.tables import ColumnFacts, Schema, Synonyms, TableFacts
from text2sql.semantics.vocabulary import names, words
from text2sql.types import Entity

_NEVER = 9  # the rank of a time that is never the main one


def find_entity(table: TableFacts, schema: Schema, synonyms: Synonyms) -> Entity:
    return Entity(
        table.label,
        table.key,
        label_columns(table),
        main_time(table, schema),
        table_synonyms(table, synonyms),
        is_bridge(table, schema),
        table.table.kind == "view",
    )


# -- labels ----------------------------------------------------------------------------------------


def label_columns(table: TableFacts) -> tuple[str, ...]:
    """The shortest set of columns that names a row: a name, a first and a last name, or a number such as an
    invoice's. Empty if only the key does.
    """
    first = next((c.name for c in table.columns if c.words.singulars in names("first_name")), None)
    last = next((c.name for c in table.columns if c.words.singulars in names("last_name")), None)
    full = [c for c in table.columns if c.profile.kind == "label" or _is_topic(table, c)]
    ranked = sorted(
        (rank, at, c.name)
        for at, c in enumerate(full)
        if _may_name(c) and ((rank := _label_rank(table, c)) < 2 or not _repeats(table, c))
    )
    if ranked and ranked[0][0] <= 1:
        return (ranked[0][2],)
    if first and last:
        return (first, last)
    # The `ship_name` of an order is not its own, nor is one of several: `winner_name`, `loser_name`.
    if ranked and not _is_transaction(table) and (len(ranked) == 1 or ranked[0][0] < ranked[1][0]):
        return (ranked[0][2],)
    described = [c.name for c in table.columns if _describes(table, c) or _is_nearly_unique(table, c)]
    if described:
        return (described[0],)
    unique = [c.name for c in table.columns if _is_number_of_row(table, c)]
    return tuple(unique[:1])


def _may_name(facts: ColumnFacts) -> bool:
    return facts.profile.kind in ("label", "category", "text") and not is_numeric(facts.column.type)


def _repeats(table: TableFacts, facts: ColumnFacts) -> bool:
    """Whether most rows share their value, as the profile knows: the product's name in a table of sales."""
    distinct = facts.profile.distinct
    return distinct is not None and bool(table.rows) and distinct < (table.rows or 0) / 2


def _is_nearly_unique(table: TableFacts, facts: ColumnFacts) -> bool:
    """`company` in a list of companies; known from the profile only."""
    profile = facts.profile
    if not _may_name(facts) or profile.kind == "text" or profile.distinct is None or not table.rows:
        return False
    is_private = profile.is_personal and not table.words.has(PEOPLE)
    return not is_private and not _is_transaction(table) and profile.distinct > max(FEW, 0.95 * table.rows)


def _describes(table: TableFacts, facts: ColumnFacts) -> bool:
    """`region_description` of a region that has no name."""
    own = facts.words.singulars
    return own[:-1] == table.topic and own[-1:] in (("description",), ("desc",), ("text",))


def _is_topic(table: TableFacts, facts: ColumnFacts) -> bool:
    """`city` in a table of cities."""
    return bool(table.topic) and facts.words.singulars == table.topic


def _label_rank(table: TableFacts, facts: ColumnFacts) -> int:
    """0 is best: `name`, `customer_name`, or `city` of a city."""
    if words("other_name").are_in(facts.words):
        return 6
    known = (*table.topic, *words("name").english, *words("name").chinese)
    rest = [word for word in facts.words.singulars if word.isascii() and word not in known]
    chinese = facts.words.chinese
    for word in known:
        chinese = chinese if word.isascii() else chinese.replace(word, "")
    is_rest = bool(chinese) and not any(chinese in part for part in table.topic)  # 节目 in 综艺节目
    return 2 * len(rest) + 2 * is_rest


def _is_number_of_row(table: TableFacts, facts: ColumnFacts) -> bool:
    """`invoice_number` of an invoice: no name, but what people call it by."""
    if facts.profile.kind not in ("code", "identifier") or (facts.name,) == table.key:
        return False
    is_number = facts.words.last in words("number_of_row").english or facts.words.chinese.endswith(
        words("number_of_row").chinese
    )
    return is_number and facts.profile.is_unique and _shares_topic(table, facts)


def _shares_topic(table: TableFacts, facts: ColumnFacts) -> bool:
    return any(
        part in (facts.words.singulars if part.isascii() else facts.words.chinese) for part in table.topic
    )


# -- time ------------------------------------------------------------------------------------------


def main_time(table: TableFacts, schema: Schema) -> str:
    """The time dimension of a table's rows; for lines of an order, that of the order."""
    column = own_time(table)
    if column:
        return f"{table.label}.{column}"
    header = header_of(table, schema)
    column = own_time(header) if header is not None else ""
    return f"{header.label}.{column}" if header is not None and column else ""


def own_time(table: TableFacts) -> str:
    ranked = sorted(
        (_time_rank(table, facts), at, facts.name)
        for at, facts in enumerate(table.columns)
        if facts.profile.kind == "date" and (facts.name,) != table.key
    )
    return ranked[0][2] if ranked and ranked[0][0] < _NEVER else ""


def _time_rank(table: TableFacts, facts: ColumnFacts) -> int:
    """0 is best. A due date counts less than a year, and the creation of a row less than the event itself."""
    ranks = (
        (_NEVER, words("never").are_in(facts.words)),
        (6, words("later").are_in(facts.words)),
        (5, words("created").are_in(facts.words)),
        (4, facts.meaning == "year"),
        (0, _shares_topic(table, facts) or len(facts.words.words) == 1),
        (1, words("event").are_in(facts.words)),
    )
    return next((rank for rank, applies in ranks if applies), 2)


# -- bridges and lines -----------------------------------------------------------------------------


def is_bridge(table: TableFacts, schema: Schema) -> bool:
    """Whether a table has nothing but references to at least two others, and perhaps the time of a change;
    and no table refers to it.
    """
    relations = schema.parents(table.label)
    if any(relation.to == table.label for relation in schema.relations):
        return False
    referring = {column for relation in relations for column in relation.columns}
    if len({relation.columns for relation in relations}) < 2 or table.table.kind == "view":
        return False
    others = [c for c in table.columns if c.name not in referring and (c.name,) != table.key]
    return all(c.profile.kind == "date" and _time_rank(table, c) >= 5 for c in others)


def header_of(table: TableFacts, schema: Schema) -> TableFacts | None:
    """The order of an order item: the table that its name extends. A table of lines with another name has the
    only table of events that it refers to.
    """
    targets = {relation.to for relation in schema.parents(table.label)} - {table.label}
    found = [schema.tables[name] for name in sorted(targets) if name in schema.tables]
    headers = [other for other in found if _extends(table, other)]
    if not headers and words("line").are_in(table.words):
        headers = [other for other in found if _is_event(other)]
    return headers[0] if len(headers) == 1 else None


def _extends(table: TableFacts, header: TableFacts) -> bool:
    """`order item` extends `order`, and 订单明细 extends 订单."""
    if not header.topic or header.topic == table.topic:
        return False
    rest = set(table.topic) - set(header.topic)
    if set(header.topic) <= set(table.topic) and rest <= words("line").english:
        return True
    own, other = "".join(table.topic), "".join(header.topic)
    return own.startswith(other) and own.removeprefix(other) in words("line").chinese


def _is_transaction(table: TableFacts) -> bool:
    """Whether rows are things that happen at a time, such as orders, and not things with names."""
    facts = table.column(own_time(table))
    if facts is None:
        return False
    return words("transaction").are_in(facts.words) or facts.words.singulars in _PLAIN_TIMES


_PLAIN_TIMES = (("date",), ("time",), ("date", "time"), ("timestamp",), ("日期",), ("时间",))


def _is_event(table: TableFacts) -> bool:
    facts = table.column(own_time(table))
    return facts is not None and _time_rank(table, facts) <= 2
