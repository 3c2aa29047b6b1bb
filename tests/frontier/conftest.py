"""Every test of the frontier runs on every kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blogcrawler.backend import Archive
from blogcrawler.frontier import FrontierStore, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["memory", "sql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FrontierStore]:
    if request.param == "memory":
        yield MemoryStore()
    else:
        with Archive.open(f"sqlite:///{tmp_path}/archive.db") as archive:
            yield archive.frontier_store("http://example.org/")
