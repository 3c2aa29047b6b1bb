"""Closes what tests have opened."""

from __future__ import annotations

import pytest

from tests.sources.records import OPEN


@pytest.fixture(autouse=True)
def _closed_captures():
    yield
    while OPEN:
        OPEN.pop().close()
