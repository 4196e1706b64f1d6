"""The HTTP server: questions and answers over JSON and SSE, result pages, exports, reports and metrics.

It renders what the app decides. Start with `app_factory.py`, which creates the application.
"""
