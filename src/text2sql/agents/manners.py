"""Rules about how people talk, in both languages: greetings, follow-ups, wishes to change the data.

Small on purpose. What they miss costs little: a greeting that is taken for a question finds no data, and a
write that is not recognised is refused by the guard.
"""

import re
from collections.abc import Iterable


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


_TALK = (
    "hi|hello|hey|yo|good (?:morning|afternoon|evening)|thanks?(?: you)?(?: (?:so|very) much)?|thx|cheers",
    "bye|goodbye|see you|ok(?:ay)?|great|cool|nice|well done|sorry|lol",
    "(?:who|what) are you|how are you(?: doing)?|what can you do|what do you do|help(?: me)?",
    "tell me a joke|are you (?:a )?(?:robot|bot|human|ai|real)|what(?:'s| is) your name",
    "(?:you are|you're|this is) (?:so |very |really )?(?:stupid|dumb|useless|an? idiot|great|crap|shit)",
    "(?:fuck|screw|damn)(?: (?:you|off|it))?|shut up|idiot|stupid(?: bot)?",
    "你好呀?|您好|嗨|哈喽|早上好|下午好|晚上好|谢谢(?:你|您)?|多谢|感谢|再见|拜拜|好的|好吧|不错|厉害",
    "你是谁|你叫什么(?:名字)?|你能做什么|你会(?:做)?什么|怎么用|帮帮我|帮助|讲个笑话|你是机器人吗",
    "你(?:真|太|好)?(?:笨|蠢|傻|没用|垃圾)(?:了|啊)?|滚|去死|傻瓜|笨蛋|他妈的|垃圾",
)
_AFTER_TALK = r"(?:\W+(?:there|all|everyone|again|you|bot))?\W*(?:啊|呀|吗|呢|了)?\W*$"
_SMALL_TALK = re.compile(rf"^\W*(?:{'|'.join(_TALK)}){_AFTER_TALK}", re.IGNORECASE)

_FOLLOW_UP = _any(
    (
        r"^\W*(?:and|what about|how about|but|only|just|now|also|then|instead|same|again|why)\b",
        r"^\W*(?:sort(?:ed)?|order(?:ed)? (?:it|them|by)|group|without|excluding|except|break|split|limit)\b",
        r"^\W*(?:make|show) (?:it|them|that|those|only|just)\b",
        # "by month?" goes on from something, "in which city …?" and "for each customer …" do not
        r"^\W*(?:by|per|for|in)\b(?!\W+(?:which|what|each|every|how|all|any)\b)",
        r"\b(?:them|those|these|that one|the same|previous|above|instead|of (?:it|them|those|these))\b",
        r"^\W*(?:那|再|只|仅|按|其中|换成|改成|改为|去掉|排除|不要|除了|同样|另外|还有|然后|接着|继续|呢)",
        r"呢\W*$|这些|那些|它们|他们|她们|上述|上面|刚才|前面|其中",
    )
)

# A wish to change data stands at the beginning, or names what is to be destroyed. "Which orders were updated
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


def small_talk(question: str) -> bool:
    return _SMALL_TALK.match(question) is not None


def looks_like_follow_up(question: str) -> bool:
    """Whether it leans on the question before. A full question that stands alone does so whatever it begins
    with, so long ones are taken for themselves.
    """
    words = len(re.findall(r"[A-Za-z']+|[\u3400-\u9fff]{2}", question))
    return words <= 14 and _FOLLOW_UP.search(question) is not None


def wants_write(question: str) -> bool:
    return _WRITE.search(question) is not None and _NO_WRITE.match(question) is None
