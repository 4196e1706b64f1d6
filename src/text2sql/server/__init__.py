"""The HTTP door: typed requests, answers and events over SSE, pages, exports, problems, numbers.

It renders what the app decides. Read `building.py` first: it puts the pieces together.
"""
