"""Every test of the frontier runs on every kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blogcrawler.backend import Archive
from blogcrawler.frontier import FrontierStore, MemoryStore
from blogcrawler.shared import Redis, RedisFrontierStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["memory", "sql", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FrontierStore]:
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "redis":
        redis = Redis(request.getfixturevalue("redis_server").url)
        yield RedisFrontierStore(redis, "http://example.org/")
        redis.close()
    else:
        with Archive.open(f"sqlite:///{tmp_path}/archive.db") as archive:
            yield archive.frontier_store("http://example.org/")
