"""Installs the reactor that the product uses, before anything imports another one; puts slow modules first.

How long an example takes says more of what else the machine does than of the code: hypothesis does not judge it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from scrapy.utils.reactor import install_reactor

if TYPE_CHECKING:
    import pytest

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that have slow tests, those with most of them first: quick ones fill the end."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow") is not None)
    items.sort(key=lambda item: -slow[item.path])
