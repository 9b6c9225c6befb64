"""Numeric detectors: named, pure functions from arrays to frozen results."""
