"""State that crawlers on several machines share through Redis: when a host may be requested next, and pages to fetch.

Only the module `connection` imports the Redis driver, on first use.
"""

from __future__ import annotations

from blogcrawler.shared.connection import AsyncRedis, check_address
from blogcrawler.shared.gate import Gate
from blogcrawler.shared.page_queue import WORKERS_DIED, PageQueue, has_queue
from blogcrawler.shared.stop_deadline import StopDeadline

__all__ = ["WORKERS_DIED", "AsyncRedis", "Gate", "PageQueue", "StopDeadline", "check_address", "has_queue"]
