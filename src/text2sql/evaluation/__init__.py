"""Question sets, execution match, metrics, the report."""
