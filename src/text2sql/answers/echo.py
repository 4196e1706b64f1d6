"""Turns a question into the statement that answers it.

*What is the average total?* → *The average total is 5.65.*

Only questions of a few well-known forms; everything else returns None and is answered in other words.
"""

import re

from text2sql.answers.phrases import capitalized, counted, measure_word, singular_of
from text2sql.i18n import Language

_SECOND_QUESTION = re.compile(
    r"\band (?:what|which|how|who|when|their|its|the share)\b|[,;]\s*(?:what|which|how|who)\b|[.?!]\s+\S",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\b(?:each|every|per|respectively)\b|\bby [a-z]+(?: [a-z]+)?$", re.IGNORECASE)
_SUBJECTS = r"(?:we|i|you|they|he|she|it|there|the|our|each|every|any|people|this|that|these|those|[A-Z]\w+)"
_INVERTED = re.compile(
    rf"\b(?:do|does|did|have|has|had|can|could|will|would|should|is|are|was|were)\s+{_SUBJECTS}\b"
)
_VERBS = (
    "has|have|had|is|are|was|were|sold|sells|made|makes|generated|generates|earned|earns|placed|bought|spent|ordered|"
    "received|gets|got|brought|brings|contributed|paid|won|ranks|comes|came|grew|lost|cost|costs|appears"
)
_WITHOUT_VERB = re.compile(
    r"\w+(?: (?:in|on|for|of|from|with|last|this|by|since|during|at|to|before|after)\b.*)?", re.IGNORECASE
)
_WHETHER_ANY = re.compile(
    r"\s*(?:(?:is|are|was|were) there|do (?:we|you|they|any)|(?:does|did|has|have|are|is) any)\b",
    re.IGNORECASE,
)
_FLIPPED = {"our": "your", "my": "your", "we": "you", "us": "you", "your": "our"}

_ZH_OPENING = re.compile(
    r"^(?:请问一下|请问|请|麻烦|帮我|帮忙|给我|我想知道|我想看看?|告诉我|查询一?下?|查一?下|统计一?下?|计算一?下?|算一?下|看一?下|列出|显示)+"
)
_ZH_CLOSING = re.compile(r"[？?。.！!\s]*(?:呢|啊|呀|吗|来着)?[？?。.！!\s]*$")
_ZH_MEASURES = "个位名笔张首部种家条次本件只台门所支辆间套份人天年岁"
_ZH_HOW_MANY = re.compile(rf"(?:总共|一共|共)?有?(?:多少|几)([{_ZH_MEASURES}])?")
_ZH_GROUPED = re.compile(r"每|各|分别|按|以及|和.*各|，.*(?:多少|几|哪|什么)|；|。.")


def count_statement(question: str, number: int, digits: str, lang: Language) -> str | None:
    """The statement for a question about how many there are."""
    if lang == "zh":
        return _chinese_number(question, digits, is_count=True)
    asked = _plain(question)
    if asked is None or (match := re.match(r"how many (.+)$", asked, re.IGNORECASE)) is None:
        return None
    rest = match[1]
    shown = "no" if number == 0 else digits
    if there := re.match(r"(.+?) (?:are there|do (?:we|you|they|i) have|exist)\b(.*)$", rest):
        verb = "is" if number == 1 else "are"
        things = counted(number, shown, there[1], "en")
        return f"There {verb} {things}{_flipped(there[2])}."
    if _INVERTED.search(rest) or _WITHOUT_VERB.fullmatch(rest):
        return None
    if number == 1:
        singular = _for_one(rest)
        return f"1 {singular}." if singular else None
    return f"{capitalized(shown)} {_flipped(rest)}."


def _for_one(rest: str) -> str | None:
    """*customers are active* → *customer is active*; None for verbs whose singular is not safe to write."""
    match = re.match(r"(\w+) (are|were|have) (.+)$", rest)
    if match is None:
        return None

    verb = {"are": "is", "were": "was", "have": "has"}[match[2]]
    return f"{singular_of(match[1])} {verb} {match[3]}"


def value_statement(question: str, value: str, lang: Language, period: str = "") -> str | None:
    """The statement for a question about one value: `period` are dates to show after its name."""
    if lang == "zh":
        return _chinese_number(question, value, is_count=False) or _chinese_choice(question, value)
    asked = _plain(question)
    if asked is None:
        return None
    if value.endswith("%") and (
        match := re.match(
            r"what (?:percentage|percent|share|proportion|fraction) of (.+)$", asked, re.IGNORECASE
        )
    ):
        return None if _INVERTED.search(match[1]) else f"{value} of {_flipped(match[1])}."
    if match := re.match(r"(?:what|who|when)(?:'s| (is|was|are|were)) (.+)$", asked, re.IGNORECASE):
        verb, rest = match[1] or "is", match[2]
        if re.match(r"(?:there|it|this|that)\b", rest) or (asked.lower().startswith("when") and verb != "is"):
            return None
        return f"{capitalized(_flipped(rest))}{period} {verb.lower()} {value}."
    return None


def noun_phrase_statement(question: str, noun: str, be: str, value: str, dates: str) -> str | None:
    """*Revenue last quarter* → *Revenue last quarter (dates) was 490.00.*"""
    asked = _plain(question)
    if asked is None or not noun or not asked.lower().startswith((noun.lower(), f"total {noun.lower()}")):
        return None
    rest = asked[len(noun) :] if asked.lower().startswith(noun.lower()) else asked[len(noun) + 6 :]
    if rest and not re.fullmatch(
        r" (?:last|this|past|previous|in|for|from|of|during|since|on|year|today|yesterday)\b[\w\s'-]*",
        rest,
        re.IGNORECASE,
    ):
        return None
    return f"{capitalized(asked)}{dates} {be} {value}."


def choice_statement(question: str, label: str, lang: Language, noun: str = "") -> str | None:
    """The statement for *which country has …*, *who is …*, *哪个国家…最多*."""
    if lang == "zh":
        return _chinese_choice(question, label, noun)
    asked = _plain(question)
    if asked is None:
        return None
    if match := re.match(rf"(?:which|what) (?:\w+ ){{1,2}}?((?:{_VERBS}) .+)$", asked, re.IGNORECASE):
        return f"{capitalized(label)} {_for_one_label(match[1])}"
    if match := re.match(
        r"(?:who|what|which)(?:'s| (?:is|was|are|were)) ((?:the|our|my|your) .+)$", asked, re.IGNORECASE
    ):
        verb = re.match(r"\w+ (was|is)\b", asked)
        return f"{capitalized(_flipped(match[1]))} {verb[1] if verb else 'is'} {label}"
    if match := re.match(rf"who ((?:{_VERBS}) .+)$", asked, re.IGNORECASE):
        return f"{label} {_for_one_label(match[1])}"
    return None


def _for_one_label(rest: str) -> str:
    """*were never sold* → *was never sold*"""
    verb, _, after = rest.partition(" ")
    return f"{ {'were': 'was', 'are': 'is', 'have': 'has'}.get(verb.lower(), verb) } {_flipped(after)}"


def _plain(question: str) -> str | None:
    """The question without its end and politeness; None if it asks for more than one thing."""
    text = re.sub(r"^(?:please|hi|hello|hey|so|ok)[,\s]+", "", question.strip(), flags=re.IGNORECASE)
    text = re.sub(r"^(?:can|could) you (?:please )?tell me ", "", text, flags=re.IGNORECASE)
    text = text.rstrip("?!. ").replace("’", "'")
    if not text or len(text) > 140 or "\n" in text or _SECOND_QUESTION.search(text) or _GROUPED.search(text):
        return None
    return " ".join(text.split())


def _flipped(text: str) -> str:
    """The same from the other person's side: *our customers* → *your customers*."""
    return re.sub(
        r"\b(?:our|my|we|us|your)\b", lambda word: _FLIPPED[word[0].lower()], text, flags=re.IGNORECASE
    )


# -- Chinese: the question word stays where the answer goes ------------------------------------------


def _chinese(question: str) -> str | None:
    text = _ZH_OPENING.sub("", question.strip())
    text = _ZH_CLOSING.sub("", text).replace("我们", "").replace("咱们", "")
    if not text or len(text) > 60 or _ZH_GROUPED.search(text):
        return None
    return text


def _chinese_number(question: str, value: str, *, is_count: bool) -> str | None:
    text = _chinese(question)
    if (
        text is None
        or "什么" in text
        or "哪" in text
        or len(re.findall(r"多少|几[个位名笔张首部种家条次本件天年]", text)) != 1
    ):
        return None
    if "百分之多少" in text or "百分之几" in text:
        return (
            _chinese_sentence(re.sub(r"百分之(?:多少|几)", f" {value} ", text))
            if value.endswith("%")
            else None
        )
    if text.endswith(("多少", "多少钱")):
        return _chinese_sentence(f"{re.sub(r'多少钱?$', '', text)} {value}")
    if not is_count:
        match = re.fullmatch(r"(.+?)多少([\u4e00-\u9fff]{2,5})", text)
        return _chinese_sentence(f"{match[1]} {value} 的{match[2]}") if match else None
    match = re.fullmatch(rf"(.*?)(?:多少|几)([{_ZH_MEASURES}])?(.*)", text)
    if match is None:
        return None
    before, measure, after = match[1], match[2], match[3]
    if not measure:
        measure = measure_word(re.split(r"[的在是有被和，、]", after)[0]) if after else ""
    if not before or before.endswith(("里", "中", "内", "月", "年", "季度")):
        before = before if before.endswith(("有", "共")) else f"{before}有"
    return _chinese_sentence(f"{before} {value} {measure}{after}")


def _chinese_choice(question: str, label: str, noun: str = "") -> str | None:
    text = _chinese(question)
    if text is None or "多少" in text:
        return None
    if match := re.fullmatch(
        r"(.+?)(是|为)(?:哪(?:个|位|家|些|一[个位家天年月]|天|年|款|种|部|首|张)?[\u4e00-\u9fff]{0,4}|谁|什么时候|什么|何时)",
        text,
    ):
        return _chinese_sentence(f"{match[1]}{match[2]} {label}")
    if text.startswith("谁") and len(text) > 2:
        return _chinese_sentence(f"{label} {text[1:]}")
    if noun and (match := re.fullmatch(rf"(.*?)哪(?:一?[个位家款种部首张名]){re.escape(noun)}(.+)", text)):
        return _chinese_sentence(f"{match[1]} {label} {match[2]}")
    return None


def _chinese_sentence(text: str) -> str:
    tight = re.sub(r"\s+", " ", text).strip()
    return f"{re.sub(r' (?=[，。、])', '', tight)}。"


def asks_yes_or_no(question: str, lang: Language) -> bool:
    if lang == "zh":
        return re.search(r"是否|有没有|有无|是不是|能不能|吗[？?。\s]*$", question) is not None
    return re.match(r"\s*(?:is|are|was|were|do|does|did|has|have|had)\b", question, re.IGNORECASE) is not None


def asks_whether_any(question: str, lang: Language) -> bool:
    """Whether a question asks if something exists."""
    if lang == "zh":
        return re.search(r"有没有|有无|是否有|是否存在|有.*吗", question) is not None
    return _WHETHER_ANY.match(question) is not None
