"""What crawlers on several machines share, in a Redis: when a host may be asked next, and pages to fetch.

The driver is imported when it is used, by `connection` alone.
"""

from __future__ import annotations

from blogcrawler.shared.connection import AsyncRedis, check_address
from blogcrawler.shared.gate import Gate
from blogcrawler.shared.haste import Haste
from blogcrawler.shared.page_queue import WORKERS_DIED, PageQueue, has_queue

__all__ = ["WORKERS_DIED", "AsyncRedis", "Gate", "Haste", "PageQueue", "check_address", "has_queue"]
