"""The embedded model: a GGUF file, a process that runs it, and a client. It needs no key and no network."""

from text2sql.llm.embedded.client import EmbeddedBackend

__all__ = ["EmbeddedBackend"]
