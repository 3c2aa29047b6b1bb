from __future__ import annotations

import pytest

from blogcrawler.demo import build

BASE = "http://blog.test"


@pytest.fixture(scope="session")
def base():
    return BASE


@pytest.fixture(scope="session")
def site():
    return build(BASE)
