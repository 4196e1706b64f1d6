"""Regular expressions, in both languages, for follow-ups and for requests to change data.

Few on purpose. Misses cost little: the guard refuses a write that is not recognized.
"""

import re
from collections.abc import Iterable


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_FOLLOW_UP = _any(
    (
        r"^\W*(?:and|what about|how about|but|only|just|now|also|then|instead|same|again|why)\b",
        r"^\W*(?:sort(?:ed)?|order(?:ed)? (?:it|them|by)|group|without|excluding|except|break|split|limit)\b",
        r"^\W*(?:make|show) (?:it|them|that|those|only|just)\b",
        # "by month?" is a follow-up, "in which city …?" and "for each customer …" are not
        r"^\W*(?:by|per|for|in)\b(?!\W+(?:which|what|each|every|how|all|any)\b)",
        r"\b(?:them|those|these|that one|the same|previous|above|instead|of (?:it|them|those|these))\b",
        r"^\W*(?:那|再|只|仅|按|其中|换成|改成|改为|去掉|排除|不要|除了|同样|另外|还有|然后|接着|继续|呢)",
        r"呢\W*$|这些|那些|它们|他们|她们|上述|上面|刚才|前面|其中",
    )
)

# A request to change data starts the message, or names what to destroy. "Which orders were updated
# last week?" and "the deleted customers" are questions.
_POLITE = (
    r"(?:(?:please|pls|kindly|now|ok|then|just|can you|could you|would you|i want (?:you )?to|you must)\W+)*"
)
_VERB = "delete|remove|drop|truncate|erase|wipe|destroy|insert|add|create|update|change|modify|alter|rename"
_WRITE = _any(
    (
        rf"^\W*{_POLITE}(?:{_VERB}|replace|set|give (?:everyone|everybody|all))\b",
        r"\b(?:drop|truncate|alter|create|destroy|wipe)\W+(?:\w+\W+){0,3}"
        r"(?:tables?|databases?|schemas?|views?|index(?:es)?|columns?|users?)\b",
        r"\bdelete\W+(?:from|all|every(?:thing)?|the\W+(?:table|rows?|records?|data))\b",
        r"\binsert\W+into\b|\bupdate\W+\w+\W+set\b|\bgrant\W+\w+\W+(?:on|to)\b",
        r"^\W*(?:请|麻烦|帮我|帮忙|给我|现在|立刻|马上|你)*\W*"
        r"(?:删除|删掉|删去|清空|清除|插入|新增|添加|修改|更改|更新|改掉|重命名|创建|新建|移除)",
        r"把.{1,40}(?:改成|改为|设为|设置为|更新为|调整为|删除|删掉|清空|涨价|降价|翻倍)",
        r"(?:删除|删掉|清空|修改|更新).{0,12}(?:表|数据库|记录|所有|全部|数据)(?!的?(?:数量|总数|有多少))",
    )
)
_NO_WRITE = _any(
    (
        r"^\W*(?:please\W+)?(?:add\W+up|set\W+of|change\W+(?:in|of))\b",
        r"^\W*(?:please\W+)?create\W+an?\W+(?:list|report|chart|table\W+of)\b",
    )
)


def looks_like_follow_up(question: str) -> bool:
    """Whether a message refers to the previous question. Long ones are questions of their own, however they
    begin.
    """
    words = len(re.findall(r"[A-Za-z']+|[\u3400-\u9fff]{2}", question))
    return words <= 14 and _FOLLOW_UP.search(question) is not None


def wants_write(question: str) -> bool:
    """Whether a message asks to change data."""
    return _WRITE.search(question) is not None and _NO_WRITE.match(question) is None
