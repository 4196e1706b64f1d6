"""Evaluation: run a question set, judge the answers by execution match, and report the metrics."""
