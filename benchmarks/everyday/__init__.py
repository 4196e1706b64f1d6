"""The everyday set: questions that analysts ask, about five databases that are built on demand.

    PYTHONPATH=benchmarks python -m everyday DIR
    text2sql eval benchmarks/everyday/questions --databases DIR

Each module builds one database; all values come from a seeded generator, so that every build has the same
rows. `questions/` has the questions with their reference queries, asked on 2026-11-19.
"""
