"""Names in compiled SQL: quoting, aliases that collide with nothing."""

import re
from functools import cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from text2sql.sql.dialects import GRAMMARS

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NO_WORD = re.compile(r"\W+")
# Reserved in one engine or another, and not a keyword of every tokenizer.
_RESERVED = frozenset(
    "all and any as asc before between both by case cast check collate column comment condition connect "
    "constraint create cross current date day default delete desc distinct double drop else end exists false "
    "fetch final first for foreign from full function grant group groups having hour if in index inner "
    "insert interval into is join key keys last lateral leading left level like limit match minute mode "
    "month natural not null number of offset on option or order outer over partition percent plan previous "
    "prewhere primary prior public range rank references release rename replace resource right row rows "
    "rownum sample schema second select session set share size some start system table then time timestamp "
    "to top total trailing trigger true uid union unique update usage user using value values view when "
    "where window with within year".split()
)


@cache
def _keywords(dialect: str) -> frozenset[str]:
    tokenizer = Dialect.get_or_raise(dialect).tokenizer_class
    return frozenset(word.lower() for word in tokenizer.KEYWORDS) | _RESERVED


def identifier(name: str, dialect: str) -> exp.Identifier:
    """A name spelled as the engine stores it; quoted if it would otherwise mean something else."""
    folded = GRAMMARS[dialect].columns.key(name, quoted=False)
    keeps_case = folded == name or dialect in _CASE_KEPT
    plain = bool(_SIMPLE.fullmatch(name)) and keeps_case and name.lower() not in _keywords(dialect)
    return exp.to_identifier(name, quoted=not plain)


_CASE_KEPT = frozenset({"sqlite", "duckdb", "mysql", "bigquery", "clickhouse"})


class Names:
    """The aliases of one statement. None equals another one, or a column or table of its sources."""

    def __init__(self, columns: frozenset[str], tables: frozenset[str]) -> None:
        self._sources = columns  # in lower case, as all here
        self._tables = tables
        self._used: set[str] = set()

    def new(self, wanted: str, *others: str, is_own_column: bool = False) -> str:
        """The first of the wanted names that is free; else one with a number. `is_own_column`: it may have
        the name of a column, whose value it is.
        """
        candidates = [plain_name(name) for name in (wanted, *others)]
        last = candidates[-1]
        candidates += [f"{last}_{number}" for number in range(2, len(self._used) + len(self._sources) + 4)]
        for name in candidates:
            key = name.lower()
            if key not in self._used and (is_own_column or key not in self._sources):
                self._used.add(key)
                return name
        raise AssertionError(wanted)

    def new_table(self, wanted: str) -> str:
        """A name for a CTE, which must not hide a table."""
        while True:
            name = self.new(wanted)
            if name not in self._tables:
                return name

    def table_alias(self, table: str) -> str:
        """Initials: `oi` for `order_items`."""
        words = [word for word in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", table.rpartition(".")[2]) if word]
        initials = "".join(word[0] for word in words).lower()
        wanted = initials if initials.isascii() and initials.isalpha() else "t"
        wanted = f"{wanted}1" if wanted in _RESERVED else wanted
        return self.new_table(wanted)


def plain_name(name: str) -> str:
    """A name of letters, digits and underscores, in lower case."""
    words = _NO_WORD.sub("_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).strip("_").lower()
    return f"n_{words}" if not words or words[0].isdigit() else words
