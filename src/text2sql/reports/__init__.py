"""Reports: templates whose placeholders are questions about a database.

`template.py` parses a template, `answer_placeholders.py` answers its questions, `lock.py` stores the verified
queries, `build.py` assembles the report and `output.py` writes it.
"""
