"""The addresses, one module a subject. What they share is in `documented.py` and `reception.py`."""
