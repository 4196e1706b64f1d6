"""Build a GBNF grammar that restricts a model to one read query over the given schema.

The grammar allows one SELECT, or WITH … SELECT; tables and columns of the schema, spelled and quoted for the
dialect; the functions in `FUNCTIONS`; no comment, no second statement, no statement that writes. A
context-free grammar cannot check which alias belongs to which table; a fix does that.

Aliases are the difficult part: if any word were allowed as a column, no column name would be checked. So `AS`
accepts any word, but a bare name may be used only if it looks computed (`total_sales`, `avg_age`, `cnt`) or
like a table alias (`T1`, `s`). In a query that begins with WITH any word is allowed.

Every alternative at a position costs decoding time, so names are written as a prefix tree. A schema too large
for that keeps its tables and allows any word as a column.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from text2sql.llm.grammar_words import FUNCTIONS, RESERVED, UNITS, WORDS

_MOST = 40_000  # characters of names: about 3,000 columns


@dataclass(frozen=True, slots=True)
class _Dialect:
    quotes: str = '"'  # each character quotes a name
    needless: str = '"'  # the quotes that are also allowed around names that need none
    plain: re.Pattern[str] = re.compile(r"[^\W\d]\w*")  # names that need no quotes
    folded: bool = False  # plain names are case-insensitive
    strings: str = "'"  # each character quotes a string
    backslash: bool = False  # whether a backslash escapes inside a string


_LOWER, _ASCII, _UPPER = (
    re.compile(r"[a-z_][a-z0-9_]*"),
    re.compile(r"[A-Za-z_]\w*", re.ASCII),
    re.compile(r"[A-Z_]\w*"),
)
_DIALECTS: Mapping[str, _Dialect] = {
    # Models quote strings with " in SQLite and MySQL. If only names that need quotes may use ", they use '.
    "sqlite": _Dialect(quotes='"`', needless="`"),
    "mysql": _Dialect(quotes="`", needless="`", strings="'\"", backslash=True),
    "postgres": _Dialect(plain=re.compile(r"[^\W\dA-Z][^\WA-Z]*")),
    "bigquery": _Dialect(quotes="`", needless="`", plain=_ASCII, strings="'\"", backslash=True),
    "clickhouse": _Dialect(quotes='"`', needless='"`', plain=_ASCII, backslash=True),
    "snowflake": _Dialect(plain=re.compile(r"[A-Z_][A-Z0-9_$]*"), folded=True),
    "oracle": _Dialect(plain=re.compile(r"[A-Z][A-Z0-9_$#]*"), folded=True),
}


def sql_grammar(dialect: str, tables: Mapping[str, Sequence[str]]) -> str:
    """The grammar text. `tables` maps `name` or `schema.name` to the columns, as the engine stores them."""
    facts = _DIALECTS.get(dialect, _Dialect())
    names = _Names(facts, tables)
    rules = {"root": 'strict-query (ws? ";")? | loose-with (ws? ";")?', **_LEXICAL, **_text_rules(facts)}
    rules |= {
        "table": names.tables(),
        "column": names.columns(),
        "function": _tree(FUNCTIONS, folded=True),
        "unit": _tree(UNITS, folded=True),
    }
    for kind, alias, free in (("strict", "made", ""), ("loose", "word", " | word")):
        for name, body in _QUERY.items():
            filled = body.replace("@made", alias).replace("@free", free)
            rules[f"{kind}-{name}"] = filled.replace("@", f"{kind}-")
    return "\n".join(f"{name} ::= {_expand_keywords(body)}" for name, body in rules.items()) + "\n"


# -- names ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Names:
    facts: _Dialect
    columns_by_table: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def tables(self) -> str:
        if not self.columns_by_table:
            return "word"
        spellings = {"".join(parts) for name in self.columns_by_table for parts in self._dotted(name)}
        return _tree(spellings, folded=False) if sum(map(len, spellings)) <= _MOST else "word"

    def _dotted(self, name: str) -> Iterable[tuple[str, ...]]:
        schema, dot, table = name.partition(".")
        if not dot:
            return ((spelling,) for spelling in self._spellings(name))
        return ((a, ".", b) for a in self._spellings(schema) for b in self._spellings(table))

    def columns(self) -> str:
        names = {name for columns in self.columns_by_table.values() for name in columns}
        spellings = {spelling for name in names for spelling in self._spellings(name)}
        if not spellings or sum(map(len, spellings)) > _MOST:
            return "word | quoted"
        return _tree(spellings, folded=False)

    def _spellings(self, name: str) -> Iterable[str]:
        """All ways to write the name: plain, folded and quoted."""
        facts = self.facts
        plain = facts.plain.fullmatch(name) is not None and name.upper() not in RESERVED
        if plain:
            yield name
            if facts.folded:
                yield name.lower()
        for quote in facts.needless if plain else facts.quotes:
            yield quote + name.replace(quote, quote * 2) + quote


def _tree(names: Iterable[str], *, folded: bool) -> str:
    """A rule for alternatives that shares common prefixes: `("na" ("me" | "tion"))`."""
    root: dict[str, dict] = {}  # type: ignore[type-arg]
    for name in sorted(names):
        node = root
        for letter in name:
            node = node.setdefault(letter, {})
        node[""] = {}
    return _branches(root, folded)


def _branches(node: dict[str, dict], folded: bool) -> str:  # type: ignore[type-arg]
    ends = "" in node
    branches = []
    for first in filter(None, node):
        letters, rest = first, node[first]
        while len(rest) == 1 and "" not in rest:  # no branch: extend the literal
            letter, rest = next(iter(rest.items()))
            letters += letter
        more = _branches(rest, folded) if set(rest) != {""} else ""
        branches.append(f"{_letters(letters, folded)} {more}".rstrip())
    if not branches:
        return ""
    return f"({' | '.join(branches)})" + "?" * ends


def _letters(text: str, folded: bool) -> str:
    if not folded:
        return _literal(text)
    return " ".join(
        f"[{letter.upper()}{letter.lower()}]" if letter.upper() != letter.lower() else _literal(letter)
        for letter in text
    )


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = "".join(char if char.isprintable() else f"\\U{ord(char):08X}" for char in escaped)
    return f'"{escaped}"'


# -- strings -------------------------------------------------------------------------------------


def _text_rules(facts: _Dialect) -> dict[str, str]:
    """Rules for strings and quoted names: any character, quotes doubled. No line breaks, so that a string
    which is never closed stays short.
    """
    escaped = r' | "\\" [^\x00-\x1F]' if facts.backslash else ""
    excluded = r"\\" if facts.backslash else ""
    texts = [
        rf"{_literal(mark)} ([^{mark}{excluded}\x00-\x1F] | {_literal(mark * 2)}{escaped})* {_literal(mark)}"
        for mark in facts.strings
    ]
    quoted = [
        rf"{_literal(quote)} ([^{quote}\x00-\x1F] | {_literal(quote * 2)})+ {_literal(quote)}"
        for quote in facts.quotes
    ]
    return {"text": " | ".join(texts), "quoted": " | ".join(quoted)}


# -- the language --------------------------------------------------------------------------------
# KEYWORDS in capitals match any case, with any white space between their words; @rule is the rule of the same
# kind, strict or loose.

_LEXICAL = {
    "ws": r"[ \t\n\r]+",
    "word": r"[A-Za-z_一-鿿぀-ヿ가-힯] [A-Za-z0-9_一-鿿぀-ヿ가-힯]*",
    "number": '[0-9]+ ("." [0-9]+)? ([eE] [+-]? [0-9]+)?',
    # aliases that may be used as names: T1, s, st2; total_sales, avg_age, cnt
    "made": r'[A-Za-z] [A-Za-z]? [0-9]? [0-9]? | made-word ("_" [A-Za-z0-9_]+ | [0-9])?',
    "made-word": _tree(WORDS, folded=True),
    "comma": 'ws? "," ws?',
    "type": '[A-Za-z]+ (" " [A-Za-z]+)? ("(" [0-9]+ ("," " "? [0-9]+)? ")")?',
    "comparison": '"=" "="? | "<>" | "!=" | "<" "="? | ">" "="?',
    "arithmetic": '"+" | "-" | "*" | "/" | "%" | "||"',
    "like": "(NOT ws)? (LIKE | ILIKE | GLOB | REGEXP | RLIKE | SIMILAR TO)",
    "frame": "(ROWS | RANGE) ws (BETWEEN ws frame-end ws AND ws)? frame-end",
    "frame-end": "(UNBOUNDED | [0-9]+) ws (PRECEDING | FOLLOWING) | CURRENT ROW",
}

_QUERY = {
    "query": "@sets (ws @order)? (ws @limit)?",
    "with": "WITH ws (RECURSIVE ws)? @cte (comma @cte)* ws @query",
    "cte": 'word (ws? "(" word (comma word)* ")")? ws AS ws? "(" ws? @query ws? ")"',
    "sets": "@term (ws (UNION (ws ALL)? | INTERSECT | EXCEPT | MINUS) ws @term)*",
    "term": '@select | "(" ws? @query ws? ")"',
    "select": "SELECT ws ((DISTINCT | ALL) ws)? @items (ws FROM ws @from)? (ws WHERE ws @expr)? @grouped?",
    "grouped": "ws GROUP BY ws (ALL | @list) @having? | @having",
    "having": "ws (HAVING | QUALIFY) ws @expr",
    "items": "@item (comma @item)*",
    "item": '"*" | @qualifier "." "*" | @expr (ws AS ws (word | quoted | text) | ws made)?',
    "from": "@source (comma @source | ws @join)*",
    "source": '(@table | "(" ws? @query ws? ")") (ws AS ws word | ws made)?',
    "table": "table@free",
    "join": '@kind? JOIN ws @source (ws ON ws @expr | ws USING ws? "(" column (comma column)* ")")?',
    "kind": "(NATURAL ws)? ((INNER | CROSS | (LEFT | RIGHT | FULL) (ws OUTER)?) ws)?",
    "order": "ORDER BY ws @sorted (comma @sorted)*",
    "sorted": "@expr (ws COLLATE ws word)? (ws (ASC | DESC))? (ws NULLS ws (FIRST | LAST))?",
    "limit": "LIMIT ws @operand (ws OFFSET ws @operand | comma @operand)? "
    "| (OFFSET ws number ws ROWS? ws)? FETCH ws (FIRST | NEXT) ws number ws ROWS? ws ONLY",
    "list": "@expr (comma @expr)*",
    # Without precedence: only the order of tokens matters here. A sign after an operator needs a space, since
    # two minus signs begin a comment.
    "expr": "(NOT ws)* @signed (@more)*",
    "signed": '("-" | "+")? @operand',
    "more": "ws? (comparison | arithmetic) (ws @signed | @operand | ws? (ALL | ANY | SOME) ws? @nested) "
    "| ws (AND | OR) (ws (NOT ws)* @signed | ws? @group) "
    "| ws like (ws @operand) (ws ESCAPE ws text)? "
    "| ws (NOT ws)? IN ws? (@nested | @group-list) "
    "| ws (NOT ws)? BETWEEN ws @signed (ws? arithmetic ws? @operand)? ws AND ws @signed "
    "| ws IS ws (NOT ws)? (NULL | TRUE | FALSE | DISTINCT FROM ws @operand) "
    '| "::" type',
    "operand": "number | text | @name | @call | @group | @nested | @case | @special",
    "name": '(@qualifier ".")? (column | @made)',
    "qualifier": "table | @made",
    "group": '"(" ws? @expr ws? ")"',
    "group-list": '"(" ws? @list ws? ")"',
    "nested": '"(" ws? @query ws? ")"',
    "case": "CASE (ws @expr)? (ws WHEN ws @expr ws THEN ws @expr)+ (ws ELSE ws @expr)? ws END",
    "special": "NULL | TRUE | FALSE | CURRENT_DATE | CURRENT_TIMESTAMP | (NOT ws)? EXISTS ws? @nested "
    '| (TRY_)? CAST ws? "(" ws? @expr ws AS ws type ws? ")" '
    '| EXTRACT ws? "(" ws? unit ws FROM ws @expr ws? ")" '
    "| INTERVAL ws (text (ws unit)? | number ws unit) | (DATE | TIMESTAMP) ws text",
    "call": 'function "(" ws? ("*" | (DISTINCT ws)? @args)? ws? ")" @filtered? @over?',
    "args": "@argument (comma @argument)* (ws @order)? (ws SEPARATOR ws text)?",
    "argument": "@expr | INTERVAL ws @expr ws unit | unit",
    "filtered": 'ws FILTER ws? "(" ws? WHERE ws @expr ws? ")"',
    "over": 'ws OVER ws? ("(" ws? (PARTITION BY ws @list)? ws? @order? (ws frame)? ws? ")" | word)',
}

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[A-Z][A-Z_]*(?: [A-Z]+)*|.', re.DOTALL)


def _expand_keywords(body: str) -> str:
    """The rule with KEYWORDS matching any case; quoted and bracketed parts stay as they are."""

    def expand(match: re.Match[str]) -> str:
        piece = match[0]
        if not piece[0].isupper():
            return piece
        words = piece.split(" ")
        return "(" + " ws ".join(_letters(word, folded=True) for word in words) + ")"

    return _TOKEN.sub(expand, body)
