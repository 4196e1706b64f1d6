"""Conversation: messages that are not about the data, recognized by rules and answered without a query.

`recognize.py` recognizes the kind of a message, `reply.py` answers it; the patterns are data, one file per
language.
"""

from text2sql.agents.talk.recognize import Talk, talk_of
from text2sql.agents.talk.reply import reply, template_reply

__all__ = ["Talk", "reply", "talk_of", "template_reply"]
