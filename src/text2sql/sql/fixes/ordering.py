"""From which end: *the oldest* has the least date of birth, where the greatest age is the most; *the best*
has the least rank. And how much of it: *the dearest first* are all of them.
"""

import re

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.scope import Scope
from text2sql.text_normalization import words

_OLD = re.compile(r"\b(?:old|eld)est\b|最老|最年长|最古老|(?:年龄|年纪|岁数)(?:最大|[从由]大到小)")
_YOUNG = re.compile(r"\byoungest\b|最年轻|(?:年龄|年纪|岁数)(?:最小|[从由]小到大)")
_BEST = re.compile(r"\bbest\b|最[好佳]|排名最[高前]|排名最靠前")
_RANKS = frozenset(("rank", "ranking"))
_SORTED = re.compile(
    r"\b(?:sort|order|arrange|list)(?:ed|d)?(?: \w+){0,3} by\b|\bin (?:the )?order of\b|按[^，。]{1,12}?排"
)
_DIRECTION = re.compile(  # any word that may say from which end
    r"desc|asc|decreas|increas|declin|rever|\w+est\b|most|least|best|worst|\btop\b|high|low|big|large|small"
    r"|old|new|early|late|recent|first|last|alphabet|chronolog|\bfrom \w+ to\b|\bup\b|\bdown"
    r"|[高低大小多少早晚长短新旧老近远升降增减先后倒前最贵重轻快慢逆强弱好差]"
)
_NO_DIRECTION = re.compile(  # a bound, a name
    r"\bat (?:least|most)\b|\b(?:more|less|\w+er) than\b|\b(?:first|last)(?: and last)? names?\b"
    r"|至[少多]|[大小多少高低早晚]于|多少|大小|长度|高度|老师"
)
_ENDS = "高低大小多少早晚长短新旧老近远贵"  # 从高到低; 从北京到上海 is none
_ALL_IN_ORDER = re.compile(
    r"(?:^|[,;])[^,;.?!]{0,24}?\b(?:\w+est|most|least|best|worst)\b(?: [\w-]+){0,3} first\s*(?=[.,?!;]|$)"
    rf"|(?:[升降]序|[从由]最?[{_ENDS}]到最?[{_ENDS}]|(?:[，。]|^)[^，。]{{1,12}}在最?前面?)(?:排[序列]?)?[。？?]?$"
)
_ONE = re.compile(r"最|第一|首[个位]|前[一1]|\b(?:which|what|who) \w+ (?:has|have|had|is|was)\b")
_BEGAN = frozenset(  # since when there is somebody or something
    "birth birthday birthdate born dob founded founding foundation established built constructed".split()
)


def asked_age(context: FixContext) -> bool:
    """*The oldest member*, and `ORDER BY birth_date DESC`, or the MAX of it: the youngest."""
    text = context.intent.text if context.intent is not None else ""
    old, young = _OLD.search(text), _YOUNG.search(text)
    if old is None and young is None:
        return False
    oldest_first = old is not None and (young is None or old.start() < young.start())
    done = _turned(context, _BEGAN, upwards=oldest_first)
    if old is not None and young is not None:
        return done  # *from the oldest to the youngest*: what is asked for is an order
    wrong, right = (exp.Max, exp.Min) if oldest_first else (exp.Min, exp.Max)
    for scope, column in list(context.columns()):
        if isinstance(column.parent, wrong) and _tells(context, scope, column, _BEGAN):
            context.replace(column.parent, right(this=column.copy()))
            done = True
    return done


def asked_best(context: FixContext) -> bool:
    """*The best-ranked team*, and `ORDER BY rank DESC`: the first of a ranking has the least."""
    text = context.intent.text if context.intent is not None else ""
    return _BEST.search(text) is not None and _turned(context, _RANKS, upwards=True)


def asked_order(context: FixContext) -> bool:
    """*Sorted by rating*, and no word about which end comes first: upwards, as everybody sorts."""
    text = context.intent.text if context.intent is not None else ""
    order, limit = (context.tree.args.get(one) for one in ("order", "limit"))
    if order is None or limit is not None or len(order.expressions) != 1:
        return False
    (first,) = order.expressions
    told = _DIRECTION.search(_NO_DIRECTION.sub(" ", text))
    if not first.args.get("desc") or told or not _SORTED.search(text):
        return False
    _turn(first)
    return True


def unasked_limit(context: FixContext) -> bool:
    """*…, the dearest first*, and `LIMIT 1`: that is an order, of all of them."""
    text = context.intent.text if context.intent is not None else ""
    order, limit = (context.tree.args.get(one) for one in ("order", "limit"))
    if order is None or not isinstance(limit, exp.Limit) or limit.expression.name != "1":
        return False
    if not _ALL_IN_ORDER.search(text) or _ONE.search(_ALL_IN_ORDER.sub(" ", text)):
        return False
    context.tree.set("limit", None)
    context.invalidate()
    return True


def _turned(context: FixContext, names: frozenset[str], *, upwards: bool) -> bool:
    """Orders by a column of such a name, or by an aggregate of it, that begin at the other end."""
    done = False
    for scope in context.scopes:
        order = scope.select.args.get("order")
        first = order.expressions[0] if order is not None else None
        if first is None:
            continue
        by = first.this.this if isinstance(first.this, exp.AggFunc) else first.this
        if _tells(context, scope, by, names) and bool(first.args.get("desc")) == upwards:
            _turn(first)
            done = True
    return done


def _turn(ordered: exp.Ordered) -> None:
    ordered.set("desc", not ordered.args.get("desc"))
    ordered.set("nulls_first", not ordered.args.get("nulls_first"))  # as the engine has it from that end


def _tells(context: FixContext, scope: Scope, column: exp.Expr, names: frozenset[str]) -> bool:
    origin = context.origin(scope, column) if isinstance(column, exp.Column) else None
    return origin is not None and bool(names & set(words(origin[1].name)))
