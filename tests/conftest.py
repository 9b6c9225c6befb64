"""Shared by all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# The same examples every run: a red test is about the change at hand. `make test-slow` draws new ones.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("searching", print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Bytes stand under their argument's name: a gzip header holds the time, and parallel workers must agree on ids."""
    return argname if isinstance(val, bytes) else None
