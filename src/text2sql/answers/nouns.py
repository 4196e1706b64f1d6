"""Nouns for numbers: from the query, or from the question where both name the same kind of amount."""

import re

from text2sql.i18n import Language, say
from text2sql.result_columns.headers import noun, number_of, plural, readable, source_noun
from text2sql.text_normalization import has_chinese, is_expression, singular, words
from text2sql.types import OutputColumn, QueryFacts

# Words of a question for the sum of an amount. A column of amounts may be called by them.
_ENGLISH_AMOUNTS = re.compile(r"\b(revenue|sales|turnover|income|spending)\b", re.IGNORECASE)
_CHINESE_AMOUNTS = re.compile(
    r"(总?(?:销售总?额|销售收入|营业额|营业收入|营收|收入|成交额|消费总?额|消费金额|交易额|流水))"
)
_AMOUNT_WORDS = frozenset(
    "total amount sale subtotal revenue turnover price payment paid income value cost".split()
)
_AMOUNT_NAMES = re.compile(r"金额|销售额|收入|总额|价|营业额|付款")
_COUNTED = re.compile(
    r"\b(?:how many|number of|count of)\s+((?:different |distinct |unique )?[a-z]+(?: [a-z]+)?)",
    re.IGNORECASE,
)
_CHINESE_COUNTED = re.compile(
    r"(?:多少|几)(?:个|位|名|笔|张|首|部|种|家|条|次|本|件|只|台)?(?:不同的)?([\u4e00-\u9fff]{1,4})|"
    r"((?:(?![的各每和与个位按])[\u4e00-\u9fff]){2,4}?)(?:总数|数量|数)"
)
_COUNT_ALIAS = re.compile(
    r"^(?:num(?:ber)?_?(?:of)?_?|count_?(?:of)?_?|n_|total_?)?(.+?)(?:_?count|_?cnt|_?num|数量|数)?$",
    re.IGNORECASE,
)


def measure_noun(output: OutputColumn, name: str, facts: QueryFacts, question: str, lang: Language) -> str:
    """The noun of a column of numbers."""
    things = counted_things(output, facts, question, lang)
    if things:
        return number_of(things, lang)
    asked = _question_noun(output, question, lang)
    if asked and (output.running or output.moving):
        return say("column.running" if output.running else "column.moving", lang, what=asked)
    is_unknown = not output.name and not output.function and output.role == "value"
    return asked or noun(None if is_unknown else output, name, lang)


def _question_noun(output: OutputColumn, question: str, lang: Language) -> str:
    """*revenue* for the sum of an amount, if the question calls it so."""
    if output.function != "sum":
        return ""
    pattern = _CHINESE_AMOUNTS if lang == "zh" else _ENGLISH_AMOUNTS
    found = {match[0] for match in pattern.finditer(question.lower())}
    if len(found) != 1 or not is_amount(output):
        return ""
    return found.pop()


def is_amount(output: OutputColumn) -> bool:
    """Whether a sum is of an amount of money, judged by the names of the column and of the output."""
    column = output.source.rpartition(".")[2]
    named = words(column) + (words(output.name) if not is_expression(output.name) else ())
    if not column and not named:
        return True  # a calculation such as price times quantity
    return bool(_AMOUNT_WORDS & set(named)) or _AMOUNT_NAMES.search(column + output.name) is not None


def counted_things(output: OutputColumn, facts: QueryFacts, question: str, lang: Language) -> str:
    """What is counted, as a plural: *customers*; empty if it is not known."""
    if output.function not in ("count", "count_distinct"):
        return ""
    if output.source:
        things = source_noun(output, lang)
        if lang == "en" or has_chinese(things):
            return things
    alias = _alias_things(output.name, lang)
    if alias and (lang == "en" or has_chinese(alias)):
        return alias
    asked = _asked_things(facts, question, lang)
    if asked:
        return asked
    return source_noun(output, lang) or alias


def _asked_things(facts: QueryFacts, question: str, lang: Language) -> str:
    """The things whose number the question asks for."""
    if lang == "zh":
        match = _CHINESE_COUNTED.search(question)
        return (match[1] or match[2] or "") if match else ""
    match = _COUNTED.search(question)
    if match is None:
        return ""
    phrase = re.sub(r"^(different|distinct|unique) ", "", match[1].lower())
    first, _, second = phrase.partition(" ")
    tables = {word for table in facts.tables for word in words(table)}
    if second and singular(second) in tables:
        return phrase
    return first if singular(first) in tables or first.endswith("s") else ""


def _alias_things(alias: str, lang: Language) -> str:
    if not alias or is_expression(alias) or alias == "*":
        return ""
    match = _COUNT_ALIAS.match(alias)
    core = match[1] if match else ""
    if core.lower() in ("", "count", "cnt", "total", "num", "number", "n") or len(core) < 3 or core == alias:
        return ""
    things = readable(core, lang)
    return things if lang == "zh" or has_chinese(things) else plural(things)
