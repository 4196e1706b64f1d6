"""The model in the box: a file, a process that owns it, and a client that asks it. No key, no network."""

from text2sql.llm.embedded.client import EmbeddedBackend

__all__ = ["EmbeddedBackend"]
