"""A grammar (GBNF) under which a model can write nothing but one read query over this schema.

What it holds: one SELECT, or WITH … SELECT; tables and columns of this schema, spelled and quoted as the
dialect needs it; the functions in `_FUNCTIONS`; no comment, no second statement, no statement that writes.
What a context-free grammar cannot hold is which alias stands for which table; that is for a repair.

Names that a query makes up for itself are the hard part: were any word allowed where a column is read, no
column would be wrong. So `AS` takes any word, but a bare name is read back only if it looks like something
computed (`total_sales`, `avg_age`, `cnt`) or like a table's alias (`T1`, `s`). In a query that begins with
WITH its own names may be read anywhere.

Decoding pays for every alternative that is open at a place, so names are written as a tree of their letters,
and a schema too large for that keeps its tables and lets columns be any word.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from text2sql.llm.reserved import FUNCTIONS, RESERVED, UNITS, WORDS

_MOST = 40_000  # letters of names: some 3,000 columns


@dataclass(frozen=True, slots=True)
class _Dialect:
    quotes: str = '"'  # each character quotes a name
    needless: str = '"'  # of those, the ones allowed around names that would do without
    plain: re.Pattern[str] = re.compile(r"[^\W\d]\w*")  # names that need no quotes
    folded: bool = False  # plain names are read without regard to case
    strings: str = "'"  # each character quotes a text
    backslash: bool = False  # which escapes inside a text


_LOWER, _ASCII, _UPPER = (
    re.compile(r"[a-z_][a-z0-9_]*"),
    re.compile(r"[A-Za-z_]\w*", re.ASCII),
    re.compile(r"[A-Z_]\w*"),
)
_DIALECTS: Mapping[str, _Dialect] = {
    # Models quote texts with " in SQLite and MySQL. Where " can only begin a name that needs it, they use '.
    "sqlite": _Dialect(quotes='"`', needless="`"),
    "mysql": _Dialect(quotes="`", needless="`", strings="'\"", backslash=True),
    "postgres": _Dialect(plain=re.compile(r"[^\W\dA-Z][^\WA-Z]*")),
    "bigquery": _Dialect(quotes="`", needless="`", plain=_ASCII, strings="'\"", backslash=True),
    "clickhouse": _Dialect(quotes='"`', needless='"`', plain=_ASCII, backslash=True),
    "snowflake": _Dialect(plain=re.compile(r"[A-Z_][A-Z0-9_$]*"), folded=True),
    "oracle": _Dialect(plain=re.compile(r"[A-Z][A-Z0-9_$#]*"), folded=True),
}


def sql_grammar(dialect: str, tables: Mapping[str, Sequence[str]]) -> str:
    """`tables`: a name, or `schema.name`, to its columns, as the engine stores them."""
    facts = _DIALECTS.get(dialect, _Dialect())
    names = _Names(facts, tables)
    rules = {"root": 'strict-query (ws? ";")? | loose-with (ws? ";")?', **_LEXICAL, **_text_rules(facts)}
    rules |= {
        "table": names.tables(),
        "column": names.columns(),
        "function": _tree(FUNCTIONS, folded=True),
        "unit": _tree(UNITS, folded=True),
    }
    for kind, made, free in (("strict", "made", ""), ("loose", "word", " | word")):
        for name, body in _QUERY.items():
            filled = body.replace("@made", made).replace("@free", free)
            rules[f"{kind}-{name}"] = filled.replace("@", f"{kind}-")
    return "\n".join(f"{name} ::= {_spelled(body)}" for name, body in rules.items()) + "\n"


# -- names ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Names:
    facts: _Dialect
    given: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def tables(self) -> str:
        if not self.given:
            return "word"
        spelled = {"".join(pieces) for name in self.given for pieces in self._dotted(name)}
        return _tree(spelled, folded=False) if sum(map(len, spelled)) <= _MOST else "word"

    def _dotted(self, name: str) -> Iterable[tuple[str, ...]]:
        schema, dot, table = name.partition(".")
        if not dot:
            return ((one,) for one in self._spelled(name))
        return ((a, ".", b) for a in self._spelled(schema) for b in self._spelled(table))

    def columns(self) -> str:
        names = {name for columns in self.given.values() for name in columns}
        spelled = {one for name in names for one in self._spelled(name)}
        if not spelled or sum(map(len, spelled)) > _MOST:
            return "word | quoted"
        return _tree(spelled, folded=False)

    def _spelled(self, name: str) -> Iterable[str]:
        facts = self.facts
        plain = facts.plain.fullmatch(name) is not None and name.upper() not in RESERVED
        if plain:
            yield name
            if facts.folded:
                yield name.lower()
        for quote in facts.needless if plain else facts.quotes:
            yield quote + name.replace(quote, quote * 2) + quote


def _tree(names: Iterable[str], *, folded: bool) -> str:
    """Alternatives that share their beginnings: `("na" ("me" | "tion"))`."""
    root: dict[str, dict] = {}  # type: ignore[type-arg]
    for name in sorted(names):
        at = root
        for letter in name:
            at = at.setdefault(letter, {})
        at[""] = {}
    return _branches(root, folded)


def _branches(node: dict[str, dict], folded: bool) -> str:  # type: ignore[type-arg]
    ends = "" in node
    told = []
    for first in filter(None, node):
        letters, rest = first, node[first]
        while len(rest) == 1 and "" not in rest:  # one way on: the same literal
            letter, rest = next(iter(rest.items()))
            letters += letter
        more = _branches(rest, folded) if set(rest) != {""} else ""
        told.append(f"{_letters(letters, folded)} {more}".rstrip())
    if not told:
        return ""
    return f"({' | '.join(told)})" + "?" * ends


def _letters(text: str, folded: bool) -> str:
    if not folded:
        return _literal(text)
    return " ".join(
        f"[{one.upper()}{one.lower()}]" if one.upper() != one.lower() else _literal(one) for one in text
    )


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = "".join(one if one.isprintable() else f"\\U{ord(one):08X}" for one in escaped)
    return f'"{escaped}"'


# -- texts ---------------------------------------------------------------------------------------


def _text_rules(facts: _Dialect) -> dict[str, str]:
    """Any language, the quote doubled; no line ends inside, so that a text which never closes is short."""
    escaped = r' | "\\" [^\x00-\x1F]' if facts.backslash else ""
    shut = r"\\" if facts.backslash else ""
    texts = [
        rf"{_literal(one)} ([^{one}{shut}\x00-\x1F] | {_literal(one * 2)}{escaped})* {_literal(one)}"
        for one in facts.strings
    ]
    quoted = [
        rf"{_literal(one)} ([^{one}\x00-\x1F] | {_literal(one * 2)})+ {_literal(one)}" for one in facts.quotes
    ]
    return {"text": " | ".join(texts), "quoted": " | ".join(quoted)}


# -- the language --------------------------------------------------------------------------------
# KEYWORDS in capitals are matched in any case, with any space between their words; @rule means this rule of
# the same kind, strict or loose.

_LEXICAL = {
    "ws": r"[ \t\n\r]+",
    "word": r"[A-Za-z_一-鿿぀-ヿ가-힯] [A-Za-z0-9_一-鿿぀-ヿ가-힯]*",
    "number": '[0-9]+ ("." [0-9]+)? ([eE] [+-]? [0-9]+)?',
    # what a query may call its own things and read back: T1, s, st2; total_sales, avg_age, cnt
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
    # Without precedence: which words may follow each other is all that matters here. A sign after an
    # operator needs a space, since two in a row begin a comment.
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


def _spelled(body: str) -> str:
    """KEYWORDS become letters of any case; what is quoted or in brackets stays."""

    def one(found: re.Match[str]) -> str:
        piece = found[0]
        if not piece[0].isupper():
            return piece
        words = piece.split(" ")
        return "(" + " ws ".join(_letters(word, folded=True) for word in words) + ")"

    return _TOKEN.sub(one, body)
