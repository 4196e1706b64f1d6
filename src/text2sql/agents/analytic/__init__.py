"""Analytic questions: read into an `AnalyticQuery` and compiled."""
