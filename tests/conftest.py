"""Installs the reactor that the product uses, before anything imports another one; puts slow modules first.

How long an example takes says more of what else the machine does than of the code: hypothesis does not judge it.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from scrapy.utils.reactor import install_reactor

from tests.shared import server

if TYPE_CHECKING:
    from collections.abc import Iterator

# also where the environment forbids it: else each process of each run reads 340 modules of tests from source
sys.dont_write_bytecode = False
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # as where the tests run in the background; what they start would ignore it, too
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that have slow tests, those with most of them first: quick ones fill the end."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow") is not None)
    items.sort(key=lambda item: -slow[item.path])


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files, with a path that is short enough for a browser's sockets in it."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.fixture(scope="session")
def redis_of_session() -> Iterator[server.Server]:
    if server.PROGRAM is None:
        pytest.skip("Redis is not installed (apt-get install redis-server)")
    pytest.importorskip("redis", reason="the driver of Redis is not installed (redis)")
    with server.Server() as made:
        yield made


@pytest.fixture
def redis_server(redis_of_session: server.Server) -> server.Server:
    """A Redis that holds nothing, which a test must leave running."""
    redis_of_session.empty()
    return redis_of_session
