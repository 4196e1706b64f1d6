"""The HTTP routes, one module per resource. Shared code is in `openapi.py` and `query_pipeline.py`."""
