"""For tests of programs that use text2sql: an HTTP endpoint that answers as a model does, or plays a fault.

A model whose replies are fixed needs no endpoint: `text2sql.llm.scripted`.
"""
