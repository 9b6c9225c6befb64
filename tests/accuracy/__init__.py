"""Measures the diagnosis on labelled incidents: ``python -m tests.accuracy``."""
