"""Conversation: messages that are not about the data, recognized by rules and answered without a query.

`recognize.py` recognizes the kind of a message, `reply.py` answers it; the words are data, one file per
language.
"""

from text2sql.agents.talk.recognize import Talk, is_unrelated, talk_of
from text2sql.agents.talk.reply import reply, template_reply
from text2sql.agents.talk.sort import can_sort

__all__ = ["Talk", "can_sort", "is_unrelated", "reply", "talk_of", "template_reply"]
