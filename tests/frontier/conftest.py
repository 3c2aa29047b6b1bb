"""Every test of the frontier runs on every kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from blogcrawler.backend import Archive
from blogcrawler.frontier import Frontier, FrontierStore, Journal, MemoryStore, SharedFrontier
from blogcrawler.shared import Redis, RedisFrontierStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def shared_frontier(store: FrontierStore | None = None, **more: Any) -> Frontier:
    """A frontier that others could share; what has no store of its own is of one spider."""
    if not isinstance(store, RedisFrontierStore):
        return Frontier(store, **more)
    return SharedFrontier(store, Journal(), **more)


@pytest.fixture(params=["memory", "sql", "shared"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FrontierStore]:
    """With "shared" the frontier is one of those that several spiders have, of which the others do nothing."""
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "shared":
        redis = Redis(request.getfixturevalue("redis_server").url)
        monkeypatch.setattr(request.module, "Frontier", shared_frontier, raising=False)
        yield RedisFrontierStore(redis, "http://example.org/")
        redis.close()
    else:
        with Archive.open(f"sqlite:///{tmp_path}/archive.db") as archive:
            yield archive.frontier_store("http://example.org/")
