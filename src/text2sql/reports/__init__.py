"""Templates whose placeholders are questions: read, asked, answered from a lock file, and written out.

`template.py` reads one, `filling.py` has the strategy, `lock.py` remembers, `writing.py` makes the files.
"""
