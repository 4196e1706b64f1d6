"""Ask a database a question in plain words, Chinese or English."""

__version__ = "0.1.0"
