"""Shared by all tests."""

from __future__ import annotations

import pytest


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Bytes stand under their argument's name: a gzip header holds the time, and parallel workers must agree on ids."""
    return argname if isinstance(val, bytes) else None
