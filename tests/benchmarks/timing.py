"""Processor time, and caches as they are at the beginning of a crawl."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from typing import Any

import blogcrawler


def timed(step: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Milliseconds of processor time, and what came of them."""
    start = time.process_time()
    result = step(*arguments)
    return 1000 * (time.process_time() - start), result


def empty_caches() -> None:
    """Forget what our functions remember of an earlier run, whatever functions these are."""
    for name in [name for name in sys.modules if name.partition(".")[0] == blogcrawler.__name__]:
        for value in vars(sys.modules[name]).values():
            if hasattr(value, "cache_clear") and inspect.signature(value).parameters:
                value.cache_clear()
